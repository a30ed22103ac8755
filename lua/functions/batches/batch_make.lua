--[[
  Makes a batch: the job that completes it, held until then, and the first of its jobs. A batch that is there gets the
  jobs it does not have yet, so that a call that was cut off can be repeated; once it is closed it gets none, and what
  did not get in or is gone by now is not told of.

  ARGV[2]  actor
  ARGV[3]  batch id          ARGV[4]  name, or ""       ARGV[5]  rule: "ended" | "done"
  ARGV[6]  "close", or "" when more jobs are to come
  ARGV[7…] the values of the job that completes it, then those of its jobs, see `core/intake.lua`

  Returns  {"made" | "exists", batch id, closed since or "", total, live, done, dead, cancelled, now,
           {what became of a job, as `enqueue` says it} …}
           {"taken", job id}    {"subject_full", job id}    {"full", most jobs}
  Events   - -> delayed | ready a job; - -> delayed -> held for the one that completes it, -> ready when none is live
]]
local now = clock.now(ARGV[1])
local actor, id, name, rule, closes = ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6] == "close"
local COMPLETION = 7

local there = batch.read(id)
local jobs, instead = batch.gather(now, ARGV, COMPLETION + intake.VALUES, actor, id, there, true)
if not jobs then
  return instead
end
local completion = intake.read(now, ARGV, COMPLETION, actor)
if not there then
  if redis.call("EXISTS", record.key(completion.id)) == 1 then
    return { "taken", completion.id }
  end
  intake.check(now, { completion })
  job.check(now, completion)
end

if not there then
  completion.to = "delayed"
  local told = intake.take(now, completion)
  -- Its subject is full: nothing was written.
  if told[1] ~= "delayed" then
    return { told[1], completion.id }
  end
  job.move(now, record.load(completion.id), "held", "gate", "waits for its batch", { gated = "wait" })
  redis.call("HSET", job.constraints().batch(id), "id", id, "name", name, "rule", rule, "completion", completion.id,
    "created_ms", int(now), "created_by", actor, "total", "0", "kept", "1")
  redis.call("ZADD", P .. "batches", now, id)
end
local reply = batch.head("made", id, now)
batch.take(now, id, jobs, reply)
if closes and not (there and there.closed_ms) then batch.close(now, id, actor) end
job.finish(now)
return batch.tell(there and "exists" or "made", id, now, reply)
