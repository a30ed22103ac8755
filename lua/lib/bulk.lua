--[[
  Bulk runs: one verb on many jobs, frozen first, carried out in steps, each
  job with exactly one outcome.

  bulk                    sorted set of runs by when they were made
  bulk_running            set of runs that steps are to be taken of
  bulk:<run>              hash: what, who, why, state and sums
  bulk:<run>:todo         sorted set: jobs still to come, scored by the version they were frozen at
  bulk:<run>:outcomes     list: "<id> <word> <state before> <version after>" a job, in the order they were reached
  bulk:<run>:split        hash: how many jobs by state:<state>, queue:<queue>, kind:<kind>
  bulk:<run>:undoable     sorted set: jobs this run called off, scored by the version it left
  bulk:<run>:watched      sorted set: jobs a drip has retried and that have not ended yet
]]
local bulk = {}

-- A snapshot nobody has started is forgotten after this: 10 minutes; the jobs have moved on by then.
bulk.FROZEN_KEPT_MS = 600000
-- One that is being made may take that long: a million jobs looked at, at 500 a call.
bulk.COLLECTING_KEPT_MS = 3600000
-- What became of each job is told for a month.
bulk.ENDED_KEPT_MS = 2592000000
-- A running one is forgotten when nobody took a step of it for as long.
bulk.RUNNING_KEPT_MS = 2592000000

function bulk.key(run) return P .. "bulk:" .. run end
function bulk.todo(run) return P .. "bulk:" .. run .. ":todo" end
function bulk.outcomes(run) return P .. "bulk:" .. run .. ":outcomes" end
function bulk.split(run) return P .. "bulk:" .. run .. ":split" end
function bulk.undoable(run) return P .. "bulk:" .. run .. ":undoable" end
function bulk.watched(run) return P .. "bulk:" .. run .. ":watched" end

--- The run's hash as a table of texts, or nil.
function bulk.load(run)
  job.expect(bulk.key(run), "hash")
  local flat = redis.call("HGETALL", bulk.key(run))
  if #flat == 0 then
    return nil
  end
  local fields = {}
  for index = 1, #flat, 2 do fields[flat[index]] = flat[index + 1] end
  return fields
end

--- Fails, before anything is written, when a key of the run is not what it should be.
function bulk.check(run)
  job.expect(P .. "bulk", "zset")
  job.expect(P .. "bulk_running", "set")
  job.expect(P .. "audit", "stream")
  job.expect(P .. "meta", "hash")
  job.expect(bulk.todo(run), "zset")
  job.expect(bulk.outcomes(run), "list")
  job.expect(bulk.split(run), "hash")
  job.expect(bulk.undoable(run), "zset")
  job.expect(bulk.watched(run), "zset")
end

--- Lets all there is of a run be forgotten that long after now.
function bulk.keep_for(run, ms)
  for _, key in ipairs({
    bulk.key(run), bulk.todo(run), bulk.outcomes(run), bulk.split(run), bulk.undoable(run), bulk.watched(run),
  }) do
    redis.call("PEXPIRE", key, ms)
  end
end

--- A number of the run's hash; 0 when it is not there.
function bulk.number(fields, name) return number(fields[name]) or 0 end

--- Ends a run, or stops it for now, and writes that down.
function bulk.close(now, run, fields, state, by, why)
  redis.call("HSET", bulk.key(run), "state", state, "ended_ms", now, "ended_by", by, "ended_why", why)
  redis.call("SREM", P .. "bulk_running", run)
  bulk.keep_for(run, bulk.ENDED_KEPT_MS)
  operation.audit(now, by, "bulk_" .. fields.verb, run, why, state, fields.state, state)
end
