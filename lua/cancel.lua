--[[
  Calls jobs off, each for itself: one, or those of callers who came at the same
  time. A waiting job is cancelled at once; an active one is marked, and its
  worker learns of it at the next heartbeat.

  KEYS[1]  namespace prefix, "reprieve:{ns}:"
  ARGV[1]  now in ms, or "" for the server's clock
  ARGV[2…] for each job, none twice: its id; expected version, or "" for any; actor; reason; operation id, or ""

  Returns  one reply a job, in order:
           {"cancelled" | "requested" | "already_finished" | "conflict", id, state, version, due, started, ended, worker, now}
           {"missing"}
  Events   delayed | held | ready | retrying -> cancelled, active -> active
]]
local VALUES = 5

-- Each call:
local now = clock.now(ARGV[1])

local ids, jobs, replies = {}, {}, {}
for at = 2, #ARGV, VALUES do ids[#ids + 1] = ARGV[at] end
record.fetch(ids)
for index = 1, #ids do
  local at = 2 + (index - 1) * VALUES
  local j, reply = operation.begin(now, "cancel", ids[index], ARGV[at + 1], ARGV[at + 4])
  jobs[index], replies[index] = j or false, reply
end

for index, j in ipairs(jobs) do
  if j then
    local at = 2 + (index - 1) * VALUES
    local by, why, op, from = ARGV[at + 2], ARGV[at + 3], ARGV[at + 4], j.state
    local outcome, changed = cancel.one(now, j, by, why)
    if changed then
      operation.audit(now, by, "cancel", j.id, why, outcome, from, j.state, operation.more(j, op))
    end
    replies[index] = operation.answer("cancel", j.id, op, job.standing(outcome, j, now))
  end
end
job.finish(now)
return replies
