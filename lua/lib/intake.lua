--[[
  Taking jobs in, shared by every script that enqueues: `enqueue`, and those
  that add jobs on an occasion of their own.

  A script reads the jobs it may add (`read`), checks all of them (`check`)
  before its first write, then takes each in (`take`).

  7 values a job: id, queue, kind, subject, payload, due ("" now, "+<ms>" from now, "<ms>"), options

  Options are a JSON object of texts, or "" when there are none, as for most jobs: priority, max_attempts ("0"
  unlimited), timeout_ms, retention_ms, headers (JSON), tags (JSON), unique_key with unique_ttl_ms and, when the last
  is to win, debounce_ms (the longest wait, or ""), throttle_key with throttle_ms, replace ("replace"), constraints (JSON,
  see `constraints.lua`), by (instead of the script's actor), why, by_hand (`enqueue.lua` alone: a
  person enqueues it).
]]
local intake = { VALUES = 7 }

-- With fewer jobs, ended ones among them, no call takes a subject to its limit: it brings 100 of them.
local FEW = job.SUBJECT_LIVE_MAX / 2
-- Every forward looks at every queue; more would make it too slow.
local QUEUES_MAX = 1000
local REPLACEABLE = { delayed = true, held = true, ready = true, retrying = true }
-- Options that are fields of the job, and what they are when absent.
local FIELDS = { "priority", "max_attempts", "timeout_ms", "retention_ms", "headers", "tags", "unique_key", "unique_ttl_ms", "constraints", "concurrency_key" }
local DEFAULTS = { priority = PRIORITY_DEFAULT .. "", max_attempts = MAX_ATTEMPTS_DEFAULT .. "" }
-- The sets that a new job may come into, by its state.
local STATES_OF_NEW = { delayed = { "delayed" }, ready = { "ready" } }
local NONE = {}

local load_present = job.loader({ "worker" }, { "started_ms", "ended_ms", "sequence" })

local function due_of(now, text)
  if text == "" then return now end
  if text:byte(1) == 43 then return now + clock.given(text:sub(2)) end
  return clock.given(text)
end

--- The job that the values from `first` on describe.
function intake.read(now, values, first, actor)
  local options, due_ms = values[first + 6], due_of(now, values[first + 5])
  options = options == "" and NONE or cjson.decode(options)
  return {
    -- A job that only seems due waits: whoever forwards it knows better.
    to = due_ms < now and not clock.has_come(due_ms) and "delayed" or nil,
    id = values[first], queue = values[first + 1], kind = values[first + 2], subject = values[first + 3],
    payload = values[first + 4], due_ms = due_ms, options = options,
    priority = options.priority and tonumber(options.priority) or PRIORITY_DEFAULT,
    unique_key = options.unique_key or "", replace = options.replace == "replace",
    retention_ms = options.retention_ms and tonumber(options.retention_ms), constraints = options.constraints or "",
    by = options.by or actor, why = options.why or "",
  }
end

--- The state in which a new job begins.
local function state_of(now, new)
  return new.to or new.due_ms > now and "delayed" or "ready"
end

local known_queues, present, live = {}, {}, {}
fresh(function()
  if next(known_queues) then known_queues = {} end
  if next(present) then present = {} end
  if next(live) then live = {} end
end)

-- The rules of its own that a queue may have in `meta`.
local RULES_OF_QUEUE =
  { "retention_done_ms:", "retention_dead_ms:", "retention_cancelled_ms:", "retention_done_most:", "retention_dead_most:" }

-- Whether nothing is left of a queue: no job, and nothing that people have set for it.
local function is_disused(queue)
  local keys = { job.paused(queue), job.limits(queue), concurrency_keys.slots(queue) }
  for _, state in ipairs(STATES) do keys[#keys + 1] = job.set(queue, state) end
  if redis.call("EXISTS", unpack(keys)) > 0 then return false end
  local names = {}
  for index, name in ipairs(RULES_OF_QUEUE) do names[index] = name .. queue end
  for _, value in ipairs(redis.call("HMGET", P .. "meta", unpack(names))) do
    if value then return false end
  end
  return true
end

-- Makes room for new names in the directory, of which nothing is left; false, and nothing is written, when there is too
-- little of it. Every queue is looked at, some milliseconds, so it is asked only where there is no room.
local function make_room(wanted)
  expect(P .. "meta", "hash")
  local names, disused = redis.call("SMEMBERS", P .. "queues"), {}
  for _, queue in ipairs(names) do
    -- What this call brings jobs for stays.
    if known_queues[queue] == nil and is_disused(queue) then disused[#disused + 1] = queue end
  end
  if #names - #disused + wanted > QUEUES_MAX then return false end
  redis.call("SREM", P .. "queues", unpack(disused))
  return true
end

-- How many live jobs a subject has; asked once a call. Of few nobody needs to know how many have ended.
local function count_live(subject)
  local key = job.subject(subject)
  local count = live[subject]
  if not count then
    count = redis.pcall("ZCARD", key)
    if type(count) == "table" then expect(key, "zset") end
    if count >= FEW then count = redis.call("ZCOUNT", key, 0, 0) end
    live[subject] = count
  end
  return count
end

--- Makes sure that all of these jobs can be taken in; fails before anything is written.
function intake.check(now, batch)
  local new_queues, ids, checked_queue, checked_state = 0, {}, nil, nil
  for index, new in ipairs(batch) do ids[index] = new.id end
  for id, is_there in pairs(record.present(ids)) do present[id] = present[id] or is_there end
  for _, new in ipairs(batch) do
    local to = state_of(now, new)
    if new.queue ~= checked_queue or to ~= checked_state then
      job.check_queue(now, new.queue, STATES_OF_NEW[to])
      checked_queue, checked_state = new.queue, to
    end
    if new.subject ~= "" then count_live(new.subject) end
    if new.unique_key ~= "" then expect(job.unique(new.unique_key), "string") end
    if record.is_long(new.payload) then expect(record.long_key(new.id), "hash") end
    -- A replaced job leaves its old set, subject and unique key.
    local old = new.replace and present[new.id] and load_present(new.id)
    if old then job.check(now, old) end
    if new.options ~= NONE then intake.check_repeat(now, new) end
    if known_queues[new.queue] == nil then
      local known = redis.pcall("SISMEMBER", P .. "queues", new.queue)
      if type(known) == "table" then expect(P .. "queues", "set") end
      known_queues[new.queue] = known == 1
      if not known_queues[new.queue] then new_queues = new_queues + 1 end
    end
  end
  if new_queues > 0 and redis.call("SCARD", P .. "queues") + new_queues > QUEUES_MAX and not make_room(new_queues) then
    error({ err = "QUEUES_FULL a namespace holds at most " .. QUEUES_MAX .. " queues" })
  end
end

local function refusal(now, new, old)
  local may_go = old and new.replace and REPLACEABLE[old.state] and old.queue == new.queue
  if old and not (may_go and not job.constraints().is_part(old)) then
    return job.standing("exists", old, now)
  end
  if new.options.throttle_key then
    local first = intake.first_of_window(now, new)
    if first then return { "duplicate", new.id, first } end
  end
  if new.unique_key ~= "" then
    local holder = redis.call("GET", job.unique(new.unique_key))
    if holder and holder ~= new.id then
      local reply = nil
      if new.options.debounce_ms then reply = intake.debounce(now, new, holder) end
      if reply ~= false then return reply or { "duplicate", new.id, holder } end
    end
  end
  local joins = new.subject ~= "" and not (old and old.subject == new.subject)
  if joins and count_live(new.subject) >= job.SUBJECT_LIVE_MAX then
    return { "subject_full", new.id }
  end
  return nil
end

-- What a job has beyond its defaults: names and values in turn.
local function fields_of(new)
  local more = {}
  if new.options ~= NONE then
    for _, name in ipairs(FIELDS) do
      local value = new.options[name]
      if value and value ~= "" and value ~= DEFAULTS[name] then
        table.insert(more, name)
        table.insert(more, value)
      end
    end
  end
  return more
end

-- A replaced job leaves what belonged to its old self, and keeps its place among ready ones.
local function replace(now, new, old, to)
  if old.subject ~= new.subject then
    if old.subject ~= "" then redis.call("ZREM", job.subject(old.subject), old.id) end
    if new.subject ~= "" then redis.call("ZADD", job.subject(new.subject), 0, old.id) end
  end
  -- The same key under both is held already.
  local key = old.unique_key ~= new.unique_key and old.unique_key or ""
  if key ~= "" and redis.call("GET", job.unique(key)) == old.id then
    redis.call("DEL", job.unique(key))
  end
  local changes = { payload = new.payload }
  if old.concurrency_key ~= "" and old.concurrency_key ~= (new.options.concurrency_key or "") then
    concurrency_keys.forget(old)
    changes.concurrency_slot = false
  end
  for _, name in ipairs(FIELDS) do changes[name] = false end
  for _, name in ipairs({ "attempt", "stalls", "unheard", "last_error" }) do changes[name] = false end
  local more = fields_of(new)
  for index = 1, #more, 2 do changes[more[index]] = more[index + 1] end
  changes.kind, changes.subject = new.kind, new.subject ~= "" and new.subject or false
  changes.due_ms, changes.created_ms = new.due_ms, now
  old.sequence = old.state == "ready" and to == "ready" and old.sequence or nil
  old.worker = ""
  -- Numbers and texts of the new self, which `move` takes from the job.
  job.move(now, old, to, new.by, new.why ~= "" and new.why or "replaced", changes)
  old.subject, old.unique_key = new.subject, new.unique_key
  return job.standing("replaced", old, now)
end

--- Takes the sequence numbers of new jobs that are due at once; one that is refused leaves a gap.
function intake.reserve(now, batch)
  local count = 0
  for _, new in ipairs(batch) do
    if new.due_ms <= now and not present[new.id] then count = count + 1 end
  end
  if count > 1 then job.reserve(count) end
end

-- Whether there is nothing to ask about a new job, see `routine.lua`.
local function is_plain(new)
  return new.options == NONE and not present[new.id] and not new.to and not record.is_long(new.payload)
    and not new.by:find("%s")
end

local function take_plain(now, new)
  local id, queue, subject = new.id, new.queue, new.subject
  if subject ~= "" then
    local count = live[subject]
    if count >= job.SUBJECT_LIVE_MAX then
      return { "subject_full", id }
    end
    live[subject] = count + 1
  end
  if not known_queues[queue] then
    redis.call("SADD", P .. "queues", queue)
    known_queues[queue] = true
  end
  present[id] = true
  local to, version = routine.create(now, id, queue, new.kind, subject, new.payload, new.due_ms, new.by)
  return { to, id, new.due_ms, now, version }
end

--- Takes one job in. The reply is that of `enqueue` for a job.
function intake.take(now, new)
  if is_plain(new) then
    return take_plain(now, new)
  end
  local old = present[new.id] and load_present(new.id) or nil
  local no = refusal(now, new, old)
  if no then
    return no
  end
  local to = state_of(now, new)
  -- What a person holds stays held until a person releases it, whatever it is by then.
  if old and old.state == "held" then to = "held" end
  if not known_queues[new.queue] then
    redis.call("SADD", P .. "queues", new.queue)
    known_queues[new.queue] = true
  end
  if new.unique_key ~= "" then
    redis.call("SET", job.unique(new.unique_key), new.id, "PX", new.options.unique_ttl_ms)
  end
  if new.options.throttle_key then intake.open_window(now, new) end
  if new.subject ~= "" and not (old and old.subject == new.subject) then live[new.subject] = live[new.subject] + 1 end
  if old then
    return replace(now, new, old, to)
  end
  local more = fields_of(new)
  job.create(now, new, to, new.by, new.why, more)
  present[new.id] = true
  stats.count(new, "enqueued")
  return { to, new.id, new.due_ms, now, new.version }
end
