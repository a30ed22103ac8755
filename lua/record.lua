--[[
  Writes down how many jobs are in each state of each queue, once a minute: whoever comes first does it. What is due
  within the next hour goes with it, so that the past can be held against what was expected of it.

  KEYS[1]  namespace prefix, "reprieve:{ns}:"
  ARGV[1]  now in ms, or "" for the server's clock

  Returns  {"recorded" | "exists", minute in ms, queues written}
  Events   none: no job changes

  counts:<minute>  hash: a queue's eight counts in the order of STATES, then what is due within an hour, by spaces.
                   The empty field: how many queues there are where not all were written, else empty or not there.
                   Kept for two days; one of a full hour for eight.
]]
local now = clock.now(ARGV[1])

-- Ten calls a queue: more of them would hold Redis up for longer than 2 ms.
local QUEUES_MAX = 200
-- Two days of minutes: 3 MB with ten queues, 60 MB with 200.
local MINUTE_KEPT_S = 172800
-- Eight days of hours, as long as the statistics.
local HOUR_KEPT_S = 691200
local MINUTE_MS, HOUR_MS = 60000, 3600000

local minute = now - now % MINUTE_MS
local key = P .. "counts:" .. int(minute)
if redis.call("EXISTS", key) == 1 then
  return { "exists", int(minute), 0 }
end

local queues = redis.call("SMEMBERS", P .. "queues")
table.sort(queues)
local lines = {}
for index = 1, math.min(#queues, QUEUES_MAX) do
  local queue, counts, any = queues[index], {}, false
  for _, state in ipairs(STATES) do
    local count = redis.call("ZCARD", job.set(queue, state))
    any = any or count > 0
    table.insert(counts, count)
  end
  local due = 0
  for _, state in ipairs({ "delayed", "retrying" }) do
    due = due + redis.call("ZCOUNT", job.set(queue, state), "-inf", "(" .. int(minute + HOUR_MS))
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
clock.keep()
return { "recorded", int(minute), written }
