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
local now = clock.of_routine(ARGV[1])
local subject, by, why, op, most = ARGV[2], ARGV[3], ARGV[4], ARGV[5], tonumber(ARGV[6])

local answered = operation.answered_subject(subject, op)
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

local load = job.standing_loader()
local ids, jobs = redis.call("ZRANGE", job.subject(subject), 0, 0, "BYSCORE"), {}
record.fetch(ids)
for _, id in ipairs(ids) do
  local j = load(id)
  if j and LIVE[j.state] and j.subject == subject then
    job.check(now, j)
    jobs[#jobs + 1] = j
  end
end
table.sort(jobs, function(a, b)
  if a.due_ms ~= b.due_ms then return a.due_ms < b.due_ms end
  return a.id < b.id
end)

local reply, more = { "cancelled" }, { op = op }
for index, j in ipairs(jobs) do
  local from = j.state
  local outcome, changed = cancel.one(now, j, by, why)
  more.queue = j.queue
  if changed then operation.link(now, by, "cancel", j.id, why, outcome, from, j.state, more) end
  local standing = job.standing(outcome, j, now)
  table.insert(standing, 1, j.queue)
  reply[index + 1] = standing
end
operation.keep_head()
job.finish(now)
return operation.answer_subject(subject, op, reply)
