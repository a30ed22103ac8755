--[[
  Lets a paused queue be claimed from again.

  ARGV[2]  queue             ARGV[3]  actor             ARGV[4]  reason
  ARGV[5]  operation id, or ""

  Returns  {"resumed" | "unchanged"}
]]
local now = clock.now(ARGV[1])
local queue, by, why, op = ARGV[2], ARGV[3], ARGV[4], ARGV[5]

local answered = operation.answered("resume", queue, op)
if answered then
  return answered
end

audit.expect()
job.expect(job.wake(queue), "list")
job.expect(job.set(queue, "ready"), "zset")
job.expect(job.configured(), "set")
if redis.call("DEL", job.paused(queue)) == 0 then
  return operation.answer("resume", queue, op, { "unchanged" })
end
operation.list_configured(queue)
audit.add(now, by, "resume", queue, why, "resumed", "", "", { queue = queue, op = op })
if redis.call("ZCARD", job.set(queue, "ready")) > 0 then job.leave_wake(queue) end
clock.keep()
return operation.answer("resume", queue, op, { "resumed" })
