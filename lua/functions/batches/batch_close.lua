--[[
  Closes a batch: no job can be added from then on, and the job that completes it runs when the last has ended.

  ARGV[2]  batch id          ARGV[3]  actor            ARGV[4]  reason           ARGV[5]  operation id, or ""

  Returns  {"closed" | "unchanged", batch id, closed since, total, live, done, dead, cancelled, now}    {"missing"}
  Events   held -> ready | cancelled for the job that completes it, when none is live
]]
local now = clock.now(ARGV[1])
local id, by, why, op = ARGV[2], ARGV[3], ARGV[4], ARGV[5]

local b, instead = batch.target("batch_close", id, op)
if not b then
  return instead
end
if b.closed_ms then
  return batch.head("unchanged", id, now)
end
job.expect(P .. "audit", "stream", true)

batch.close(now, id, by)
audit.add(now, by, "batch_close", id, why, "closed", "", "", { op = op })
job.finish(now)
return operation.answer("batch_close", id, op, batch.head("closed", id, now))
