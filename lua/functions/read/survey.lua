--[[
  Queues at a glance, from counters and heads of sets; nothing is scanned. As many as one call may look at: the caller
  joins what several calls say. A key of another type is counted, and taken for empty: a person who looks for what is wrong
  must see the rest.

  ARGV[1]  unused            ARGV[2]  queue, or "" for all
  ARGV[3]  queue behind which to go on, or ""

  Returns  {now, queue behind which to go on or "", last forwarder tick or "", ids set aside, one of them or "",
            damaged keys among these queues, one of them or "",
            {queue, delayed, held, ready, active, retrying, done, dead, cancelled,
             next due or "", ready since or "", paused at or "", by, why,
             most active or "", rate or "", its span in ms, most active in a concurrency key or "", "1" if ordered, limited at, by, why} …}
]]
-- Queues of one call: about two milliseconds.
local QUEUES_AT_ONCE = 150

-- Each call:
local now = clock.now("")
local only, behind = ARGV[2], ARGV[3]

local damaged, sample = 0, ""
local function count(key)
  local found = redis.pcall("ZCARD", key)
  if type(found) == "number" then return found end
  damaged = damaged + 1
  if sample == "" or key < sample then sample = key end
  return 0
end

local function head_score(key)
  return tonumber(redis.pcall("ZRANGE", key, 0, 0, "WITHSCORES")[2])
end

--- When the job became ready that waits longest: the first of each priority is looked at, and the first of each among
--- those whose concurrency key is full, which stand behind all others.
local function ready_since(queue)
  local key, from, oldest = job.set(queue, "ready"), "-inf", nil
  for _ = 1, 2 * WAITS_FOR_SLOT / PRIORITY_BAND do
    local first = redis.pcall("ZRANGE", key, from, "+inf", "BYSCORE", "LIMIT", 0, 1, "WITHSCORES")
    if not first[1] then break end
    local j = record.load(first[1])
    local since = j and tonumber(j.ready_ms or j.created_ms or j.due_ms)
    if since and (not oldest or since < oldest) then oldest = since end
    from = int((math.floor(tonumber(first[2]) / PRIORITY_BAND) + 1) * PRIORITY_BAND)
  end
  return oldest
end

local function glance(queue)
  local line = { queue }
  for _, state in ipairs(STATES) do
    table.insert(line, count(job.set(queue, state)))
  end
  local delayed, retrying = head_score(job.set(queue, "delayed")), head_score(job.set(queue, "retrying"))
  local next_due = delayed and retrying and math.min(delayed, retrying) or delayed or retrying
  table.insert(line, next_due or "")
  local since = ready_since(queue)
  table.insert(line, since and int(since) or "")
  local paused = redis.pcall("HMGET", job.paused(queue), "at_ms", "by", "why")
  for index = 1, 3 do table.insert(line, not paused.err and paused[index] or "") end
  local limits = redis.pcall("HMGET", job.limits(queue), "concurrency", "rate", "period_ms", "concurrency_per_key", "ordered", "at_ms", "by", "why")
  for index = 1, 8 do table.insert(line, not limits.err and limits[index] or "") end
  return line
end

local queues = { only }
if only == "" then
  queues = redis.call("SMEMBERS", P .. "queues")
  local known = {}
  for _, queue in ipairs(queues) do known[queue] = true end
  -- Those without a job, of which people have said something all the same.
  for _, queue in ipairs(redis.call("SMEMBERS", job.configured())) do
    if not known[queue] then queues[#queues + 1] = queue end
  end
end
table.sort(queues)
local glances, go_on = {}, ""
for place, queue in ipairs(queues) do
  if queue > behind then
    table.insert(glances, glance(queue))
    if #glances >= QUEUES_AT_ONCE and place < #queues then
      go_on = queue
      break
    end
  end
end
local reply = {
  now,
  go_on,
  redis.call("HGET", P .. "meta", "forwarded_ms") or "",
  redis.call("ZCARD", P .. "quarantine"),
  redis.call("ZRANGE", P .. "quarantine", -1, -1)[1] or "",
  damaged,
  sample,
}
for _, line in ipairs(glances) do table.insert(reply, line) end
return reply
