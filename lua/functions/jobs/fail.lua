--[[
  Ends an attempt that failed. The caller's policy names the wait; the number
  of attempts, and a cancel that is waiting, decide what becomes of the job.
  A step whose plan is held by now is held with it, and keeps the time of its
  next attempt.

  ARGV[2]  job id            ARGV[3]  token
  ARGV[4]  error text        ARGV[5]  wait before the next attempt in ms, or "" when the error is fatal

  Returns  {"retrying" | "plan_held" | "dead" | "cancelled" | "lost" | "missing"}; a repeat with the same token gets the
           first word
  Events   active -> retrying | held | dead | cancelled
]]
local now = clock.of_routine(ARGV[1])
local id, token, message, wait = ARGV[2], ARGV[3], ARGV[4], ARGV[5]

local j, word = job.held(now, id, token)
if not j then
  return { word }
end

local changes, to, why = { last_error = message }, "retrying", ""
if j.cancel_ms then
  to, why = "cancelled", "stopped when asked"
elseif j.max_attempts and j.attempt >= j.max_attempts then
  to, why = "dead", "all " .. int(j.max_attempts) .. " attempts used"
elseif wait == "" then
  to, why = "dead", "failed for good"
else
  changes.due_ms = now + clock.given(wait)
end
stats.count(j, "failed")
stats.took(j, "run", now - (j.started_ms or now))
local answer = job.end_lease(now, j, to, why, "failed", message, changes)
job.finish(now)
return { answer }
