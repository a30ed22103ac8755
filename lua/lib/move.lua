--[[
  `move`, the only place where a state changes and where an event is written,
  and `finish`, which ends every script that moved something.

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

-- How long ended jobs are kept when neither the job nor `meta` says otherwise, in ms: 7, 30 and 90 days.
local RETENTION_MS = { done = 604800000, cancelled = 2592000000, dead = 7776000000 }
-- A cancelled job stays at least this long after its due time, so that it can be put back: 24 h.
local UNDO_WINDOW_MS = 86400000

-- What `finish` has to write.
local joined, left, expiring, wakes, moved = {}, {}, {}, {}, {}
-- Queues in which jobs ceased to be active: with a limit that is room for others.
local freed = {}
-- Queues of which it is known that they have no limits.
local free = {}
local sequence, sequence_end
-- The jobs of a batch mostly go from one set to another.
local join_queue, join_state, join_list, leave_queue, leave_state, leave_list
-- Members of `expiring` that stood for jobs which are removed, each with the queue and the millisecond.
local emptied = {}
-- How long jobs are kept, by how and in which queue they ended, and how long a cancelled one can be put back; queues in
-- which plain jobs were done.
local rules, undo_window, ended_well = {}, nil, {}
-- Subjects of plain jobs that ended, with when and which, in turn.
job.ended_in_subjects = {}
fresh(function()
  if next(joined) then joined = {} end
  if next(left) then left = {} end
  if next(expiring) then expiring = {} end
  if next(wakes) then wakes = {} end
  if next(moved) then moved = {} end
  if next(freed) then freed = {} end
  if next(emptied) then emptied = {} end
  if next(free) then free = {} end
  if next(rules) then rules = {} end
  if next(ended_well) then ended_well = {} end
  if next(job.ended_in_subjects) then job.ended_in_subjects = {} end
  sequence, sequence_end = 1, 0
  join_queue, leave_queue = nil, nil
end)

--- Takes so many sequence numbers at once, for a script that is about to make so many jobs ready.
function job.reserve(count)
  if count > 0 then
    sequence_end = redis.call("INCRBY", P .. "sequence", int(count))
    sequence = sequence_end - count + 1
  end
end

local function next_sequence()
  if sequence > sequence_end then job.reserve(1) end
  sequence = sequence + 1
  return sequence - 1
end
job.next_sequence = next_sequence

--- Notes that a queue has no limits.
function job.is_free(queue)
  free[queue] = true
end

--- Leaves a wake token in a queue at the end of the script.
function job.wakes(queue)
  wakes[queue] = true
end

--- The place of a job in the sorted set of its state, as text.
local function score(j)
  if j.state == "ready" then return int((j.priority or PRIORITY_DEFAULT) * PRIORITY_BAND + (j.sequence or 0)) end
  -- Without an end of its lease the job is taken back at once.
  if j.state == "active" then return int(j.lease_until_ms or 0) end
  if ENDED[j.state] then return int(j.ended_ms or j.due_ms) end
  return int(j.due_ms)
end

local function join(queue, state, text, id)
  if queue ~= join_queue or state ~= join_state then
    local key = job.set(queue, state)
    join_queue, join_state, join_list = queue, state, joined[key]
    if not join_list then
      -- Made with what it has: an empty table would have to grow twice.
      join_list = { text, id }
      joined[key] = join_list
      return
    end
  end
  local count = #join_list
  join_list[count + 1], join_list[count + 2] = text, id
end

local function leave(queue, state, id)
  if queue ~= leave_queue or state ~= leave_state then
    local key = job.set(queue, state)
    leave_queue, leave_state, leave_list = queue, state, left[key]
    if not leave_list then
      leave_list = { id }
      left[key] = leave_list
      return
    end
  end
  leave_list[#leave_list + 1] = id
end
job.leave = leave

--- Takes the first members out of a set at once. The jobs are marked `taken`, so that `move` does not.
function job.take_first(queue, state, count)
  redis.call("ZREMRANGEBYRANK", job.set(queue, state), 0, count - 1)
end

--- Writes the sets of the jobs that were moved so far.
function job.settle()
  for key, ids in next, left do
    for first = 1, #ids, MEMBERS_MAX do
      redis.call("ZREM", key, unpack(ids, first, math.min(first + MEMBERS_MAX - 1, #ids)))
    end
  end
  for key, list in next, joined do
    for first = 1, #list, 2 * MEMBERS_MAX do
      redis.call("ZADD", key, unpack(list, first, math.min(first + 2 * MEMBERS_MAX - 1, #list)))
    end
  end
  if next(joined) then joined = {} end
  if next(left) then left = {} end
  if next(moved) then moved = {} end
  join_queue, leave_queue = nil, nil
end

--- How long jobs of a queue that ended this way are kept, in ms, and how long a cancelled one can be put back.
--- A rule of the queue comes before that of the namespace.
local function retention(state, queue)
  local of = rules[state]
  if not of then
    of = {}
    rules[state] = of
  end
  if not of[queue] then
    local name = "retention_" .. state .. "_ms"
    local found = redis.call("HMGET", P .. "meta", name .. ":" .. queue, name, "undo_window_ms")
    of[queue] = number(found[1]) or number(found[2]) or RETENTION_MS[state]
    undo_window = number(found[3]) or UNDO_WINDOW_MS
  end
  return of[queue], undo_window
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
    expiring[expiring_member(j.queue, int(now))] = int(now + kept_ms)
    return
  end
  local kept_until = now + (j.retention_ms or kept_ms)
  if j.state == "cancelled" then kept_until = math.max(kept_until, j.due_ms + undo_ms) end
  changes.kept_until_ms = kept_until
  expiring[j.id] = int(kept_until)
end

--- Notes when a plain job of a subject ended, for the set of the subject.
function job.ends_in_subject(subject, ended_text, id)
  local ended = job.ended_in_subjects
  local count = #ended
  ended[count + 1], ended[count + 2], ended[count + 3] = subject, ended_text, id
end

local ENDS_WELL = { "active", "done" }
--- Checks and notes once for a queue what goes for every plain job of it that is done.
function job.ends_well(now, queue)
  if not ended_well[queue] then
    check_queue(now, queue, ENDS_WELL)
    freed[queue], ended_well[queue] = true, true
    expiring[expiring_member(queue, int(now))] = int(now + retention("done", queue))
  end
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
  soft("ZADD", job.subject(j.subject), job.subject_place(j), j.id)
end

--- Changes a job: its state (or only its fields, when `to` is the state it has), version, sets,
--- subject index, unique key, history, statistics and event. `changes` are the fields that change
--- with it; `false` removes a field. `parts`, if anybody knows them, names what of the payload they change, for the history.
--- For a new job there is `create`.
function job.move(now, j, to, by, why, changes, parts)
  local id, from, due_before = j.id, j.state, j.due_ms
  if moved[id] then job.settle() end
  moved[id] = true
  local version = to == "active" and from ~= "active" and clock.token(j.version) or j.version + 1
  -- A mark of a move that was cut off belongs to that cancellation: an earlier or later one is somebody else's.
  local turns = from ~= to and (from == "cancelled" or to == "cancelled")
  if turns and j.moves_to ~= "" and changes.moves_to == nil then changes.moves_to = false end
  local untold
  local edited = changes.payload and changes.payload ~= record.text(j, "payload")
  -- Whoever asked for it to stop stays the one to name, and not the worker that did: its reports are told below.
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
    changes.sequence = changes.sequence or next_sequence()
  end
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
    if ENDED[to] and j.unique_key ~= "" and soft("GET", job.unique(j.unique_key)) == id then
      redis.call("DEL", job.unique(j.unique_key))
    end
    index_subject(j, from)
  elseif to ~= "active" or leased then
    join(j.queue, to, score(j), id)
  end
  if untold then history.write(now, j, from, by, why, untold, edited, parts) end
  events.add(now, j, from, to, by, why)
  if j.extras and from ~= to and (j.constraints or "") ~= "" then job.constraints().note(j, from, to) end
  if to == "ready" then wakes[j.queue] = true end
end

--- Writes a new job: `j` with id, queue, kind, subject, priority, due_ms, payload.
--- `more` are names and values, in turn, of its other fields.
function job.create(now, j, to, by, why, more)
  local id = j.id
  if moved[id] then job.settle() end
  moved[id] = true
  j.version = clock.first_version()
  j.state, j.first, j.attempt, j.unique_key = to, j.version, 0, j.unique_key or ""
  local due = int(j.due_ms)
  local place, sequence_of = due, nil
  if to == "ready" then
    j.sequence = next_sequence()
    sequence_of = int(j.sequence)
    place = score(j)
    wakes[j.queue] = true
  end
  local count = #more
  if by ~= "client" then
    more[count + 1], more[count + 2] = "created_by", by
    count = count + 2
  end
  if why ~= "" then
    more[count + 1], more[count + 2] = "by", by
    more[count + 3], more[count + 4] = "why", why
    more[count + 5], more[count + 6] = "told_version", int(j.version)
  end
  record.create(j, {
    state = to, version = int(j.version), queue = j.queue, kind = j.kind, subject = j.subject, due_ms = due,
    created_ms = j.due_ms ~= now and int(now) or nil, sequence = sequence_of,
    first = j.first > 1 and int(j.first) or nil,
  }, more, j.payload)
  if why ~= "" then history.write(now, j, nil, by, why, {}) end
  join(j.queue, to, place, id)
  if j.subject ~= "" then redis.call("ZADD", job.subject(j.subject), "0", id) end
  events.add(now, j, "", to, by, why)
end

--- Changes that end a lease: its token is used, a request to stop is over. `as` answers a repeat of the report.
function job.lease_ends(j, as, changes)
  if as then changes.spent_token, changes.spent_as = j.token, as end
  if j.token_kept then changes.token = false end
  if j.cancel_ms then changes.cancel_ms = false end
  if j.heard then changes.heard = false end
  -- A report shows that the worker was heard of.
  if as and j.unheard and not changes.unheard then changes.unheard = false end
  return changes
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

--- Removes an ended job with everything that belongs to it.
function job.purge(now, j, by)
  if (j.constraints or "") ~= "" then job.constraints().purge(now, j) end
  leave(j.queue, j.state, j.id)
  redis.call("ZREM", P .. "expiring", j.id)
  expiring[j.id] = nil
  if j.state == "done" and j.ended_ms and not j.kept_until_ms then
    emptied[expiring_member(j.queue, int(j.ended_ms))] = { j.queue, int(j.ended_ms) }
  end
  if j.subject ~= "" then soft("ZREM", job.subject(j.subject), j.id) end
  payload_index.forget(j.id)
  record.forget(j)
  redis.call("DEL", record.key(j.id), record.long_key(j.id), job.attempts(j.id), job.history(j.id), job.log(j.id))
  j.version = j.version + 1
  clock.note_removed(j.version)
  events.add(now, j, j.state, "", by, "")
end

--- Leaves a token for a blocked worker; one is enough, the worker leaves another while jobs remain.
function job.leave_wake(queue)
  if soft("LLEN", job.wake(queue)) == 0 then redis.call("LPUSH", job.wake(queue), "1") end
end

--- Whether a queue has ready jobs that do not wait for a slot of their concurrency key.
function job.claimable(queue)
  -- Asked when everything is written: a set of another type costs a hint, not the call.
  local first = soft("ZRANGE", job.set(queue, "ready"), 0, 0, "WITHSCORES") or {}
  return first[2] ~= nil and tonumber(first[2]) < WAITS_FOR_SLOT
end

--- Makes a claimed job of a full concurrency key wait: it is ready and stays it, behind all that may start.
function job.wait_for_slot(j, place)
  join(j.queue, "ready", concurrency_keys.behind(place), j.id)
end

--- Its place among the ready ones, as text.
function job.place(j)
  return score(j)
end

--- Ends a script that changed something: sets, events, wake tokens, statistics, the clock.
function job.finish(now)
  -- What waited for a job that ended moves along with it.
  job.constraints().settle(now)
  job.settle()
  record.flush()
  local ended = job.ended_in_subjects
  for at = 1, #ended, 3 do soft("ZADD", job.subject(ended[at]), ended[at + 1], ended[at + 2]) end
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
    if not (wakes[queue] or free[queue]) and redis.call("EXISTS", job.limits(queue)) == 1 and job.claimable(queue) then
      wakes[queue] = true
    end
  end
  if next(freed) then freed = {} end
  for queue in next, wakes do job.leave_wake(queue) end
  if next(wakes) then wakes = {} end
  stats.flush(now)
  clock.keep_removed()
  clock.keep()
end
