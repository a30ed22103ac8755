--[[
  Stops claims from a queue; what runs goes on, what is due still becomes ready.

  ARGV[2]  queue             ARGV[3]  actor             ARGV[4]  reason
  ARGV[5]  operation id, or ""

  Returns  {"paused" | "unchanged"}
]]
local now = clock.now(ARGV[1])
local queue, by, why, op = ARGV[2], ARGV[3], ARGV[4], ARGV[5]

local answered = operation.answered("pause", queue, op)
if answered then
  return answered
end

audit.expect()
job.expect(job.paused(queue), "hash")
job.expect(job.configured(), "set")
if redis.call("EXISTS", job.paused(queue)) == 1 then
  return operation.answer("pause", queue, op, { "unchanged" })
end
redis.call("HSET", job.paused(queue), "at_ms", now, "by", by, "why", why)
operation.list_configured(queue)
audit.add(now, by, "pause", queue, why, "paused", "", "", { queue = queue, op = op })
clock.keep()
return operation.answer("pause", queue, op, { "paused" })
