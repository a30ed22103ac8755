--[[
  Undoes a cancel: the job waits again, for its original due time. When that
  has passed, nothing changes and the caller asks the person; a new due time
  may be given instead.

  KEYS[1]  namespace prefix, "reprieve:{ns}:"
  ARGV[1]  now in ms, or "" for the server's clock
  ARGV[2]  job id
  ARGV[3]  expected version, or "" for any
  ARGV[4]  actor             ARGV[5]  reason
  ARGV[6]  operation id, or ""
  ARGV[7]  new due time in ms, or "" for the original

  Returns  {"delayed" | "overdue" | "refused" | "conflict", id, state, version, due, …}
           {"duplicate", holder}    {"subject_full"}    {"missing"}
  Events   cancelled -> delayed
]]
local now = clock.now(ARGV[1])
local id, seen, by, why, op, due = ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7] ~= "" and clock.given(ARGV[7]) or nil

local j, reply = operation.begin(now, "reinstate", id, seen, op)
if not j then
  return reply
end
if j.state ~= "cancelled" then
  return job.standing("refused", j, now)
end
if not due and j.due_ms <= now then
  return job.standing("overdue", j, now)
end
local holder = operation.unique_holder(j)
if holder then
  return { "duplicate", holder }
end
if job.subject_is_full(j) then
  return { "subject_full" }
end

-- One that was stopped in its last attempt gets another, or it would wait for nothing.
local changes = operation.by_itself({ due_ms = due or j.due_ms, cancelled_from = false })
if j.max_attempts and j.attempt >= j.max_attempts then changes.max_attempts = j.attempt + 1 end
job.move(now, j, "delayed", by, why, changes)
operation.retake_unique(j)
return operation.done(now, j, "reinstate", by, why, op, "delayed", "cancelled")
