--[[
  A forwarder's sign of life, written now and then by one that has just looked for due jobs. It also enters the lowest due time of
  every queue, for whom a process of an earlier version, or a hand, has left one out.

  ARGV[2]  what it is (JSON, the same every time)    ARGV[3]  "leave" when it ends, or ""

  Returns  now
]]
local now = clock.of_routine(ARGV[1])
local forwarder, leaving = ARGV[2], ARGV[3] == "leave"
-- An hour without a look: a person who misses a forwarder has looked by then.
local FORWARDERS_KEPT_MS = 3600000
-- At most that many forgotten forwarders a tick.
local FORGET_MAX = 20

job.expect(P .. "forwarders", "zset")
job.expect(P .. "queues", "set")
job.expect(job.due(), "zset")
local forgotten = redis.call("ZRANGE", P .. "forwarders", "-inf", now - FORWARDERS_KEPT_MS, "BYSCORE", "LIMIT", 0, FORGET_MAX)
if leaving then table.insert(forgotten, forwarder) end
for _, gone in ipairs(forgotten) do
  redis.call("ZREM", P .. "forwarders", gone)
end
if leaving then return now end
redis.call("ZADD", P .. "forwarders", now, forwarder)
for _, queue in ipairs(redis.call("SMEMBERS", P .. "queues")) do
  local head = due_queues.head(queue)
  if head then due_queues.note(queue, head) end
end
return now
