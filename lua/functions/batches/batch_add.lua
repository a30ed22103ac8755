--[[
  Adds jobs to an open batch. Jobs that are there already, in this batch or anywhere, are not counted again.

  ARGV[2]  actor
  ARGV[3]  batch id
  ARGV[4]  "close", or "" when more jobs are to come
  ARGV[5…] the values of each job, see `core/intake.lua`

  Returns  {"added" | "wrong_state" (it is closed, and a job is new), batch id, closed since or "", total, live, done, dead,
           cancelled, now, {what became of a job, as `enqueue` says it} …}
           {"missing"}    {"full", most jobs}
  Events   - -> delayed | ready; when it closes and none is live, held -> ready for the job that completes it
]]
local now = clock.now(ARGV[1])
local actor, id, closes = ARGV[2], ARGV[3], ARGV[4] == "close"
local FIRST = 5

local b = batch.read(id)
if not b then
  return { "missing" }
end
local jobs, instead = batch.gather(now, ARGV, FIRST, actor, id, b)
if not jobs then
  return instead
end

local reply = batch.head("added", id, now)
batch.take(now, id, jobs, reply)
if closes and not b.closed_ms then batch.close(now, id, actor) end
job.finish(now)
return batch.tell("added", id, now, reply)
