--[[
  Batches: jobs that are counted together, and one job that runs when all of them have ended.

  batch:<id>          hash, as below
  batch_jobs:<id>     sorted set of its jobs that are not done: live ones with score 0, dead and cancelled ones by when
                      they ended
  batches             sorted set of the batches by when they were made

    id, name, rule      "ended": the completion runs whatever became of the jobs; "done": only if all were done
    completion          the id of the job that completes it; held until then
    created_ms, created_by
    closed_ms           since when no job can be added; without it the batch does not end
    told_under          the operation that calls it off in steps and is in the audit, until it has come to its end
    total               how many jobs were added
    done, dead, cancelled    how many of them have ended so at present
    kept                how many of its jobs are there, the completion included; the record goes with the last

  How jobs end is counted by `constraints.lua`, in the script that moves them.
]]
local batch = {}
do

-- Its live jobs stand in one set, 100 bytes each; people who need more make several.
local BATCH_JOBS_MAX = 100000
local BATCH_HEAD = { "closed_ms", "total", "done", "dead", "cancelled", "completion" }

--- Makes sure that the keys of a batch are what they should be.
function batch.check(id)
  job.expect(job.constraints().batch(id), "hash")
  job.expect(job.constraints().batch_jobs(id), "zset")
  job.expect(P .. "batches", "zset")
end

--- The record, or nil.
function batch.read(id)
  batch.check(id)
  local found = redis.call("HMGET", job.constraints().batch(id), unpack(BATCH_HEAD))
  if not (found[6] and number(found[2])) then
    return nil
  end
  return { id = id, closed_ms = number(found[1]), total = number(found[2]), completion = found[6] }
end

--- The batch to close; or nil and what to reply instead: that there is none, or the first answer of a repeated operation.
--- None is opened again, so that one that is open is another. One that was closed at another time is another as well: the
--- one that was meant is gone.
function batch.target(verb, id, op)
  local b = batch.read(id)
  local answer = operation.answered(verb, id, op)
  if b and (not answer or not b.closed_ms) then
    return b
  end
  if not answer or b and number(answer[3]) ~= b.closed_ms then
    return nil, { "missing" }
  end
  return nil, answer
end

--- The head of every reply about a batch: word, id, closed since or "", total, live, done, dead, cancelled, now.
function batch.head(word, id, now)
  local found = redis.call("HMGET", job.constraints().batch(id), unpack(BATCH_HEAD))
  local live = redis.call("ZCOUNT", job.constraints().batch_jobs(id), 0, 0)
  return { word, id, found[1] or "", found[2] or 0, live, found[3] or 0, found[4] or 0, found[5] or 0, now }
end

--- Reads and checks the jobs whose values begin there; or nil and what to reply instead. `b` is the record that is
--- there, if any. A closed one refuses jobs that are not there; where it `is_made_again`, these are left out.
function batch.gather(now, values, first, actor, id, b, is_made_again)
  local jobs, ids, strangers = {}, {}, 0
  for place = first, #values, intake.VALUES do
    local new = intake.read(now, values, place, actor)
    table.insert(jobs, new)
    table.insert(ids, new.id)
  end
  local present = record.present(ids)
  for _, job_id in ipairs(ids) do
    if not present[job_id] then strangers = strangers + 1 end
  end
  if b and b.closed_ms and strangers > 0 then
    if not is_made_again then
      return nil, batch.head("wrong_state", id, now)
    end
    local there = {}
    for _, new in ipairs(jobs) do
      if present[new.id] then table.insert(there, new) end
    end
    jobs, strangers = there, 0
  end
  if (b and b.total or 0) + strangers > BATCH_JOBS_MAX then
    return nil, { "full", BATCH_JOBS_MAX }
  end
  intake.check(now, jobs)
  return jobs
end

--- Takes jobs in and counts those that are new; adds what became of each to the reply.
function batch.take(now, id, jobs, reply)
  local placed, added = {}, 0
  for _, new in ipairs(jobs) do
    local told = intake.take(now, new)
    if told[1] == "delayed" or told[1] == "ready" then
      added = added + 1
      table.insert(placed, "0")
      table.insert(placed, new.id)
    end
    table.insert(reply, told)
  end
  if added > 0 then
    redis.call("HINCRBY", job.constraints().batch(id), "total", added)
    redis.call("HINCRBY", job.constraints().batch(id), "kept", added)
    redis.call("ZADD", job.constraints().batch_jobs(id), unpack(placed))
  end
end

--- Closes a batch; it ends with the last of its jobs, or in this script when none is live.
function batch.close(now, id, by)
  redis.call("HSET", job.constraints().batch(id), "closed_ms", int(now), "closed_by", by)
  job.constraints().note_batch(id)
end

--- Replaces the head of a reply by the one that is true now.
function batch.tell(word, id, now, reply)
  for index, value in ipairs(batch.head(word, id, now)) do reply[index] = value end
  return reply
end
end
