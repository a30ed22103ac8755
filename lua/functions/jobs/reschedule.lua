--[[
  Gives a waiting job another due time. A time in the past makes it due at once.

  ARGV[2]  job id
  ARGV[3]  expected version, or "" for any
  ARGV[4]  actor             ARGV[5]  reason
  ARGV[6]  operation id, or ""
  ARGV[7]  new due time in ms, or "+<ms>" from now

  Returns  {"delayed" | "held" | "retrying" | "wrong_state" | "conflict", id, state, version, due, …}    {"missing"}
  Events   delayed -> delayed, held -> held, retrying -> retrying
]]
local now = clock.now(ARGV[1])
local id, seen, by, why, op, due = ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7]
local due_ms = due:sub(1, 1) == "+" and now + tonumber(due:sub(2)) or tonumber(due)

local j, reply = operation.begin(now, "reschedule", id, seen, op)
if not j then
  return reply
end
if j.state ~= "delayed" and j.state ~= "held" and j.state ~= "retrying" then
  return job.standing("wrong_state", j, now)
end

job.move(now, j, j.state, by, why, { due_ms = due_ms })
return operation.done(now, j, "reschedule", by, why, op, j.state, j.state)
