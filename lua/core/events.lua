--[[
  Events: one entry of the stream for each call of a script, with all the
  moves of that call in their order.

  at                             when, once
  from to queue kind by why      of the jobs that follow; only what differs from the ones before
  jobs                           a line each: id, version, due time, subject ("" if none)

  `from` is empty for a new job, `to` for a purged one. `codec.rs` reads it.
]]
local events = {}
-- Of an entry that has nothing yet.
local NOTHING = {}
fresh(function() events.fields, events.lines, events.groups, events.head = NOTHING, NOTHING, 0, NOTHING end)

-- Entries; readers further behind start from a snapshot. With 100 moves each they take about 140 MB.
local EVENTS_MAX = "20000"
-- Jobs of one entry, so that a reader gets them in portions; scripts move about a hundred.
local JOBS_MAX = 200
-- What the jobs of a group have in common.
local OF_GROUP = { "from", "to", "queue", "kind", "by", "why" }
-- Groups of one entry: Lua passes at most 8,000 values to a command.
local GROUPS_MAX = 500

local function end_group()
  local fields, lines = events.fields, events.lines
  if #lines > 0 then
    fields[#fields + 1] = "jobs"
    fields[#fields + 1] = table.concat(lines, "\n")
  end
end

--- Writes what was collected.
function events.flush(now)
  end_group()
  if #events.fields > 0 then
    redis.call("XADD", P .. "events", "MAXLEN", "~", EVENTS_MAX, "*", "at", int(now), unpack(events.fields))
    events.fields, events.lines, events.head, events.groups = NOTHING, NOTHING, NOTHING, 0
  end
end

--- The lines of the jobs that have all this in common. The caller keeps JOBS_MAX.
function events.open(now, from, to, queue, kind, by, why)
  local head = events.head
  local same = head.from == from and head.to == to and head.by == by and head.why == why and head.queue == queue
    and head.kind == kind
  if #events.lines >= JOBS_MAX or events.groups >= GROUPS_MAX then
    events.flush(now)
    head, same = events.head, false
  end
  if not same then
    -- What a caller left out is empty: nothing may fail here, behind the first write.
    by, why = by or "", why or ""
    end_group()
    local new = { from = from, to = to, queue = queue, kind = kind, by = by, why = why }
    if head == NOTHING then
      events.fields = { "from", from, "to", to, "queue", queue, "kind", kind, "by", by, "why", why }
    else
      local fields = events.fields
      for _, name in ipairs(OF_GROUP) do
        if head[name] ~= new[name] then
          fields[#fields + 1] = name
          fields[#fields + 1] = new[name]
        end
      end
    end
    events.head, events.lines, events.groups = new, {}, events.groups + 1
  end
  return events.lines
end

--- Collects one change; `from` is "" for a new job, `to` for one that is removed.
function events.add(now, j, from, to, by, why)
  local lines = events.open(now, from, to, j.queue, j.kind, by, why)
  lines[#lines + 1] = j.id .. " " .. int(j.version) .. " " .. j[DUE] .. " " .. (j.subject or "")
end
