--[[
  Calls off every live job of a subject in one step.

  ARGV[2]  subject
  ARGV[3]  actor             ARGV[4]  reason
  ARGV[5]  operation id, or ""
  ARGV[6]  most jobs to touch

  Returns  {"cancelled", job …}; a job as cancel.lua tells it, behind its queue, in a list or in one text
           {"too_many", live}: nothing changed
  Events   as cancel.lua, one a job
]]
local now = clock.of_routine(ARGV[1])
local subject, by, why, op, most = ARGV[2], ARGV[3], ARGV[4], ARGV[5], tonumber(ARGV[6])

local answered = operation.answered_subject("cancel_subject", subject, op)
if answered then
  return answered
end
job.expect(job.subject(subject), "zset")
job.expect(P .. "audit", "stream", true)
job.expect(operation.of_subject(subject), "list")
local live = redis.call("ZCOUNT", job.subject(subject), 0, 0)
if live > most then
  return { "too_many", live }
end

-- What waits is called off as it is read; what runs is asked to stop when all else has been checked.
local ids = redis.call("ZRANGE", job.subject(subject), 0, 0, "BYSCORE")
local texts, keys = record.read(ids)
local load, reply, off, running = job.standing_loader(), { "cancelled" }, {}, {}
for index, id in ipairs(ids) do
  local from, queue, told = cancel.read(now, id, "", by, why, false, texts[index], keys[index], subject)
  if from then
    local count = #off
    off[count + 1], off[count + 2], off[count + 3] = id, from, queue
    if type(told) == "string" then told = queue .. " " .. told else table.insert(told, 1, queue) end
    reply[#reply + 1] = told
  else
    local j = load(id)
    if j and j.state == "active" and j.subject == subject then
      job.check(now, j)
      running[#running + 1] = j
    end
  end
end

cancel.give_back()
local more = { op = op }
for index = 1, #off, 3 do
  more.queue = off[index + 2]
  audit.note(now, by, "cancel", off[index], why, "cancelled", off[index + 1], "cancelled", more)
end
for _, j in ipairs(running) do
  local outcome, changed = cancel.one(now, j, by, why)
  more.queue = j.queue
  if changed then audit.note(now, by, "cancel", j.id, why, outcome, "active", j.state, more) end
  local standing = job.standing(outcome, j, now)
  table.insert(standing, 1, j.queue)
  reply[#reply + 1] = standing
end
audit.write()
job.finish(now)
return operation.answer_subject("cancel_subject", subject, op, reply)
