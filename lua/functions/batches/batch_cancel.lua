--[[
  Closes a batch and calls off some of its live jobs; the caller goes on until none is left to look at.

  ARGV[2]  batch id          ARGV[3]  actor            ARGV[4]  reason
  ARGV[5]  id of the last job that was looked at, or "" to begin: those that run stay where they are
  ARGV[6]  most jobs to call off
  ARGV[7]  operation id, or ""
  ARGV[8]  "1" when the audit has the call already, by an earlier step, else ""

  Returns  {"cancelled", batch id, closed since, total, live, done, dead, cancelled, now, how many were looked at, the
           id of the last of them, 1 when the audit has the call, else 0,
           {"cancelled" | "requested", id, state, version, due, …} …}; a repeat of an operation that came to its end gets
           what was told last, without the jobs
           {"missing"}
  Events   as cancel.lua, one a job; then as batch_close.lua
]]
local now = clock.now(ARGV[1])
local id, by, why, last, most = ARGV[2], ARGV[3], ARGV[4], ARGV[5], tonumber(ARGV[6])
local op, written = ARGV[7], ARGV[8] == "1"

local b, instead = batch.target("batch_cancel", id, op)
if not b then
  return instead
end
job.expect(P .. "audit", "stream", true)
-- Behind that id, and not behind so many: one of those passed that ends meanwhile would move up the others. The live ones
-- come first.
local jobs_key = job.constraints().batch_jobs(id)
local first = last ~= "" and keyset.rank(jobs_key, 0, last, true) or 0
local behind = math.min(first + most, redis.call("ZCOUNT", jobs_key, 0, 0))
local ids = first < behind and redis.call("ZRANGE", jobs_key, first, behind - 1) or {}
local load = job.standing_loader()
local live = {}
for _, member in ipairs(ids) do
  local j = load(member)
  if j then
    job.check(now, j)
    table.insert(live, j)
  end
end

local outcome = "cancelled"
local changes = not b.closed_ms
if changes then
  batch.close(now, id, by)
  outcome = "closed"
end
-- A job without a sound record cannot be called off; it is passed over like one that runs.
local told = {}
for _, j in ipairs(live) do
  local word, changed = cancel.one(now, j, by, why)
  changes = changes or changed
  if word ~= "already_finished" then table.insert(told, job.standing(word, j, now)) end
end
-- One entry for all of it. Its jobs may be of any queue. Cut off behind it, a repeat of the operation finds a mark.
local record_key = job.constraints().batch(id)
local marked = op ~= "" and redis.call("HGET", record_key, "told_under") == op
written = written or marked
if changes and not written then
  audit.add(now, by, "batch_cancel", id, why, outcome, "", "", { op = op })
  written = true
end
local is_over = #ids < most
if marked and is_over then
  redis.call("HDEL", record_key, "told_under")
elseif op ~= "" and written and not marked and not is_over then
  redis.call("HSET", record_key, "told_under", op)
end
job.finish(now)
local reply = batch.head("cancelled", id, now)
table.insert(reply, #ids)
table.insert(reply, ids[#ids] or last)
table.insert(reply, written and 1 or 0)
if is_over then operation.answer("batch_cancel", id, op, reply) end
for _, one in ipairs(told) do table.insert(reply, one) end
return reply
