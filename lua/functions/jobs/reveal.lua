--[[
  Writes down that somebody gets to see one hidden part of a job's payload. The caller has found the part in that
  version of the job, and shows it only once this has answered: nobody looks without an entry that says so.

  ARGV[2]  job id            ARGV[3]  version the part was found in, or "" for any
  ARGV[4]  actor             ARGV[5]  reason
  ARGV[6]  which part: a JSON pointer, "" for the whole payload

  Returns  {"revealed" | "conflict", id, state, version, due, …}    {"missing"}
  Events   none: the job does not change
]]
local now = clock.now(ARGV[1])
local id, seen, by, why, part = ARGV[2], ARGV[3], ARGV[4], ARGV[5], assert(ARGV[6], "no part")

local j, reply = operation.target(now, id, seen)
if not j then
  return reply
end
job.expect(P .. "meta", "hash")
audit.add(now, by, "reveal", id, why, "revealed", "", part, { queue = j.queue })
clock.keep()
return job.standing("revealed", j, now)
