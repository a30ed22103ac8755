--[[
  Closes a batch and calls off some of its live jobs; the caller goes on until none is left to look at.

  KEYS[1]  namespace prefix, "reprieve:{ns}:"
  ARGV[1]  now in ms, or "" for the server's clock
  ARGV[2]  batch id          ARGV[3]  actor            ARGV[4]  reason
  ARGV[5]  how many live jobs to pass over: those that run and have been asked already
  ARGV[6]  most jobs to call off

  Returns  {"cancelled", batch id, closed since, total, live, done, dead, cancelled, now, how many were looked at, how
           many of them stay live because they run, {"cancelled" | "requested", id, state, version, due, …} …}
           {"missing"}
  Events   as cancel.lua, one a job; then as batch_close.lua
]]
local now = clock.now(ARGV[1])
local id, by, why, passed, most = ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6])

local b = batch.read(id)
if not b then
  return { "missing" }
end
job.expect(P .. "audit", "stream")
local ids = redis.call("ZRANGE", job.terms().batch_jobs(id), 0, 0, "BYSCORE", "LIMIT", passed, most)
local load = job.standing_loader()
local live = {}
for _, member in ipairs(ids) do
  local j = load(member)
  if j then
    job.check(now, j)
    table.insert(live, j)
  end
end

if not b.closed_ms then
  batch.close(now, id, by)
  operation.audit(now, by, "batch_cancel", id, why, "closed", "", "")
end
-- A job without a sound record cannot be called off; it is passed over like one that runs.
local stay, told = #ids - #live, {}
for _, j in ipairs(live) do
  local word = cancel.one(now, j, by, why)
  if word == "requested" then stay = stay + 1 end
  if word ~= "final" then table.insert(told, job.standing(word, j, now)) end
end
job.finish(now)
local reply = batch.head("cancelled", id, now)
table.insert(reply, #ids)
table.insert(reply, stay)
for _, one in ipairs(told) do table.insert(reply, one) end
return reply
