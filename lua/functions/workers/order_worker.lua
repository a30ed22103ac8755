--[[
  Tells a worker what to do. It obeys at its next heartbeat (`heartbeat.lua`); an
  order to stop is the last one it gets. One that claims by calls of its own
  keeps its name when it is started anew, so it is not told to stop.

  ARGV[2]  worker            ARGV[3]  "quiet", "stop" or "resume"
  ARGV[4]  actor             ARGV[5]  reason

  Returns  {"ordered" | "unchanged" | "stopping"}, the last when it was told to stop before
           {"claims"}, when it claims by calls of its own and was told to stop
           {"missing"}
]]
local now = clock.now(ARGV[1])
local worker, order, by, why = ARGV[2], ARGV[3], ARGV[4], ARGV[5]

job.expect(P .. "worker:" .. worker, "string")
job.expect(P .. "worker_orders", "hash")
audit.expect()
local claimant, is_known = fleet.claimant(worker)
if not is_known then
  return { "missing" }
end
if claimant and order == "stop" then
  return { "claims" }
end
local standing = redis.call("HGET", P .. "worker_orders", worker) or "resume"
if standing == order then
  return { "unchanged" }
end
if standing == "stop" then
  return { "stopping" }
end

-- Resuming is what a worker without orders does.
if order == "resume" then
  redis.call("HDEL", P .. "worker_orders", worker)
else
  redis.call("HSET", P .. "worker_orders", worker, order)
end
audit.add(now, by, order .. "_worker", worker, why, "ordered", "", "")
clock.keep()
return { "ordered" }
