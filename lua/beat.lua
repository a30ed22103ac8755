--[[
  A worker's sign of life: what it is and what it does. Says goodbye with an empty description.

  KEYS[1]  namespace prefix, "reprieve:{ns}:"
  ARGV[1]  now in ms, or "" for the server's clock
  ARGV[2]  worker            ARGV[3]  description (JSON), or "" to leave

  Returns  {now, order}, the order being "quiet", "stop" or "" (`order_worker.lua`)
  Events   none
]]
local now = clock.now(ARGV[1])
local worker, description = ARGV[2], assert(ARGV[3], "no description")
-- A day without a beat: whoever looks for a lost worker has looked by then.
local WORKERS_KEPT_MS = 86400000
-- At most that many forgotten workers a beat.
local FORGET_MAX = 20

job.expect(P .. "workers", "zset")
job.expect(P .. "worker:" .. worker, "string")
job.expect(P .. "worker_orders", "hash")
local forgotten = redis.call("ZRANGE", P .. "workers", "-inf", now - WORKERS_KEPT_MS, "BYSCORE", "LIMIT", 0, FORGET_MAX)
if description == "" then table.insert(forgotten, worker) end
for _, gone in ipairs(forgotten) do
  redis.call("ZREM", P .. "workers", gone)
  redis.call("DEL", P .. "worker:" .. gone)
  redis.call("HDEL", P .. "worker_orders", gone)
end
if description ~= "" then
  redis.call("ZADD", P .. "workers", now, worker)
  redis.call("SET", P .. "worker:" .. worker, description)
end
return { now, redis.call("HGET", P .. "worker_orders", worker) or "" }
