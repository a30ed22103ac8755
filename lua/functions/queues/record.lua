--[[
  Writes down how many jobs are in each state of each queue, once a minute: the first caller does it. In the last
  minutes of an hour what is due within the next one goes with it, so that the past can be held against what was
  expected of it.

  Returns  {"recorded" | "exists", minute in ms, queues written}

  counts:<minute>  hash: a queue's eight counts in the order of STATES, then what is due within an hour, by spaces.
                   The empty field: how many queues there are where not all were written, else empty or not there.
                   Kept for two days; one of a full hour for eight.
  expected:<hour>  text: how many jobs were due within that full hour, as of the last of the ten minutes before it in
                   which this ran: once it has begun, what was due with its first tick has left the lists. Empty
                   where not all queues were looked at. Kept for eight days.
]]
local now = clock.now(ARGV[1])

-- Twelve calls a queue: more of them would hold Redis up for longer than 2 ms.
local QUEUES_MAX = 200
-- Two days of minutes: 3 MB with ten queues, 60 MB with 200.
local MINUTE_KEPT_S = 172800
-- Hours are kept as long as the statistics.
local HOUR_KEPT_S = constants.STATS_KEPT_S
local MINUTE_MS, HOUR_MS = 60000, 3600000
-- What is known longer before an hour says too little of it; a restart takes less.
local EXPECTED_WITHIN_MS = 600000

local minute = now - now % MINUTE_MS
local key = P .. "counts:" .. int(minute)
if redis.call("EXISTS", key) == 1 then
  return { "exists", int(minute), 0 }
end

local queues = redis.call("SMEMBERS", P .. "queues")
table.sort(queues)
local next_hour = minute - minute % HOUR_MS + HOUR_MS
local is_near = next_hour - minute <= EXPECTED_WITHIN_MS
local lines, expected = {}, 0
for index = 1, math.min(#queues, QUEUES_MAX) do
  local queue, counts, any = queues[index], {}, false
  for _, state in ipairs(STATES) do
    local count = redis.call("ZCARD", job.set(queue, state))
    any = any or count > 0
    table.insert(counts, count)
  end
  local due = 0
  for _, state in ipairs({ "delayed", "retrying" }) do
    local set = job.set(queue, state)
    due = due + redis.call("ZCOUNT", set, "-inf", "(" .. int(minute + HOUR_MS))
    if is_near then
      expected = expected + redis.call("ZCOUNT", set, int(next_hour), "(" .. int(next_hour + HOUR_MS))
    end
  end
  table.insert(counts, due)
  if any then
    table.insert(lines, queue)
    table.insert(lines, table.concat(counts, " "))
  end
end
-- A minute without a job is known as well: an empty field stands for it.
local written = #lines / 2
if #queues > QUEUES_MAX then
  table.insert(lines, "")
  table.insert(lines, #queues)
elseif written == 0 then
  lines = { "", "" }
end
redis.call("HSET", key, unpack(lines))
redis.call("EXPIRE", key, minute % HOUR_MS == 0 and HOUR_KEPT_S or MINUTE_KEPT_S)
if is_near then
  local told = #queues > QUEUES_MAX and "" or int(expected)
  redis.call("SET", P .. "expected:" .. int(next_hour), told, "EX", HOUR_KEPT_S)
end
clock.keep()
return { "recorded", int(minute), written }
