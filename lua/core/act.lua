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

-- Whether a cancelled job needs a new due time: its own has passed, and it waits for no others. In a run those may be put
-- back only after it.
local function is_overdue(now, j, in_run)
  local to, changes, waited = cancel.way_back(j)
  if to ~= "delayed" or (changes.due_ms or j.due_ms) > now then return false end
  return not (waited and (job.constraints().still_waits(j) or in_run and not job.constraints().is_free(j)))
end

--- Undoes a cancel, at another due time where one is given.
function act.reinstate(now, j, by, why, due_ms, in_run)
  if j.state ~= "cancelled" then return "wrong_state", false end
  if not due_ms and is_overdue(now, j, in_run) then return "overdue", false end
  local to, changes = cancel.way_back(j)
  changes.due_ms = due_ms or changes.due_ms
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

-- The verbs on several jobs of a subject: which jobs a verb concerns, when a job's time would have passed, and what the verb
-- does to one job.
local TOGETHER = {
  cancel = { concerns = function() return true end, does = cancel.one },
  hold = { concerns = function(j) return j.state == "delayed" end, does = act.hold },
  unhold = {
    -- What waits for others is not held by a person.
    concerns = function(j) return j.state == "held" and j.gated == "" end,
    is_late = function(now, j) return j.due_ms <= now end,
    does = act.unhold,
  },
  reinstate = {
    concerns = function(j) return j.state == "cancelled" end,
    is_late = function(now, j) return is_overdue(now, j) end,
    does = act.reinstate,
    at_once = act.retry_now,
  },
  reschedule = {
    concerns = function(j) return j.state == "delayed" or j.state == "held" or j.state == "retrying" end,
    is_late = function(now, j, later_ms) return j.state ~= "held" and j.due_ms + later_ms <= now end,
    does = function(now, j, by, why, later_ms) return act.reschedule(now, j, by, why, j.due_ms + later_ms) end,
  },
}

-- Reads and checks the jobs that `args` name from `first` on, each with the version that was seen. Returns those that exist and
-- belong to the subject, and among them those whose time would have passed; nil if a job that the verb concerns has changed. A
-- cancel takes any version of a job, but never another job that has its id since. A job that is named twice counts once.
local function met(now, args, first, subject, verb, later_ms)
  local load, found, late, of_verb, is_met = job.standing_loader(), {}, {}, TOGETHER[verb], {}
  for index = first, #args, 2 do
    local j, seen = not is_met[args[index]] and load(args[index]), tonumber(args[index + 1])
    is_met[args[index]] = true
    if j and j.subject == subject and j.first <= seen then
      job.check(now, j)
      j.due_met, j.is_concerned = j.due_ms, of_verb.concerns(j)
      if j.is_concerned and verb ~= "cancel" and j.version ~= seen then return nil end
      j.is_late = j.is_concerned and of_verb.is_late and of_verb.is_late(now, j, later_ms)
      table.insert(found, j)
      if j.is_late then table.insert(late, j) end
    end
  end
  return found, late
end

local function told(now, j, word)
  local standing = job.standing(word, j, now)
  table.insert(standing, 1, j.queue)
  return standing
end

--- The whole of a verb on some jobs of a subject. `args` are those of `stop_jobs.lua` and `move_jobs.lua`.
function act.together(args)
  local now, subject, verb, by, why, op = clock.now(args[1]), args[2], args[3], args[4], args[5], args[6]
  local past, later_ms = args[7], tonumber(args[8])
  local answered = operation.answered_subject(verb, subject, op)
  if answered then
    return answered
  end
  expect(P .. "audit", "stream", true)
  expect(operation.of_subject(subject), "list")
  local found, late = met(now, args, 9, subject, verb, later_ms)
  if not found then
    return { "conflict", now }
  end
  local is_refused = #late > 0 and past == "refuse"
  local reply = { is_refused and "past" or "done", now }
  for _, j in ipairs(is_refused and late or found) do
    local word, of_verb = "stays", TOGETHER[verb]
    if j.is_late and past ~= "run" then
      word = "past"
    elseif j.is_concerned then
      local from, at_once = j.state, j.is_late and of_verb.at_once
      local is_changed
      word, is_changed = (at_once or of_verb.does)(now, j, by, why, later_ms)
      if is_changed then
        audit.note(now, by, at_once and "retry_now" or verb, j.id, why, word, from, j.state, operation.more(j, op))
      end
    end
    table.insert(reply, told(now, j, word))
  end
  if is_refused then
    return reply
  end
  audit.write()
  job.finish(now)
  return operation.answer_subject(verb, subject, op, reply)
end
end
