--[[
  Takes jobs over from a foreign queue, with the past they had there. Each
  record of the importer's journal makes one job, however often it is repeated:
  which ones were taken is kept until the roll-back date. So is, of an item
  that comes again after its job has begun, the id that it goes on under.

  ARGV[2]  actor           ARGV[3]  importer
  ARGV[4…] the values of each job, see `core/intake.lua`, then 9 more: record, an id to use when the other is taken,
           state ("" by the due time, else retrying | dead | done), attempts made, last error, when it failed in ms,
           result, created in ms ("" now), its own id: that of the values, unless a job in another shard has it

  Returns  one list a job: {"adopted" | "replaced" | "repeated", id}    {"withdrawn"} (it was rolled back)
           {"subject_full", id}    {"id_taken", id}
  Events   those of `enqueue`, then delayed | ready -> retrying | dead | done
]]
local now = clock.now(ARGV[1])
local actor, import = ARGV[2], ARGV[3]
local OWN_VALUES = 9

local taken, again = imported.taken(import), P .. "import:" .. import .. ":again"
local load = job.loader({ "worker" }, { "retention_ms", "sequence" })

local function past_of(first)
  return {
    state = ARGV[first + 2] ~= "" and ARGV[first + 2] or nil,
    attempt = tonumber(ARGV[first + 3]) or 0,
    last_error = ARGV[first + 4],
    failed_ms = number(ARGV[first + 5]),
    result = ARGV[first + 6],
    created_ms = number(ARGV[first + 7]),
  }
end

job.expect(taken, "hash")
job.expect(again, "hash")
local batch, owns, spares = {}, {}, {}
for first = 4, #ARGV, intake.VALUES + OWN_VALUES do
  local new = intake.read(now, ARGV, first, actor)
  local own = first + intake.VALUES
  assert(ARGV[own + OWN_VALUES - 1], "a job has fewer values than it needs")
  new.record, new.spare, new.past = ARGV[own], ARGV[own + 1], past_of(own)
  new.created_ms = new.past.created_ms
  new.own, new.may_replace = ARGV[own + 8], new.replace
  new.is_held_elsewhere = new.id ~= new.own
  table.insert(owns, new.own)
  table.insert(spares, new.spare)
  job.check(now, new)
  table.insert(batch, new)
end
local taken_ids = record.present(spares)

-- Under which id an item goes on, by its own: "<id> <the record that is the latest of it>".
local others = {}
for index, known in ipairs(#owns > 0 and redis.call("HMGET", again, unpack(owns)) or {}) do
  if known then others[owns[index]] = known:match("^%S+") end
end
local other_ids, all = {}, { unpack(batch) }
for _, id in pairs(others) do table.insert(other_ids, id) end
local present = record.present(other_ids)
for _, new in ipairs(batch) do
  local other = others[new.own]
  -- A job that is gone leaves its id to nobody: a record of it would take the new one for its own.
  if not present[other] then
    others[new.own] = nil
  elseif new.replace then
    table.insert(all, setmetatable({ id = other }, { __index = new }))
  end
end
intake.check(now, all)

--- What the journal's record became: "<id> <version> <due> <replaced or nothing> <its own id, if it is under another>",
--- or once withdrawn the last alone.
local function repeated(known)
  local id, _, _, word = known:match("^(%S+) (%d+) (%d+) (%a*)")
  if not id then
    return { "withdrawn" }
  end
  return { word == "replaced" and "replaced" or "repeated", id }
end

--- Takes a job in under that id. Only an earlier self of its item is replaced: what this importer made, of its kind.
local function take_as(new, id)
  local old = new.may_replace and load(id)
  new.id, new.replace = id, old and old.kind == new.kind and record.text(old, "created_by") == actor or false
  return intake.take(now, new)
end

--- Takes a job in, under another id or without its lock when those are somebody else's here: it had its place
--- where it comes from, so it gets one here. The job that an earlier change of its item made under another id is
--- replaced while it waits, as one under its own would be; before that, for its own may be free again by now.
local function take(new)
  local reply = { "exists" }
  if new.may_replace and others[new.own] then reply = take_as(new, others[new.own]) end
  if reply[1] == "exists" and not new.is_held_elsewhere then reply = take_as(new, new.own) end
  if reply[1] == "exists" then
    if taken_ids[new.spare] then
      return { "id_taken", new.id }
    end
    reply = take_as(new, new.spare)
  end
  if reply[1] == "duplicate" then
    new.unique_key, new.options.unique_key, new.options.unique_ttl_ms = "", nil, nil
    reply = intake.take(now, new)
  end
  return reply
end

--- Gives a job the past it had, and the state that goes with it, after it was taken in with that reply. Returns its
--- version and due time.
local function remember(new, past, reply)
  local changes = {}
  -- A new job was made with it.
  if reply[1] == "replaced" then changes.created_ms = past.created_ms end
  if past.attempt > 0 then changes.attempt = past.attempt end
  if past.last_error ~= "" then changes.last_error = past.last_error end
  if past.result ~= "" then changes.result = past.result end
  local is_new_alone = reply[1] ~= "replaced" and not past.state and not past.failed_ms and not next(changes)
  if is_new_alone then
    return reply[5] .. " " .. reply[3]
  end
  local j = load(new.id)
  if past.state or next(changes) then
    -- As when it is replaced: what a person holds stays held, whatever tries it has behind it.
    local to = past.state == "retrying" and j.state == "held" and "held" or past.state or j.state
    job.move(now, j, to, new.by, "as it was where it comes from", changes)
  end
  if past.failed_ms then
    local failed = { id = new.id, started_ms = past.failed_ms, worker = actor }
    job.ended_attempt(past.failed_ms, failed, past.attempt, "failed", past.last_error)
  end
  return int(j.version) .. " " .. int(j.due_ms)
end

local records, replies, now_taken = {}, {}, {}
for index, new in ipairs(batch) do records[index] = new.record end
local known_records = #records > 0 and redis.call("HMGET", taken, unpack(records)) or {}
for index, new in ipairs(batch) do
  local known = known_records[index]
  if known then
    table.insert(replies, repeated(known))
  else
    local reply = take(new)
    local word = reply[1]
    if word == "subject_full" or word == "id_taken" then
      table.insert(replies, { word, new.id })
    else
      local replaced = word == "replaced" and "replaced" or ""
      local own = ""
      if new.id ~= new.own then
        own, others[new.own] = " " .. new.own, new.id
        redis.call("HSET", again, new.own, new.id .. " " .. new.record)
      end
      local count = #now_taken
      now_taken[count + 1] = new.record
      now_taken[count + 2] = new.id .. " " .. remember(new, new.past, reply) .. " " .. replaced .. own
      table.insert(replies, { replaced ~= "" and replaced or "adopted", new.id })
    end
  end
end
if #now_taken > 0 then redis.call("HSET", taken, unpack(now_taken)) end
job.finish(now)
return replies
