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

local used_up = j.max_attempts and j.attempt >= j.max_attempts
local to, result = "retrying", "failed"
if j.cancel_ms then
  to, result = "cancelled", "cancelled"
elseif wait == "" or used_up then
  to = "dead"
end

local changes, why = { last_error = message }, ""
if to == "retrying" then
  changes.due_ms = now + clock.given(wait)
  to, why = job.constraints().goes_on(j, to, why, changes)
elseif to == "cancelled" then
  changes.cancelled_from, why = "active", "stopped when asked"
elseif used_up then
  why = "all " .. int(j.max_attempts) .. " attempts used"
else
  why = "failed for good"
end
local answer = to == "held" and "plan_held" or to
job.lease_ends(j, answer, changes)
job.ended_attempt(now, j, j.attempt, result, message)
stats.count(j, "failed")
stats.took(j, "run", now - (j.started_ms or now))
job.move(now, j, to, "worker:" .. j.worker, why, changes)
job.finish(now)
return { answer }
