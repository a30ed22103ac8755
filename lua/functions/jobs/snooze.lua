--[[
  Puts an active job back to delayed without costing an attempt: its handler
  asked to be called later, no handler knows its kind, or nobody outside took it.
  Each is counted, and too often ends the job. A step whose plan is held by
  now is held with it, for that time.

  ARGV[2]  job id            ARGV[3]  token
  ARGV[4]  wait in ms        ARGV[5]  why
  ARGV[6]  "parked" when no handler knows its kind, "unheard" when nobody outside took it, else ""

  Returns  {"delayed" | "plan_held" | "dead" | "cancelled" | "lost" | "missing"}; a repeat with the same token gets the first
           word
  Events   active -> delayed | held | dead, or active -> cancelled when a cancel was waiting
]]
local now = clock.of_routine(ARGV[1])
local id, token, wait, why, how = ARGV[2], ARGV[3], clock.given(ARGV[4]), ARGV[5], ARGV[6]

local j, word = job.held(now, id, token)
if not j then
  return { word }
end

local to, said, result, changes = "cancelled", why, "snoozed", { attempt = math.max(j.attempt - 1, 0) }
if not j.cancel_ms and how == "unheard" then
  result = how
  to, why = job.unheard(j, "delayed", why, changes)
  changes.last_error, said = why, why
elseif not j.cancel_ms then
  to, said = job.taken_back(j, "delayed", why, changes)
end
if to == "delayed" then changes.due_ms = now + wait end
if how == "parked" then
  changes.last_error = changes.last_error or why
  stats.count(j, "parked")
end
local answer = job.end_lease(now, j, to, said, result, why, changes)
job.finish(now)
return { answer }
