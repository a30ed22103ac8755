--[[
  Calls off every live job of a subject in one step.

  KEYS[1]  namespace prefix, "reprieve:{ns}:"
  ARGV[1]  now in ms, or "" for the server's clock
  ARGV[2]  subject
  ARGV[3]  actor             ARGV[4]  reason
  ARGV[5]  operation id, or ""
  ARGV[6]  most jobs to touch

  Returns  {"cancelled", {queue, word, id, state, version, due, …} …} by due time, word as in cancel.lua
           {"too_many", live}: nothing changed
  Events   as cancel.lua, one a job
]]
local now = clock.now(ARGV[1])
local subject, by, why, op, most = ARGV[2], ARGV[3], ARGV[4], ARGV[5], tonumber(ARGV[6])

local answered = operation.answered_subject(subject, op)
if answered then
  return answered
end
job.expect(job.subject(subject), "zset")
job.expect(P .. "audit", "stream")
job.expect(operation.of_subject(subject), "list")
local live = redis.call("ZCOUNT", job.subject(subject), 0, 0)
if live > most then
  return { "too_many", live }
end

local load = job.standing_loader()
local jobs = {}
for _, id in ipairs(redis.call("ZRANGE", job.subject(subject), 0, 0, "BYSCORE")) do
  local j = load(id)
  if j and LIVE[j.state] and j.subject == subject then
    job.check(now, j)
    table.insert(jobs, j)
  end
end
table.sort(jobs, function(a, b)
  if a.due_ms ~= b.due_ms then return a.due_ms < b.due_ms end
  return a.id < b.id
end)

local reply = { "cancelled" }
for _, j in ipairs(jobs) do
  local from = j.state
  local outcome, changed = cancel.one(now, j, by, why)
  if changed then operation.audit(now, by, "cancel", j.id, why, outcome, from, j.state, operation.more(j, op)) end
  local standing = job.standing(outcome, j, now)
  table.insert(standing, 1, j.queue)
  table.insert(reply, standing)
end
job.finish(now)
return operation.answer_subject(subject, op, reply)
