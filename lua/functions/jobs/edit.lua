--[[
  Gives a job that is not under way another payload.

  ARGV[2]  job id
  ARGV[3]  expected version, or "" for any
  ARGV[4]  actor             ARGV[5]  reason
  ARGV[6]  operation id, or ""
  ARGV[7]  payload
  ARGV[8]  which parts of the payload that changes, for the audit and the history: names and no values
  ARGV[9]  version of the job that was compared, or "" where none was

  Returns  {"delayed" | "held" | "retrying" | "dead" | "wrong_state" | "conflict", id, state, version, due, …}
           {"missing"}
  Events   <state> -> <state>
]]
local now = clock.now(ARGV[1])
local id, seen, by, why, op, payload = ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7]
local changed, compared = ARGV[8] or "", tonumber(ARGV[9])
local EDITABLE = { delayed = true, held = true, retrying = true, dead = true }

local j, reply = operation.begin(now, "edit", id, seen, op)
if not j then
  return reply
end
if not EDITABLE[j.state] then
  return job.standing("wrong_state", j, now)
end

if record.is_long(payload) then job.expect(record.long_key(id), "hash") end
-- What was found of another version may be wrong of this one.
local is_told = changed ~= "" and compared == j.version
job.move(now, j, j.state, by, why, { payload = payload }, is_told and changed or nil)
return operation.done(now, j, "edit", by, why, op, j.state, is_told and "" or j.state, is_told and changed or j.state)
