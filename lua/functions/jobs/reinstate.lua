--[[
  Undoes a cancel: the job is put back as it was. One that somebody held is
  held, and one whose plan is held is held with it: nothing runs, so its due
  time may have passed. Any other waits for its original due time again, moved
  along where its plan has been re-anchored since. When
  that has passed, nothing changes and the caller asks the person, unless it
  waits for others still; a new due time may be given instead.

  ARGV[2]  job id
  ARGV[3]  expected version, or "" for any
  ARGV[4]  actor             ARGV[5]  reason
  ARGV[6]  operation id, or ""
  ARGV[7]  new due time in ms, or "" for the original

  Returns  {"delayed" | "held" | "overdue" | "wrong_state" | "conflict", id, state, version, due, …}
           {"duplicate", holder}    {"subject_full"}    {"missing"}
  Events   cancelled -> delayed | held
]]
local now = clock.now(ARGV[1])
local id, seen, by, why, op, due = ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7] ~= "" and clock.given(ARGV[7]) or nil

local j, reply = operation.begin(now, "reinstate", id, seen, op)
if not j then
  return reply
end
if j.state ~= "cancelled" then
  return job.standing("wrong_state", j, now)
end
local to, changes, waited = cancel.way_back(j)
if to == "delayed" and not due and (changes.due_ms or j.due_ms) <= now and not (waited and job.constraints().still_waits(j)) then
  return job.standing("overdue", j, now)
end
local holder = operation.unique_holder(j)
if holder then
  return { "duplicate", holder }
end
if job.subject_is_full(j) then
  return { "subject_full" }
end

if due then changes.due_ms = due end
job.move(now, j, to, by, why, changes)
operation.retake_unique(j)
return operation.done(now, j, "reinstate", by, why, op, to, "cancelled")
