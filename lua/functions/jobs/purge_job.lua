--[[
  Removes one ended job for a person, before its retention is over, with everything that belongs to it.

  ARGV[2]  job id            ARGV[3]  expected version, or "" for any
  ARGV[4]  actor             ARGV[5]  reason            ARGV[6]  operation id, or ""

  Returns  {"purged" | "wrong_state" | "conflict", id, state, version, due, …}    {"missing"}
  Events   done | dead | cancelled -> -
]]
local now = clock.now(ARGV[1])
local id, seen, by, why, op = ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]

local j, reply = operation.begin(now, "purge", id, seen, op)
if not j then
  return reply
end
if not ENDED[j.state] then
  return job.standing("wrong_state", j, now)
end
receipt.write(now, j)
job.purge(now, j, by)
return operation.done(now, j, "purge", by, why, op, "purged", j.state)
