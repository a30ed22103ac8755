--[[
  Makes a job ready at once, with at least one attempt: run a waiting one now,
  retry a dead one, run a cancelled one after all.

  ARGV[2]  job id
  ARGV[3]  expected version, or "" for any
  ARGV[4]  actor             ARGV[5]  reason
  ARGV[6]  operation id, or ""

  Returns  {"ready" | "wrong_state" | "conflict", id, state, version, due, …}    {"duplicate", holder}
           {"subject_full"}    {"missing"}
  Events   delayed | held | retrying | dead | cancelled -> ready
]]
local now = clock.now(ARGV[1])
local id, seen, by, why, op = ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]

local j, reply = operation.begin(now, "retry_now", id, seen, op)
if not j then
  return reply
end
local from = j.state
if from == "ready" or from == "active" or from == "done" then
  return job.standing("wrong_state", j, now)
end
local revived = ENDED[from]
local holder = revived and operation.unique_holder(j)
if holder then
  return { "duplicate", holder }
end
if revived and job.subject_is_full(j) then
  return { "subject_full" }
end

local changes = operation.by_itself({
  due_ms = now, stalls = false, unheard = false, taken_back = false, cancelled_from = false,
})
if j.max_attempts and j.attempt >= j.max_attempts then changes.max_attempts = j.attempt + 1 end
job.move(now, j, "ready", by, why, changes)
if revived then operation.retake_unique(j) end
return operation.done(now, j, "retry_now", by, why, op, "ready", from)
