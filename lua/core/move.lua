--[[
  What changes the state of a job. The steps that many jobs take in one call have a straight function each - `intake`,
  `forward`, `claim`, `complete`, `cancel` - that notes its jobs in the lists of this file; everything else goes by way of
  `move`. `finish` ends every script that changed something.

  Records are written by `finish`, all at once, and so is what many jobs of a
  call share - the sets of their states, the event, statistics, wake tokens -
  unless a script reads sets in between and calls `settle` before.
]]

-- Ready jobs are ordered by priority, then by sequence number: 1e14 numbers fit
-- into a band, and ten bands stay below 2^53, where scores are still exact.
local PRIORITY_BAND = 1e14
-- A few attempts more than people read; older ones fall off.
local ATTEMPTS_MAX = 20
-- Members given to one command: Lua passes at most 8,000 values.
local MEMBERS_MAX = 1000

-- As `WAITING` in `concurrency_keys.lua`: from here on stand ready jobs whose concurrency key is full.
local WAITS_FOR_SLOT = 1e15

-- How long ended jobs are kept when neither the job nor `meta` says otherwise.
local RETENTION_MS = {
  done = constants.DONE_KEPT_MS, cancelled = constants.CANCELLED_KEPT_MS, dead = constants.DEAD_KEPT_MS,
}
-- A cancelled job stays at least this long after its due time, so that it can be put back: 24 h.
local UNDO_WINDOW_MS = 86400000

-- What `finish` has to write.
local joined, left, expiring, wakes, moved = {}, {}, {}, {}, {}
-- Queues in which jobs ceased to be active: with a limit that is room for others.
local freed = {}
-- Sequence numbers that this call has taken; `job.sequence` is the last of them.
local sequences = 0
-- Whether jobs were noted otherwise than by `move` since the sets were written.
local has_noted = false
-- The jobs of a batch mostly go from one set to another.
local join_queue, join_state, join_list, leave_queue, leave_state, leave_list
-- Members of `expiring` that stood for jobs which are removed, each with the queue and the millisecond.
local emptied = {}
-- Subject, place in its set and id of the jobs that have another place there now, in turn.
local in_subjects = {}
fresh(function()
  if next(joined) then joined = {} end
  if next(left) then left = {} end
  if next(expiring) then expiring = {} end
  if next(wakes) then wakes = {} end
  if next(moved) then moved = {} end
  if next(freed) then freed = {} end
  if next(emptied) then emptied = {} end
  if next(in_subjects) then in_subjects = {} end
  sequences, job.sequence, has_noted = 0, nil, false
  join_queue, leave_queue = nil, nil
end)

--- The next sequence number. `finish` writes down how many were taken.
function job.next_sequence()
  job.sequence = (job.sequence or number(redis.call("GET", P .. "sequence")) or 0) + 1
  sequences = sequences + 1
  return job.sequence
end

--- Leaves a wake token in a queue at the end of the script.
function job.wakes(queue)
  wakes[queue] = true
end

--- The place of a ready job, as text.
function job.ready_place(priority, sequence)
  return int((priority or PRIORITY_DEFAULT) * PRIORITY_BAND + sequence)
end

--- The place of a job in the sorted set of its state, as text.
local function score(j)
  if j.state == "ready" then return job.ready_place(j.priority, j.sequence or 0) end
  -- Without an end of its lease the job is taken back at once.
  if j.state == "active" then return int(j.lease_until_ms or 0) end
  if ENDED[j.state] then return int(j.ended_ms or j.due_ms) end
  return int(j.due_ms)
end

--- The list of what joins a set at the end of the call: places and ids in turn. It lasts until the next `settle`.
function job.joining(queue, state)
  if queue ~= join_queue or state ~= join_state then
    local key = job.set(queue, state)
    join_queue, join_state, join_list = queue, state, joined[key]
    if not join_list then
      join_list = {}
      joined[key] = join_list
      if WAITING[state] then due_queues.joins(queue, join_list) end
    end
  end
  return join_list
end

--- The list of ids that leave a set at the end of the call. It lasts until the next `settle`.
function job.leaving(queue, state)
  if queue ~= leave_queue or state ~= leave_state then
    local key = job.set(queue, state)
    leave_queue, leave_state, leave_list = queue, state, left[key]
    if not leave_list then
      leave_list = {}
      left[key] = leave_list
    end
  end
  return leave_list
end

local function join(queue, state, text, id)
  local list = job.joining(queue, state)
  local count = #list
  list[count + 1], list[count + 2] = text, id
end

local function leave(queue, state, id)
  local list = job.leaving(queue, state)
  list[#list + 1] = id
end

--- Takes the first members out of a set at once. The jobs are marked `taken`, so that `move` does not.
function job.take_first(queue, state, count)
  redis.call("ZREMRANGEBYRANK", job.set(queue, state), 0, count - 1)
end

-- Writes the places in the sets of subjects: jobs of one subject mostly follow each other.
local function write_subjects()
  local first, count = 1, #in_subjects
  while first <= count do
    local subject, members = in_subjects[first], {}
    while in_subjects[first] == subject and #members < 2 * MEMBERS_MAX do
      local length = #members
      members[length + 1], members[length + 2] = in_subjects[first + 1], in_subjects[first + 2]
      first = first + 3
    end
    soft("ZADD", job.subject(subject), unpack(members))
  end
  if count > 0 then in_subjects = {} end
end

--- Writes the sets of the jobs that were moved so far.
function job.settle()
  for key, ids in next, left do
    -- A list may have been opened for nothing: then the loop has no turn.
    for first = 1, #ids, MEMBERS_MAX do
      redis.call("ZREM", key, unpack(ids, first, math.min(first + MEMBERS_MAX - 1, #ids)))
    end
  end
  for key, list in next, joined do
    for first = 1, #list, 2 * MEMBERS_MAX do
      redis.call("ZADD", key, unpack(list, first, math.min(first + 2 * MEMBERS_MAX - 1, #list)))
    end
  end
  due_queues.settle()
  write_subjects()
  if next(joined) then joined = {} end
  if next(left) then left = {} end
  if next(moved) then moved = {} end
  join_queue, leave_queue, has_noted = nil, nil, false
end

--- How long jobs of a queue that ended this way are kept, in ms, and how long a cancelled one can be put back.
--- A rule of the queue comes before that of the namespace.
local function retention(state, queue)
  -- Some that only read have not asked for the time.
  clock.known = clock.known or memory.empty()
  local of = clock.known.retention[state]
  if not of then
    of = {}
    clock.known.retention[state] = of
  end
  if not of[queue] then
    local name = "retention_" .. state .. "_ms"
    local found = redis.call("HMGET", P .. "meta", name .. ":" .. queue, name, "undo_window_ms")
    of[queue] = number(found[1]) or number(found[2]) or RETENTION_MS[state]
    clock.known.undo_window_ms = number(found[3]) or UNDO_WINDOW_MS
  end
  return of[queue], clock.known.undo_window_ms
end

--- The member of `expiring` that stands for all jobs of a queue which were done in that millisecond and have no
--- retention of their own. No job id has a space.
local function expiring_member(queue, ended)
  return "done " .. queue .. " " .. ended
end

--- Notes when an ended job may be purged. Jobs that were done need no entry of their own.
local function keep(now, j, changes)
  local kept_ms, undo_ms = retention(j.state, j.queue)
  if j.state == "done" and not j.retention_ms then
    job.keep_done(now, j.queue)
    return
  end
  local kept_until = now + (j.retention_ms or kept_ms)
  if j.state == "cancelled" then kept_until = math.max(kept_until, j.due_ms + undo_ms) end
  changes.kept_until_ms = kept_until
  expiring[j.id] = int(kept_until)
end

--- Notes the place of a job in the set of its subject.
function job.stands_in_subject(subject, place, id)
  local count = #in_subjects
  in_subjects[count + 1], in_subjects[count + 2], in_subjects[count + 3] = subject, place, id
end

local ENDS_WELL = { "active", "done" }
--- Checks that jobs of a queue can be done, and notes that this leaves room in it.
function job.ends_well(now, queue)
  check_queue(now, queue, ENDS_WELL)
  freed[queue] = true
end

--- Notes when the jobs of a queue may be purged that are done now and have no retention of their own.
function job.keep_done(now, queue)
  expiring[expiring_member(queue, int(now))] = int(now + retention("done", queue))
end

--- Notes until when an ended job is kept that has a retention of its own.
function job.keeps(id, until_text)
  expiring[id] = until_text
end

--- The member of `expiring` that stands for an ended job, and when it may be purged, as text.
function job.kept_as(j)
  if j.kept_until_ms then
    return j.id, int(j.kept_until_ms)
  end
  local ended = j.ended_ms or j.due_ms
  return j.state == "done" and expiring_member(j.queue, int(ended)) or j.id, int(ended + (retention(j.state, j.queue)))
end

--- Keeps a cancelled job, of which the due time when it is put back is another now, for as long as if it had had that.
function job.keep_until_due(j, due_ms)
  local _, undo_ms = retention(j.state, j.queue)
  local _, kept_until = job.kept_as(j)
  local until_ms = due_ms + undo_ms
  if until_ms <= tonumber(expiring[j.id] or kept_until) then return end
  j.kept_until_ms, expiring[j.id] = until_ms, int(until_ms)
  record.set(j, "kept_until_ms", until_ms)
  record.put(j)
end

--- The place of a job in the set of its subject, as text.
function job.subject_place(j)
  return LIVE[j.state] and "0" or int(j.ended_ms or j.due_ms)
end

local function index_subject(j, from)
  if j.subject == "" or (LIVE[from] and LIVE[j.state]) then
    return
  end
  if ENDED[j.state] then return job.stands_in_subject(j.subject, job.subject_place(j), j.id) end
  -- A question in the same call how many live is to see it.
  write_subjects()
  soft("ZADD", job.subject(j.subject), "0", j.id)
end

--- Gives the unique key of a job back that ended, if it still holds that.
function job.free_unique(j)
  if j.unique_key ~= "" and soft("GET", job.unique(j.unique_key)) == j.id then
    redis.call("DEL", job.unique(j.unique_key))
  end
end

--- Changes a job: its state (or only its fields, when `to` is the state it has), version, sets,
--- subject index, unique key, history, statistics and event. `changes` are the fields that change
--- with it; `false` removes a field. `parts`, if anybody knows them, names what of the payload they change, for the history.
--- For a new job there is `create`.
function job.move(now, j, to, by, why, changes, parts)
  local id, from, due_before = j.id, j.state, j.due_ms
  if has_noted or moved[id] then job.settle() end
  moved[id] = true
  local version = to == "active" and from ~= "active" and clock.token(j.version) or j.version + 1
  local untold
  local edited = changes.payload and changes.payload ~= record.text(j, "payload")
  -- The person who asked for it to stop stays the one to name, and not the worker that did: its reports are told below.
  local asked = j.cancel_ms and from == "active" and (to == "active" or changes.cancelled_from == from)
  if asked or not history.tells_itself(from, to, by, why) then
    untold = history.untold(id, history.fields(j))
    changes.told_version = version
    if not asked then changes.by, changes.why = by, why end
  elseif to == "cancelled" then
    changes.by, changes.why = by, why
  end
  if to == "ready" and from ~= "ready" then
    changes.ready_ms = now
    changes.sequence = changes.sequence or job.next_sequence()
  end
  -- If its time passed while it was held, it is late from now on, not from then.
  if from == "held" and to == "delayed" and now > (changes.due_ms or j.due_ms) then changes.freed_ms = now end
  j.state, j.version = to, version
  for name, value in pairs(changes) do j[name] = value or nil end
  if (j.concurrency_key or "") ~= "" and from ~= to then
    concurrency_keys.moved(j, from, to, changes)
    moved[id] = true
  end
  local leased = changes.lease_until_ms
  changes.lease_until_ms = nil
  if from ~= to then
    if ENDED[to] then
      changes.ended_ms, j.ended_ms = now, now
      keep(now, j, changes)
      stats.count(j, to)
    elseif ENDED[from] then
      changes.ended_ms, j.ended_ms, changes.kept_until_ms = false, nil, false
      redis.call("ZREM", P .. "expiring", id)
      expiring[id] = nil
    end
  end

  if from == "active" then
    if to ~= "active" then
      freed[j.queue] = true
    elseif not (j.extras and j.extras.token) then
      -- The token is that of the claim, whatever the version is from now on.
      record.set(j, "token", j.version - 1)
    end
  end
  -- Without a time of its own a job was created when it was due.
  if j[CREATED] == "" and changes.due_ms and changes.due_ms ~= due_before then j[CREATED] = j[DUE] end
  j[STATE], j[VERSION] = to, int(j.version)
  for name, value in pairs(changes) do record.set(j, name, value) end
  record.put(j)

  if from ~= to then
    if not j.taken then leave(j.queue, from, id) end
    j.taken = nil
    join(j.queue, to, score(j), id)
    if ENDED[to] then job.free_unique(j) end
    index_subject(j, from)
  elseif to ~= "active" or leased then
    join(j.queue, to, score(j), id)
  end
  if untold then history.write(now, j, from, by, why, untold, edited, parts) end
  events.add(now, j, from, to, by, why)
  if j.extras and from ~= to and (j.constraints or "") ~= "" then job.constraints().note(j, from, to) end
  if to == "ready" then wakes[j.queue] = true end
end

--- Notes that there are jobs in the lists of which `move` does not know: it has these written first.
function job.notes()
  has_noted = true
end

--- Writes down how an attempt ended; one that ended well is told from the job's fields. Its number is that of
--- the job before any give-back.
function job.ended_attempt(now, j, number, result, message)
  local line = cjson.encode({
    number = int(number), started = int(j.started_ms or now), ended = int(now),
    worker = j.worker, result = result, error = message,
  })
  local length = soft("RPUSH", job.attempts(j.id), line)
  if length and length > ATTEMPTS_MAX then redis.call("LTRIM", job.attempts(j.id), -ATTEMPTS_MAX, -1) end
end

--- Ends the lease of a job that is not done, and its attempt with that result. It goes where `to` says, for that reason; one
--- that would wait or be ready again is held with its plan while that is held. Returns the word that answers the report of
--- its worker. Who takes the lease away says so in `by`.
function job.end_lease(now, j, to, why, result, message, changes, by)
  if to == "cancelled" then
    changes.cancelled_from, result = "active", "cancelled"
  elseif to ~= "dead" then
    to, why = job.constraints().goes_on(j, to, why, changes)
  end
  local answer = to == "held" and "plan_held" or to
  if not by then
    changes.spent_token, changes.spent_as = j.token, answer
    -- A report shows that the worker was heard of.
    if j.unheard and not changes.unheard then changes.unheard = false end
  end
  if j.token_kept then changes.token = false end
  if j.cancel_ms then changes.cancel_ms = false end
  if j.heard then changes.heard = false end
  job.ended_attempt(now, j, j.attempt, result, message)
  job.move(now, j, to, by or "worker:" .. j.worker, why, changes)
  return answer
end

--- Removes an ended job with everything that belongs to it.
function job.purge(now, j, by)
  if (j.constraints or "") ~= "" then job.constraints().purge(now, j) end
  leave(j.queue, j.state, j.id)
  redis.call("ZREM", P .. "expiring", j.id)
  expiring[j.id] = nil
  if j.state == "done" and j.ended_ms and not j.kept_until_ms then
    emptied[expiring_member(j.queue, int(j.ended_ms))] = { j.queue, int(j.ended_ms) }
  end
  write_subjects()
  if j.subject ~= "" then soft("ZREM", job.subject(j.subject), j.id) end
  payload_index.forget(j.id)
  record.forget(j)
  redis.call("DEL", record.key(j.id), record.long_key(j.id), job.attempts(j.id), job.history(j.id), job.log(j.id))
  j.version = j.version + 1
  clock.note_removed(j.version)
  events.add(now, j, j.state, "", by, "")
end

--- Leaves a token for who is blocked on a key; one is enough.
function job.leave_token(key)
  if soft("LLEN", key) == 0 then redis.call("LPUSH", key, "1") end
end

--- Leaves a token for a blocked worker, which leaves another while jobs remain.
function job.leave_wake(queue) job.leave_token(job.wake(queue)) end

--- Whether a queue has ready jobs that do not wait for a slot of their concurrency key.
function job.claimable(queue)
  -- Asked when everything is written: a set of another type costs a hint, not the call.
  local first = soft("ZRANGE", job.set(queue, "ready"), 0, 0, "WITHSCORES") or {}
  return first[2] ~= nil and tonumber(first[2]) < WAITS_FOR_SLOT
end

--- Makes a claimed job wait for a slot of its concurrency key: it stays ready, behind all that may start.
function job.wait_for_slot(j, place)
  join(j.queue, "ready", concurrency_keys.behind(place), j.id)
end

--- Its place among the ready ones, as text.
function job.place(j)
  return score(j)
end

--- Whether people have neither paused nor limited a queue.
function job.is_open(queue)
  local open = clock.known.open
  if open[queue] == nil then open[queue] = redis.call("EXISTS", job.paused(queue), job.limits(queue)) == 0 end
  return open[queue]
end

--- Ends a script that changed something: sets, events, wake tokens, statistics, the clock.
function job.finish(now)
  -- What waited for a job that ended moves along with it.
  job.constraints().settle(now)
  if sequences > 0 then redis.call("INCRBY", P .. "sequence", int(sequences)) end
  sequences = 0
  job.settle()
  record.flush()
  -- What stands for all jobs of a millisecond goes with the last of them, or it would stand there for their time.
  for member, of in next, emptied do
    local left = soft("ZCOUNT", job.set(of[1], "done"), of[2], of[2])
    if left == 0 and not expiring[member] then redis.call("ZREM", P .. "expiring", member) end
  end
  if next(emptied) then emptied = {} end
  if next(expiring) then
    local marks, count = {}, 0
    for member, at in pairs(expiring) do
      marks[count + 1], marks[count + 2] = at, member
      count = count + 2
    end
    redis.call("ZADD", P .. "expiring", unpack(marks))
    expiring = {}
  end
  events.flush(now)
  for queue in next, freed do
    local is_limited = not (wakes[queue] or job.is_open(queue)) and redis.call("EXISTS", job.limits(queue)) == 1
    if is_limited and job.claimable(queue) then wakes[queue] = true end
  end
  if next(freed) then freed = {} end
  for queue in next, wakes do job.leave_wake(queue) end
  if next(wakes) then wakes = {} end
  if due_queues.calls_forwarder() then job.leave_token(job.due_wake()) end
  stats.flush(now)
  clock.keep_removed()
  clock.keep()
end
