--[[
  A job in Redis: its keys, its hash, its index sets, and `move`, the only
  place where a state changes and where an event is written.

  A script calls, in this order: a loader and `check` for every job it may
  change, then `move`, then `finish` once. Redis keeps what a script wrote
  before it failed, so everything that can fail comes before the first write.
]]
local job = {}

-- Ready jobs are ordered by priority, then by sequence number: 1e14 numbers fit
-- into a band, and ten bands stay below 2^53, where scores are still exact.
local PRIORITY_BAND = 1e14
-- One screen of history and a few attempts more than people read; older ones fall off.
local HISTORY_MAX = 50
local ATTEMPTS_MAX = 20
-- About an hour at 30 events a second; readers further behind start from a snapshot.
local EVENTS_MAX = 100000
-- Ids set aside; enough to see a pattern, too few to fill Redis.
local QUARANTINE_MAX = 1000

local LIVE = { delayed = true, held = true, ready = true, active = true, retrying = true }
local ENDED = { done = true, dead = true, cancelled = true }
local STATES = { "delayed", "held", "ready", "active", "retrying", "done", "dead", "cancelled" }

-- How long ended jobs are kept when neither the job nor `meta` says otherwise, in ms: 7, 30 and 90 days.
local RETENTION_MS = { done = 604800000, cancelled = 2592000000, dead = 7776000000 }
-- A cancelled job stays at least this long after its due time, so that it can be put back: 24 h.
local UNDO_WINDOW_MS = 86400000

-- What every script needs of a job; each names what it needs beyond that. Reading a field costs
-- about as much as a small command, so nobody reads them all without need.
local CORE_TEXTS = { "state", "queue", "kind", "subject", "unique_key" }
local CORE_NUMBERS = { "version", "due_ms", "priority", "attempt" }

-- Keys

function job.key(id) return P .. "job:" .. id end
function job.attempts(id) return P .. "job:" .. id .. ":attempts" end
function job.history(id) return P .. "job:" .. id .. ":history" end
function job.log(id) return P .. "job:" .. id .. ":log" end
function job.set(queue, state) return P .. "q:" .. queue .. ":" .. state end
function job.wake(queue) return P .. "q:" .. queue .. ":wake" end
function job.paused(queue) return P .. "q:" .. queue .. ":paused" end
function job.subject(subject) return P .. "subject:" .. subject end
function job.subject_ended(subject) return P .. "subject:" .. subject .. ":ended" end
function job.unique(key) return P .. "unique:" .. key end

-- Reading

local function join(first, second)
  local all = {}
  for _, name in ipairs(first) do table.insert(all, name) end
  for _, name in ipairs(second) do table.insert(all, name) end
  return all
end

--- A function that reads jobs with these fields besides the core: texts ("" when absent) and numbers
--- (nil when absent). It returns nil for an id without a usable hash.
function job.loader(texts, numbers)
  texts, numbers = join(CORE_TEXTS, texts), join(CORE_NUMBERS, numbers)
  local names = join(texts, numbers)
  return function(id)
    local values = redis.pcall("HMGET", job.key(id), unpack(names))
    if values.err then
      return nil
    end
    local j = { id = id }
    for index, name in ipairs(names) do
      local value = values[index]
      if index <= #texts then j[name] = value or "" else j[name] = number(value) end
    end
    local sound = j.version and j.due_ms and j.queue ~= "" and j.kind ~= "" and (LIVE[j.state] or ENDED[j.state])
    if not sound then
      return nil
    end
    j.priority, j.attempt = j.priority or 5, j.attempt or 0
    return j
  end
end

--- Reads jobs whose lease is to be judged and ended.
function job.lease_loader()
  return job.loader({ "worker", "spent_as" },
    { "token", "spent_token", "started_ms", "cancel_ms", "sequence", "retention_ms", "max_attempts", "stalls" })
end

--- Reads jobs for a person's verb, which tells where they stand.
function job.standing_loader()
  return job.loader({ "worker" },
    { "started_ms", "ended_ms", "cancel_ms", "retention_ms", "max_attempts", "unique_ttl_ms", "lease_until_ms" })
end

--- Where the job stands, for a reply that begins with `word`: id, state, version, due, started, ended, worker, now.
function job.standing(word, j, now)
  return { word, j.id, j.state, j.version, j.due_ms, j.started_ms or "", j.ended_ms or "", j.worker or "", now }
end

--- "held" when the token is that of the present lease, else "lost".
function job.lease(j, token)
  if j.state == "active" and j.token == tonumber(token) then
    return "held"
  end
  return "lost"
end

--- The first answer to a report made with this token, or nil: its reply may have been lost on the way.
function job.spent(j, token)
  if j.spent_token and j.spent_token == tonumber(token) then
    return j.spent_as
  end
  return nil
end

-- Checking

local expected = {}

--- What is wrong with a key that should be of this type or absent; nil when nothing is.
local function damage(key, type)
  if expected[key] then
    return nil
  end
  local found = redis.call("TYPE", key).ok
  if found ~= "none" and found ~= type then
    return "DAMAGED key " .. key .. " holds a " .. found .. ", not a " .. type
  end
  expected[key] = true
  return nil
end

--- Fails, before anything is written, when a key holds something of another type.
local function expect(key, type)
  local wrong = damage(key, type)
  if wrong then error({ err = wrong }) end
end
job.expect = expect

--- Fails when a counter cannot count.
local function expect_number(key, text)
  if text and not number(text) then
    error({ err = "DAMAGED key " .. key .. " holds no number" })
  end
end

--- Makes sure that the keys which jobs of a queue share are what they should be.
local function check_queue(now, queue)
  if expected[queue] then
    return
  end
  expect(P .. "meta", "hash")
  expect_number(P .. "meta", redis.call("HGET", P .. "meta", "damaged"))
  expect(P .. "events", "stream")
  expect(P .. "audit", "stream")
  expect(P .. "sequence", "string")
  expect_number(P .. "sequence", redis.call("GET", P .. "sequence"))
  expect(P .. "kept", "zset")
  expect(P .. "queues", "set")
  expect(stats.key(now), "hash")
  for _, state in ipairs(STATES) do expect(job.set(queue, state), "zset") end
  expect(job.wake(queue), "list")
  expected[queue] = true
end

--- What is wrong with the keys of a job's own that must not fail; nil when nothing is.
local function own_damage(j)
  return j.subject ~= "" and damage(job.subject(j.subject), "set")
    or j.unique_key ~= "" and damage(job.unique(j.unique_key), "string")
    or nil
end

--- Whether `move` can write for this job. Fails when a key that other jobs need as well is damaged; one
--- damaged job must not hold up the others of its batch.
function job.usable(now, j)
  check_queue(now, j.queue)
  return not own_damage(j)
end

--- Makes sure that every key `move` may write for this job is what it should be.
function job.check(now, j)
  check_queue(now, j.queue)
  local wrong = own_damage(j)
  if wrong then error({ err = wrong }) end
end

--- The job whose lease the token proves, checked; or nil and the word that answers the report instead.
function job.held(now, id, token)
  local j = job.lease_loader()(id)
  if not j then
    return nil, "missing"
  end
  local word = job.spent(j, token) or job.lease(j, token)
  if word ~= "held" then
    return nil, word
  end
  job.check(now, j)
  return j
end

-- Writing

--- A write whose loss costs a line of somebody's reading, never a job: a key of another type is
--- counted instead of checked for beforehand. Returns nil when it failed.
local function soft(...)
  local reply = redis.pcall(...)
  if type(reply) == "table" and reply.err then
    redis.call("HINCRBY", P .. "meta", "damaged", 1)
    return nil
  end
  return reply
end

--- The place of a job in the sorted set of its state.
local function score(j)
  if j.state == "ready" then return j.priority * PRIORITY_BAND + (j.sequence or 0) end
  -- Without an end of its lease the job is taken back at once.
  if j.state == "active" then return j.lease_until_ms or 0 end
  if ENDED[j.state] then return j.ended_ms or j.due_ms end
  return j.due_ms
end

--- The first ms at which an ended job may be purged.
local function kept_until(now, j)
  local rules = redis.call("HMGET", P .. "meta", "retention_" .. j.state .. "_ms", "undo_window_ms")
  local kept = now + (j.retention_ms or number(rules[1]) or RETENTION_MS[j.state])
  if j.state == "cancelled" then
    local undo_window = number(rules[2]) or UNDO_WINDOW_MS
    kept = math.max(kept, j.due_ms + undo_window)
  end
  return kept
end

local function index_subject(j, from)
  if j.subject == "" or (LIVE[from] and LIVE[j.state]) then
    return
  end
  if LIVE[j.state] then
    redis.call("SADD", job.subject(j.subject), j.id)
    if from then soft("ZREM", job.subject_ended(j.subject), j.id) end
  else
    redis.call("SREM", job.subject(j.subject), j.id)
    soft("ZADD", job.subject_ended(j.subject), j.ended_ms, j.id)
  end
end

local function write_event(now, j, from, to, by, why)
  redis.call("XADD", P .. "events", "MAXLEN", "~", EVENTS_MAX, "*",
    "job", j.id, "queue", j.queue, "kind", j.kind, "subject", j.subject, "from", from or "", "to", to,
    "version", j.version, "at", now, "due", j.due_ms, "by", by, "why", why)
end

local function write_line(key, line, most)
  local length = soft("RPUSH", key, cjson.encode(line))
  if length and length > most then redis.call("LTRIM", key, -most, -1) end
end

local function write_history(now, j, from, by, why)
  write_line(job.history(j.id), {
    at = int(now), from = from or "", to = j.state, version = int(j.version), due = int(j.due_ms), by = by, why = why,
  }, HISTORY_MAX)
end

local wakes = {}

--- Changes a job: its state (or only its fields, when `to` is the state it has), version, sets,
--- subject index, unique key, history, statistics and event. `changes` are the fields that change
--- with it; `false` empties a field. A new job has no state yet.
function job.move(now, j, to, by, why, changes)
  local from = j.state
  changes.state, changes.version, changes.by, changes.why = to, j.version + 1, by, why
  if to == "ready" and from ~= "ready" then
    changes.ready_ms = now
    changes.sequence = changes.sequence or redis.call("INCR", P .. "sequence")
  end
  for name, value in pairs(changes) do j[name] = value or nil end
  if ENDED[to] and from ~= to then
    changes.ended_ms, j.ended_ms = now, now
    j.kept_until_ms = kept_until(now, j)
    changes.kept_until_ms = j.kept_until_ms
  elseif ENDED[from] and not ENDED[to] then
    changes.ended_ms, j.ended_ms, changes.kept_until_ms, j.kept_until_ms = false, nil, false, nil
  end

  local written = {}
  for name, value in pairs(changes) do
    table.insert(written, name)
    table.insert(written, value or "")
  end
  redis.call("HSET", job.key(j.id), unpack(written))

  if from and from ~= to then redis.call("ZREM", job.set(j.queue, from), j.id) end
  redis.call("ZADD", job.set(j.queue, to), score(j), j.id)
  if ENDED[to] and from ~= to then
    redis.call("ZADD", P .. "kept", j.kept_until_ms, j.id)
    stats.count(j, to)
    if j.unique_key ~= "" and redis.call("GET", job.unique(j.unique_key)) == j.id then
      redis.call("DEL", job.unique(j.unique_key))
    end
  elseif ENDED[from] and not ENDED[to] then
    redis.call("ZREM", P .. "kept", j.id)
  end
  index_subject(j, from)
  write_history(now, j, from, by, why)
  write_event(now, j, from, to, by, why)
  if to == "ready" then wakes[j.queue] = true end
end

--- Writes down how an attempt ended. Its number is that of the job before any give-back.
function job.ended_attempt(now, j, number, result, message)
  write_line(job.attempts(j.id), {
    number = int(number), started = int(j.started_ms or now), ended = int(now),
    worker = j.worker, result = result, error = message,
  }, ATTEMPTS_MAX)
end

--- Removes an ended job with everything that belongs to it.
function job.purge(now, j, by)
  redis.call("ZREM", job.set(j.queue, j.state), j.id)
  redis.call("ZREM", P .. "kept", j.id)
  if j.subject ~= "" then soft("ZREM", job.subject_ended(j.subject), j.id) end
  redis.call("DEL", job.key(j.id), job.attempts(j.id), job.history(j.id), job.log(j.id))
  local from = j.state
  j.version = j.version + 1
  write_event(now, j, from, "", by, "")
end

--- Leaves a token for a blocked worker; one is enough, the worker leaves another while jobs remain.
function job.leave_wake(queue)
  if redis.call("LLEN", job.wake(queue)) == 0 then redis.call("LPUSH", job.wake(queue), "1") end
end

--- Makes sure that ids can be set aside.
function job.check_quarantine()
  expect(P .. "quarantine", "zset")
  expect(P .. "meta", "hash")
  expect_number(P .. "meta", redis.call("HGET", P .. "meta", "quarantined"))
end

--- Sets an id aside that no script can use, and counts it.
function job.quarantine(now, id)
  redis.call("ZADD", P .. "quarantine", now, id)
  redis.call("ZREMRANGEBYRANK", P .. "quarantine", 0, -QUARANTINE_MAX - 1)
  redis.call("HINCRBY", P .. "meta", "quarantined", 1)
end

--- Deals with an id in a set that its hash does not confirm. The hash is the truth: a job that is
--- elsewhere goes back into the set its hash names; an id without a usable hash is set aside.
local function set_aside(now, stray)
  local id, j = stray.id, stray.j
  redis.call("ZREM", job.set(stray.queue, stray.state), id)
  if not j then
    return job.quarantine(now, id)
  end
  local places = redis.call("HMGET", job.key(id), "sequence", "lease_until_ms", "ended_ms")
  j.sequence, j.lease_until_ms, j.ended_ms = number(places[1]), number(places[2]), number(places[3])
  redis.call("ZADD", job.set(j.queue, j.state), score(j), id)
end

--- Splits ids of one set into jobs that belong there, checked and ready to move, and ids that do not.
function job.gather(now, queue, state, ids, load)
  local jobs, strays = {}, {}
  for _, id in ipairs(ids) do
    local j = load(id)
    local belongs = j and j.state == state and j.queue == queue
    if j and not belongs then
      check_queue(now, j.queue)
      table.insert(strays, { queue = queue, state = state, id = id, j = j })
    elseif j and job.usable(now, j) then
      table.insert(jobs, j)
    else
      table.insert(strays, { queue = queue, state = state, id = id })
    end
  end
  if #strays > 0 then job.check_quarantine() end
  return jobs, strays
end

--- Deals with what `gather` found to be stray.
function job.set_aside_all(now, strays)
  for _, stray in ipairs(strays) do set_aside(now, stray) end
end

--- Ends a script that changed something: wake tokens, statistics, the clock.
function job.finish(now)
  for queue in pairs(wakes) do job.leave_wake(queue) end
  stats.flush(now)
  clock.keep()
end
