--[[
  Lets a paused queue be claimed from again.

  ARGV[2]  queue             ARGV[3]  actor             ARGV[4]  reason

  Returns  {"resumed" | "unchanged"}
]]
local now = clock.now(ARGV[1])
local queue, by, why = ARGV[2], ARGV[3], ARGV[4]

operation.expect_audit()
job.expect(job.wake(queue), "list")
job.expect(job.set(queue, "ready"), "zset")
job.expect(job.minded(), "set")
if redis.call("DEL", job.paused(queue)) == 0 then
  return { "unchanged" }
end
operation.mind(queue)
operation.audit(now, by, "resume", queue, why, "resumed", "", "", { queue = queue })
if redis.call("ZCARD", job.set(queue, "ready")) > 0 then job.leave_wake(queue) end
clock.keep()
return { "resumed" }
