--[[
  Calls a job off. A waiting job is cancelled at once; an active one is marked,
  and its worker learns of it at the next heartbeat.

  KEYS[1]  namespace prefix, "reprieve:{ns}:"
  ARGV[1]  now in ms, or "" for the server's clock
  ARGV[2]  job id
  ARGV[3]  expected version, or "" for any
  ARGV[4]  actor             ARGV[5]  reason
  ARGV[6]  operation id, or ""

  Returns  {"cancelled" | "requested" | "final" | "conflict", id, state, version, due, started, ended, worker, now}
           {"missing"}
  Events   delayed | held | ready | retrying -> cancelled, active -> active
]]
local now = clock.now(ARGV[1])
local id, seen, by, why, op = ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]

local j, reply = operation.begin(now, "cancel", id, seen, op)
if not j then
  return reply
end
local from = j.state
local outcome, changed = cancel.one(now, j, by, why)
if not changed then
  return operation.answer("cancel", id, op, job.standing(outcome, j, now))
end
return operation.done(now, j, "cancel", by, why, op, outcome, from)
