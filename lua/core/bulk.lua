--[[
  Bulk runs: one verb on many jobs, frozen first, carried out in steps, each
  job with exactly one outcome.

  bulk                    sorted set of runs by when they were made
  bulk_running            set of runs that steps are to be taken of
  bulk_waiting            sorted set of runs that wait for a second person, by when they are forgotten
  bulk:<run>              hash: what, who, why, state and sums
  bulk:<run>:todo         sorted set: jobs still to come, scored by the version they were frozen at
  bulk:<run>:outcomes     list: "<id> <word> <state before> <version after>" a job, in the order they were reached
  bulk:<run>:split        hash: how many jobs by state:<state>, queue:<queue>, kind:<kind>
  bulk:<run>:subjects     sorted set: the subjects of its jobs, scored by how many are about each; gone once it is started or aborted
  bulk:<run>:undoable     sorted set: jobs this run changed and an undo would change back, scored by the version it left
  bulk:<run>:dues_before  hash: the due times in ms that it took from the jobs it rescheduled
  bulk:<run>:dues         hash: the due times in ms that it gives them, where it undoes another
  bulk:<run>:watched      sorted set: jobs a drip has retried and that have not ended yet
]]
local bulk = {}
do

--- The verb that changes back what each verb did.
bulk.UNDONE_BY = { cancel = "reinstate", reinstate = "cancel", hold = "unhold", unhold = "hold", reschedule = "reschedule" }

-- A snapshot nobody has started is forgotten after this: 10 minutes; the jobs have moved on by then.
bulk.FROZEN_KEPT_MS = 600000
-- One that waits for a second person is forgotten after a day: they may be asleep, and the jobs stay as they are.
bulk.WAITING_KEPT_MS = 86400000
-- One that is being made may take that long: a million jobs looked at, at 500 a call.
bulk.COLLECTING_KEPT_MS = 3600000
-- A running one is forgotten when nobody took a step of it for as long.
bulk.RUNNING_KEPT_MS = 2592000000

function bulk.key(run) return P .. "bulk:" .. run end
function bulk.todo(run) return P .. "bulk:" .. run .. ":todo" end
function bulk.outcomes(run) return P .. "bulk:" .. run .. ":outcomes" end
function bulk.split(run) return P .. "bulk:" .. run .. ":split" end
function bulk.subjects(run) return P .. "bulk:" .. run .. ":subjects" end
function bulk.undoable(run) return P .. "bulk:" .. run .. ":undoable" end
function bulk.dues_before(run) return P .. "bulk:" .. run .. ":dues_before" end
function bulk.dues(run) return P .. "bulk:" .. run .. ":dues" end
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
  job.expect(P .. "bulk_waiting", "zset")
  audit.expect()
  job.expect(bulk.todo(run), "zset")
  job.expect(bulk.outcomes(run), "list")
  job.expect(bulk.split(run), "hash")
  job.expect(bulk.subjects(run), "zset")
  job.expect(bulk.undoable(run), "zset")
  job.expect(bulk.dues_before(run), "hash")
  job.expect(bulk.dues(run), "hash")
  job.expect(bulk.watched(run), "zset")
end

-- All there is of a run but for its name in lists.
local function keys(run)
  return {
    bulk.key(run), bulk.todo(run), bulk.outcomes(run), bulk.split(run), bulk.subjects(run), bulk.undoable(run),
    bulk.dues_before(run), bulk.dues(run), bulk.watched(run),
  }
end

--- Lets all there is of a run be forgotten that long after now.
function bulk.keep_for(run, ms)
  for _, key in ipairs(keys(run)) do redis.call("PEXPIRE", key, ms) end
end

--- Forgets a run at once.
function bulk.forget(run)
  redis.call("ZREM", P .. "bulk", run)
  redis.call("SREM", P .. "bulk_running", run)
  redis.call("ZREM", P .. "bulk_waiting", run)
  redis.call("UNLINK", unpack(keys(run)))
end

--- The queues a run is bound to, as a set; nil where it is for all of them.
function bulk.only_in(fields)
  if (fields.only_in or "") == "" then return nil end
  local queues = {}
  for name in fields.only_in:gmatch("%S+") do queues[name] = true end
  return queues
end

--- A number of the run's hash; 0 when it is not there.
function bulk.number(fields, name) return number(fields[name]) or 0 end

--- Ends a run, or stops it for now, and writes that down. Whom it is about goes, also where it was never started.
function bulk.close(now, run, fields, state, by, why)
  redis.call("UNLINK", bulk.subjects(run))
  redis.call("HSET", bulk.key(run), "state", state, "ended_ms", now, "ended_by", by, "ended_why", why)
  redis.call("SREM", P .. "bulk_running", run)
  redis.call("ZREM", P .. "bulk_waiting", run)
  bulk.keep_for(run, constants.BULK_ENDED_KEPT_MS)
  audit.add(now, by, "bulk_" .. fields.verb, run, why, state, fields.state, state)
end

--- Gives the jobs that the undo of a run has not come to back to that run, if it is there still, as they were before
--- `bulk_undo`. The undo counts them as its own for as long as it is told of.
function bulk.give_back(undo, run)
  local jobs = redis.call("ZCARD", bulk.todo(undo))
  local kept_ms = redis.call("PTTL", bulk.key(run))
  if jobs == 0 or kept_ms <= 0 then return end
  -- Only one undo has the jobs at a time, and an ended run with a way back changes no more of them: nothing is there.
  redis.call("RENAME", bulk.todo(undo), bulk.undoable(run))
  redis.call("PEXPIRE", bulk.undoable(run), kept_ms)
  if redis.call("EXISTS", bulk.dues(undo)) == 1 then
    redis.call("RENAME", bulk.dues(undo), bulk.dues_before(run))
    redis.call("PEXPIRE", bulk.dues_before(run), kept_ms)
  end
  redis.call("HDEL", bulk.key(run), "undone_by")
  redis.call("HSET", bulk.key(undo), "given_back", jobs)
end

-- Jobs of one run: what it keeps of each is some 200 bytes.
bulk.TOTAL_MAX = 100000
-- Jobs looked at for one run: about half a minute of Redis, in pieces of two milliseconds.
bulk.LOOKED_AT_MAX = 1000000
-- As many as a shard takes all the same, where its share would be less: all jobs of a subject that its page shows are in one.
bulk.SHARE_MIN = 2000

-- This shard's share of a limit that all shards have together.
local function share(run_fields, most)
  return math.max(math.ceil(most / math.max(bulk.number(run_fields, "shards"), 1)), bulk.SHARE_MIN)
end

-- Names told apart in the split; the others are counted together. States always are, for there are few of them and rights
-- depend on them.
local SPLIT_MAX = 200

--- Takes jobs into a run that is being frozen: a list of {job, version}. Whether there was no room for all.
function bulk.gather(run, fields, list)
  local total = bulk.number(fields, "total")
  local counts, due_min, due_max = {}, number(fields.due_min_ms), number(fields.due_max_ms)
  local full, most = false, share(fields, bulk.TOTAL_MAX)
  for _, one in ipairs(list) do
    local j, version = one[1], one[2]
    if total >= most then
      full = true
      break
    end
    -- One that moved meanwhile, and is met again, counts once.
    if redis.call("ZADD", bulk.todo(run), version, j.id) == 1 then
      total = total + 1
      for _, part in ipairs({ "state:" .. j.state, "queue:" .. j.queue, "kind:" .. j.kind }) do
        counts[part] = (counts[part] or 0) + 1
      end
      if j.subject ~= "" then redis.call("ZADD", bulk.subjects(run), "INCR", 1, j.subject) end
      due_min = math.min(due_min or j.due_ms, j.due_ms)
      due_max = math.max(due_max or j.due_ms, j.due_ms)
    end
  end
  local known = redis.call("HLEN", bulk.split(run))
  for part, count in pairs(counts) do
    if known < SPLIT_MAX or part:find("^state:") or redis.call("HEXISTS", bulk.split(run), part) == 1 then
      known = known + redis.call("HSETNX", bulk.split(run), part, 0)
    else
      part = part:match("^%a+:") .. "*"
    end
    redis.call("HINCRBY", bulk.split(run), part, count)
  end
  redis.call("HSET", bulk.key(run), "total", total, "due_min_ms", due_min or "", "due_max_ms", due_max or "")
  return full
end

-- Ids that the audit names of those that were refused; it says how many more there are.
local REFUSED_NAMED_MAX = 20

--- Leaves jobs alone that were picked in queues the run is not for: an outcome each that says no more, and an entry in
--- the audit.
function bulk.refuse(now, run, fields, ids)
  if #ids == 0 then return end
  for _, id in ipairs(ids) do redis.call("RPUSH", bulk.outcomes(run), id .. " forbidden  ") end
  for _, sum in ipairs({ "total", "skipped", "word:forbidden" }) do
    redis.call("HINCRBY", bulk.key(run), sum, #ids)
  end
  local named = table.concat(ids, " ", 1, math.min(#ids, REFUSED_NAMED_MAX))
  if #ids > REFUSED_NAMED_MAX then named = named .. " and " .. int(#ids - REFUSED_NAMED_MAX) .. " more" end
  audit.add(now, fields.by, "bulk_" .. fields.verb, run, "in other queues: " .. named, "denied", "", "")
end

--- Ends a step of freezing: `ends` when all was looked at, `full` when there was no room. The state it has now.
function bulk.gathered(now, run, fields, looked, ends, full)
  looked = looked + bulk.number(fields, "looked_at")
  local cut = full or (not ends and looked >= share(fields, bulk.LOOKED_AT_MAX))
  local state = (ends or cut) and "frozen" or "collecting"
  redis.call("HSET", bulk.key(run), "state", state, "looked_at", looked, "cut", cut and "1" or "")
  if state == "frozen" then
    redis.call("HSET", bulk.key(run), "subjects", redis.call("ZCARD", bulk.subjects(run)))
    redis.call("HSET", bulk.key(run), "frozen_ms", now, "expires_ms", now + bulk.FROZEN_KEPT_MS)
    bulk.keep_for(run, bulk.FROZEN_KEPT_MS)
  else
    bulk.keep_for(run, bulk.COLLECTING_KEPT_MS)
  end
  return state
end
end
