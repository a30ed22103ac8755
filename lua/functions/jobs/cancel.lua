--[[
  Calls jobs off, each for itself: one, or those of callers who came at the same
  time. A waiting job is cancelled at once; an active one is marked, and its
  worker learns of it at the next heartbeat.

  ARGV[2…] for each job, none twice: its id; expected version, or "" for any; actor; reason; operation id, or ""

  Returns  one reply a job, in order:
           {"cancelled" | "requested" | "already_finished" | "conflict", id, state, version, due, started, ended, worker, now}
           {"missing"}
  Events   delayed | held | ready | retrying -> cancelled, active -> active
]]
local VALUES = 5

-- Each call:
local now = clock.of_routine(ARGV[1])

local ids, jobs, replies, from, queues = {}, {}, {}, {}, {}
for at = 2, #ARGV, VALUES do ids[#ids + 1] = ARGV[at] end
local texts, keys = record.read(ids)
job.expect(P .. "audit", "stream", true)
for index = 1, #ids do
  local at, id = 2 + (index - 1) * VALUES, ids[index]
  local seen, by, why, op = ARGV[at + 1], ARGV[at + 2], ARGV[at + 3], ARGV[at + 4]
  local reply = operation.repeated(now, "cancel", id, op)
  if not reply then
    from[index], queues[index], reply = cancel.read(now, id, seen, by, why, op ~= "", texts[index], keys[index])
  end
  if not reply then jobs[index], reply = operation.target(now, id, seen) end
  replies[index] = reply or false
end

cancel.give_back()
local more = {}
for index = 1, #ids do
  local at, id, j = 2 + (index - 1) * VALUES, ids[index], jobs[index]
  local by, why, op = ARGV[at + 2], ARGV[at + 3], ARGV[at + 4]
  local outcome, changed, before, to = "cancelled", from[index] ~= nil, from[index], "cancelled"
  if j then
    before = j.state
    outcome, changed = cancel.one(now, j, by, why)
    to, replies[index], queues[index] = j.state, job.standing(outcome, j, now), j.queue
  end
  if changed then
    more.queue, more.op = queues[index], op
    audit.note(now, by, "cancel", id, why, outcome, before, to, more)
  end
  if j or from[index] then operation.answer("cancel", id, op, replies[index]) end
end
audit.write()
job.finish(now)
return replies
