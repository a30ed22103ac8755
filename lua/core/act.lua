--[[
  What a person can do to one job, by itself or as one of a bulk run. Each act takes a job that was read and checked. It
  answers with a word, and whether that changed the job; with "duplicate" comes the job that holds the unique key.
]]
local act = {}
do

-- For how long a job without a time of its own takes its unique key back.
local DAY_MS = 86400000

-- Moves a job that has ended to where it lives again, with its unique key.
local function revive(now, j, to, by, why, changes)
  local key = j.unique_key ~= "" and job.unique(j.unique_key)
  local holder = key and redis.call("GET", key)
  if holder and holder ~= j.id then return "duplicate", false, holder end
  if job.subject_is_full(j) then return "subject_full", false end
  job.move(now, j, to, by, why, changes)
  if key then redis.call("SET", key, j.id, "PX", j.unique_ttl_ms or DAY_MS) end
  return to, true
end

-- Changes with which a person takes a job out of its gate, and out of the hold of its plan.
local function by_itself(changes)
  changes.gated, changes.plan_held_ms = false, false
  return changes
end

--- Undoes a cancel. A job whose due time has passed needs a new one, unless it waits for others still; in a run those may
--- be put back only after it.
function act.reinstate(now, j, by, why, due_ms, in_run)
  if j.state ~= "cancelled" then return "wrong_state", false end
  local to, changes, waited = cancel.way_back(j)
  changes.due_ms = due_ms or changes.due_ms
  if to == "delayed" and not due_ms and (changes.due_ms or j.due_ms) <= now then
    local waits = waited and (job.constraints().still_waits(j) or in_run and not job.constraints().is_free(j))
    if not waits then return "overdue", false end
  end
  return revive(now, j, to, by, why, changes)
end

function act.retry_now(now, j, by, why)
  if j.state == "ready" or j.state == "active" or j.state == "done" then return "wrong_state", false end
  local changes = by_itself({
    due_ms = now, stalls = false, unheard = false, taken_back = false, cancelled_from = false,
  })
  if j.max_attempts and j.attempt >= j.max_attempts then changes.max_attempts = j.attempt + 1 end
  if ENDED[j.state] then return revive(now, j, "ready", by, why, changes) end
  job.move(now, j, "ready", by, why, changes)
  return "ready", true
end

function act.reschedule(now, j, by, why, due_ms)
  if j.state ~= "delayed" and j.state ~= "held" and j.state ~= "retrying" then return "wrong_state", false end
  job.move(now, j, j.state, by, why, { due_ms = due_ms })
  return j.state, true
end

local function shift(now, j, from, to, by, why, changes)
  if j.state ~= from then return "wrong_state", false end
  job.move(now, j, to, by, why, changes or by_itself({}))
  return to, true
end

--- `changes` are those of a run, in place of leaving its gate and the hold of its plan.
function act.hold(now, j, by, why, changes) return shift(now, j, "delayed", "held", by, why, changes) end
function act.unhold(now, j, by, why, changes) return shift(now, j, "held", "delayed", by, why, changes) end

function act.purge(now, j, by)
  if not ENDED[j.state] then return "wrong_state", false end
  receipt.write(now, j)
  job.purge(now, j, by)
  return "purged", true
end

--- The whole of a verb on one job. `args` begin with the time, its id, the version that was seen, actor, reason and
--- operation id. `more` goes to the act.
function act.alone(verb, does, args, more)
  local now = clock.now(args[1])
  local id, seen, by, why, op = args[2], args[3], args[4], args[5], args[6]
  local j, reply = operation.begin(now, verb, id, seen, op)
  if not j then return reply end
  local from = j.state
  local word, is_changed, holder = does(now, j, by, why, more and more(now))
  if is_changed then return operation.done(now, j, verb, by, why, op, word, from) end
  if word == "duplicate" then return { word, holder } end
  return word == "subject_full" and { word } or job.standing(word, j, now)
end
end
