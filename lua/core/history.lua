--[[
  What happened to a job, step by step. Only what cannot be told from the
  job's fields is written down, into `history:<id>`: acts of people,
  failures, stalls, what was given back. The ordinary way - created, due,
  started, done, and called off at last - is told from the fields, and written
  down when one of the others happens, for then the fields will change.
]]
local history = {}

-- One screen of history; older lines fall off.
local HISTORY_MAX = 50

--- Whether a step can be told from the fields it leaves.
function history.tells_itself(from, to, by, why)
  if not from then return why == "" end
  if to == "cancelled" then return true end
  if to == "active" then return from == "ready" end
  if to == "done" then return from == "active" end
  return to == "ready" and by == "forwarder" and why == "" and (from == "delayed" or from == "retrying")
end

-- `edited` where the payload is another one from then on, and nil otherwise; `parts` names what of it differs, and is nil
-- where nobody said.
local function line(at, from, to, version, due, by, why, edited, parts)
  return cjson.encode({
    at = at, from = from, to = to, version = version, due = due, by = by, why = why, edited = edited, parts = parts,
  })
end

-- The version that a job began with, as text.
function history.first_of(f) return (f.first or "") ~= "" and f.first or "1" end

local ABSENT = { __index = function() return "" end }

--- The fields of a job as texts, by name, "" where absent, as `untold` and `latest` need them.
function history.fields(j)
  local f = setmetatable(record.short_fields(j), ABSENT)
  if f.created_ms == "" then f.created_ms = f.due_ms end
  if f.created_by == "" then f.created_by = "client" end
  if f.ready_ms == "" then f.ready_ms = f.created_ms end
  return f
end

--- A line of the list, by its place; an empty one where there is none that reads.
function history.told(id, place)
  local found = redis.pcall("LINDEX", job.history(id), place)
  local reads, told = pcall(cjson.decode, type(found) == "string" and found or "")
  return reads and type(told) == "table" and told or {}
end

--- Since when, by whom and why a held job is held, as texts; "" for all when nothing tells any more. An absent field has
--- its default.
function history.held(id, f)
  if f.version == history.first_of(f) then return f.created_ms, f.created_by, "" end
  for back = 1, HISTORY_MAX do
    local told = history.told(id, -back)
    if told.to ~= "held" then break end
    local since = told.from ~= "held" and number(tostring(told.at or ""))
    if since then return int(since), tostring(told.by or ""), tostring(told.why or "") end
  end
  return "", "", ""
end

--- The lines that nobody has written down yet, oldest first.
function history.untold(id, f)
  local version, first = number(f.version) or 0, number(history.first_of(f)) or 1
  local told = number(f.told_version) or first - 1
  -- Epochs are whole numbers of changes more than a job has had, and are counted where it is started.
  local steps, epochs = clock.parts(math.max(version - told, 0))
  local to, lines = f.state, {}
  local worker = "worker:" .. f.worker
  while steps > 0 do
    local from, at, by, why = "", f.created_ms, f.created_by, ""
    if version == first then
      -- As it was created.
    elseif to == "cancelled" then
      from, at, by, why = f.cancelled_from, f.ended_ms, f.by, f.why
    elseif to == "done" then
      from, at, by = "active", f.ended_ms, worker
    elseif to == "active" then
      from, at, by = "ready", f.started_ms, worker
    elseif to == "ready" then
      from = told >= first and told == version - 1 and (history.told(id, -1).to or "") or "delayed"
      at, by = f.ready_ms, "forwarder"
    else
      break
    end
    table.insert(lines, 1, line(at, from, to, int(version), f.due_ms, by, why))
    if to == "active" then version, epochs = version - epochs, 0 end
    to, version, steps = from, version - 1, steps - 1
  end
  return lines
end

--- Who made the latest change, and why.
function history.latest(f)
  if f.told_version == f.version or f.state == "cancelled" then return f.by, f.why end
  if f.version == history.first_of(f) then return f.created_by, "" end
  if f.state == "ready" then return "forwarder", "" end
  return "worker:" .. f.worker, ""
end

--- Writes lines down, and the one of the change that has just been made; `edited` where that changed the payload,
--- `parts` as `line` has them.
function history.write(now, j, from, by, why, lines, edited, parts)
  local due = int(j.due_ms)
  parts = edited and parts or nil
  table.insert(lines, line(int(now), from or "", j.state, int(j.version), due, by, why, edited or nil, parts))
  local length = soft("RPUSH", job.history(j.id), unpack(lines))
  if length and length > HISTORY_MAX then redis.call("LTRIM", job.history(j.id), -HISTORY_MAX, -1) end
end
