--[[
  Taking jobs in, shared by every script that enqueues: `enqueue`, and those
  that add jobs on an occasion of their own.

  A script reads the jobs it may add (`read`), checks all of them (`check`)
  before its first write, then takes each in (`take`).

  7 values a job: id, queue, kind, subject, payload, due ("" now, "+<ms>" from now, "<ms>"), options

  Options are a JSON object of texts, or "" when there are none, as for most jobs: priority, max_attempts ("0"
  unlimited), timeout_ms, retention_ms, headers (JSON), tags (JSON), unique_key with unique_ttl_ms and, when the last
  is to win, debounce_ms (the longest wait, or ""), throttle_key with throttle_ms, replace ("replace"), constraints (JSON,
  see `constraints.lua`), by (instead of the script's actor), by_hand (`enqueue.lua` alone: a person enqueues it).
]]
local intake = { VALUES = 7 }
do

-- With fewer jobs, ended ones among them, no call takes a subject to its limit: it brings 100 of them.
local FEW = constants.SUBJECT_LIVE_MAX / 2
-- Lists of queues, and what is counted of each, are read as a whole.
local QUEUES_MAX = 1000
local REPLACEABLE = { delayed = true, held = true, ready = true, retrying = true }
-- Options that are fields of the job, and what they are when absent.
local FIELDS = { "priority", "max_attempts", "timeout_ms", "retention_ms", "headers", "tags", "unique_key", "unique_ttl_ms", "constraints", "concurrency_key" }
local DEFAULTS = { priority = PRIORITY_DEFAULT .. "", max_attempts = MAX_ATTEMPTS_DEFAULT .. "" }
-- The sets that a new job may come into, by its state.
local STATES_OF_NEW = { delayed = { "delayed" }, ready = { "ready" } }
local NONE = {}

local load_present = job.loader({ "worker" }, { "started_ms", "ended_ms", "sequence" })

--- The job that the values from `first` on describe.
function intake.read(now, values, first, actor)
  local options, due_ms = values[first + 6], clock.time(now, values[first + 5])
  options = options == "" and NONE or cjson.decode(options)
  return {
    id = values[first], queue = values[first + 1], kind = values[first + 2], subject = values[first + 3],
    payload = values[first + 4], due_ms = due_ms, options = options,
    priority = options.priority and tonumber(options.priority) or PRIORITY_DEFAULT,
    unique_key = options.unique_key or "", replace = options.replace == "replace",
    retention_ms = options.retention_ms and tonumber(options.retention_ms), constraints = options.constraints or "",
    by = options.by or actor, why = "",
  }
end

-- The state in which a job begins that is due then. One that only seems due waits: its forwarder knows better.
local function state_at(now, due_ms)
  return (due_ms > now or due_ms < now and not clock.has_come(due_ms)) and "delayed" or "ready"
end

-- Queues for which this call brings jobs; `run` is what new jobs share that follow each other.
local brought, live, run = {}, {}, {}
-- What the latest job was checked for, and how many queues are new.
local checked_queue, checked_state, checked_kind, new_queues
fresh(function()
  run.told, checked_queue, checked_kind, new_queues = nil, nil, nil, 0
  if next(live) then live = {} end
  if next(brought) then brought = {} end
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
  expect(job.due(), "zset")
  local names, disused = redis.call("SMEMBERS", P .. "queues"), {}
  for _, queue in ipairs(names) do
    -- What this call brings jobs for stays.
    if not brought[queue] and is_disused(queue) then disused[#disused + 1] = queue end
  end
  if #names - #disused + wanted > QUEUES_MAX then return false end
  redis.call("SREM", P .. "queues", unpack(disused))
  redis.call("ZREM", job.due(), unpack(disused))
  clock.known.listed = {}
  return true
end

-- Fails for what cannot stand as one word in a record.
local function check_word(text) assert(text:find("^%S+$"), "an argument is no name") end

-- How many live jobs a subject has; asked once a call. Of few nobody needs to know how many have ended.
local function count_live(subject)
  local key = job.subject(subject)
  local count = live[subject]
  if not count then
    check_word(subject)
    count = redis.pcall("ZCARD", key)
    if type(count) == "table" then expect(key, "zset") end
    if count >= FEW then count = redis.call("ZCOUNT", key, 0, 0) end
    live[subject] = count
  end
  return count
end

-- Checks what every new job needs.
local function check_place(now, id, queue, kind, to, subject, payload)
  if kind ~= checked_kind then
    check_word(kind)
    checked_kind = kind
  end
  if queue ~= checked_queue or to ~= checked_state then
    check_word(queue)
    job.check_queue(now, queue, STATES_OF_NEW[to])
    checked_queue, checked_state = queue, to
    if not brought[queue] then
      brought[queue] = true
      local known = clock.known.listed[queue] and 1 or redis.pcall("SISMEMBER", P .. "queues", queue)
      if type(known) == "table" then expect(P .. "queues", "set") end
      if known == 1 then clock.known.listed[queue] = true else new_queues = new_queues + 1 end
    end
  end
  if subject ~= "" then count_live(subject) end
  if #payload > LONG_BYTES then expect(record.long_key(id), "hash") end
end

--- Makes sure that all of these jobs can be taken in; fails before anything is written. A job that is false is one without
--- options, which `values` describe from `first` on, as they do the others.
function intake.check(now, batch, values, first)
  local ids, count = {}, #batch
  for index = 1, count do
    ids[index] = batch[index] and batch[index].id or values[first + (index - 1) * intake.VALUES]
  end
  record.present(ids)
  for index = 1, count do
    local new = batch[index]
    if new then
      check_place(now, new.id, new.queue, new.kind, new.to or state_at(now, new.due_ms), new.subject, new.payload)
      if new.unique_key ~= "" then expect(job.unique(new.unique_key), "string") end
      -- A replaced job leaves its old set, subject and unique key.
      local old = new.replace and record.newest(new.id) and load_present(new.id)
      if old then job.check(now, old) end
      if new.options ~= NONE then intake.check_repeat(now, new) end
    else
      local at = first + (index - 1) * intake.VALUES
      local to = state_at(now, clock.time(now, values[at + 5]))
      check_place(now, ids[index], values[at + 1], values[at + 2], to, values[at + 3], values[at + 4])
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
  if joins and count_live(new.subject) >= constants.SUBJECT_LIVE_MAX then
    return { "subject_full", new.id }
  end
  return nil
end

-- What a job has beyond its defaults, by name.
local function fields_of(options)
  local fields = {}
  if options == NONE then return fields end
  for _, name in ipairs(FIELDS) do
    local value = options[name]
    if value and value ~= "" and value ~= DEFAULTS[name] then fields[name] = value end
  end
  return fields
end

-- A replaced job leaves what belonged to its old self, and keeps its place among ready ones.
local function replace(now, new, old, to)
  -- It may be new in this very call.
  job.settle()
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
  for _, name in ipairs({ "attempt", "stalls", "unheard", "taken_back", "last_error" }) do changes[name] = false end
  for name, value in pairs(fields_of(new.options)) do changes[name] = value end
  changes.kind, changes.subject = new.kind, new.subject ~= "" and new.subject or false
  changes.due_ms, changes.created_ms = new.due_ms, now
  old.sequence = old.state == "ready" and to == "ready" and old.sequence or nil
  old.worker = ""
  -- Numbers and texts of the new self, which `move` takes from the job.
  job.move(now, old, to, new.by, new.why ~= "" and new.why or "replaced", changes)
  old.subject, old.unique_key = new.subject, new.unique_key
  return job.standing("replaced", old, now)
end

-- The lines of a new job with options, a reason, a long payload or an actor whose name is several words.
local function lines_of(id, payload, options, by, why, version)
  local lines = fields_of(options)
  if by:find("%s") then lines.created_by = by end
  if why ~= "" then
    lines.by, lines.why, lines.told_version = by ~= "" and by or nil, why, version
  end
  for name in pairs(MAY_BE_LONG) do
    local value = lines[name]
    if value and #value > LONG_BYTES then record.set_aside(id, lines, name, value) end
  end
  if #payload > LONG_BYTES then record.set_aside(id, lines, "payload", payload) end
  return record.in_lines(lines)
end

-- What new jobs share that follow each other.
local function begin_run(now, to, queue, kind, by, why)
  run.to, run.queue, run.kind, run.by, run.why = to, queue, kind, by, why
  run.told = events.open(now, "", to, queue, kind, by, why)
  run.counts, run.first = stats.of(queue), clock.first_version()
  run.version = int(run.first)
  run.is_one_word = not by:find("%s")
  run.head, run.middle = to .. " " .. run.version .. "   ", "    " .. queue .. " " .. kind .. " "
  run.tail = " " .. (run.is_one_word and by ~= "client" and by or "") .. (run.first > 1 and " " .. run.version or "") .. "\n"
  if to == "ready" then job.wakes(queue) end
  if not clock.known.listed[queue] then
    redis.call("SADD", P .. "queues", queue)
    clock.known.listed[queue] = true
  end
  job.notes()
end

-- Writes a new job. Returns its due time and version as texts. It was created now, or then.
local function create(now, to, id, queue, kind, subject, payload, due_ms, by, why, options, created_ms)
  -- Others may have written events in between.
  local is_same = run.told == events.lines and #run.told < JOBS_MAX
  if not is_same or to ~= run.to or queue ~= run.queue or kind ~= run.kind or by ~= run.by or why ~= run.why then
    begin_run(now, to, queue, kind, by, why)
  end
  local due, sequence_of, ahead = int(due_ms), "", ""
  local place = due
  if to == "ready" then
    local sequence = job.next_sequence()
    sequence_of, place = int(sequence), job.ready_place(number(options.priority), sequence)
  end
  local created = created_ms or now
  if due_ms ~= created then ahead = int(due_ms - created) end
  local lines, kept = "\n", payload
  if options ~= NONE or why ~= "" or not run.is_one_word or #payload > LONG_BYTES then
    lines = lines_of(id, payload, options, by, why, run.version)
    if #payload > LONG_BYTES then kept = "" end
  end
  record.write(id, run.head .. sequence_of .. run.middle .. due .. " " .. subject .. " " .. ahead .. run.tail .. lines .. kept)
  local joining, told, counts = job.joining(queue, to), run.told, run.counts
  local count = #joining
  joining[count + 1], joining[count + 2] = place, id
  told[#told + 1] = id .. " " .. run.version .. " " .. due .. " " .. subject
  counts.enqueued = (counts.enqueued or 0) + 1
  if subject ~= "" then
    live[subject] = count_live(subject) + 1
    job.stands_in_subject(subject, "0", id)
  end
  if why ~= "" then history.write(now, record.load(id), nil, by, why, {}) end
  return due, run.version
end

--- Takes one job in. The reply is that of `enqueue` for a job.
function intake.take(now, new)
  local id, queue, subject = new.id, new.queue, new.subject
  local old = record.newest(id) and load_present(id) or nil
  local no = refusal(now, new, old)
  if no then
    return no
  end
  local to = new.to or state_at(now, new.due_ms)
  -- What a person holds stays held until a person releases it, whatever it is by then.
  if old and old.state == "held" then to = "held" end
  if new.unique_key ~= "" then
    redis.call("SET", job.unique(new.unique_key), id, "PX", new.options.unique_ttl_ms)
  end
  if new.options.throttle_key then intake.open_window(now, new) end
  if old then
    if subject ~= "" and old.subject ~= subject then live[subject] = live[subject] + 1 end
    return replace(now, new, old, to)
  end
  local due, version =
    create(now, to, id, queue, new.kind, subject, new.payload, new.due_ms, new.by, new.why, new.options, new.created_ms)
  return { to, id, due, int(now), version }
end

--- Takes in the job without options that the values from `first` on describe. A reply of a new job is one text of words.
function intake.take_plain(now, values, first, actor)
  local id, subject = values[first], values[first + 3]
  local old = record.newest(id) and load_present(id)
  if old then
    return job.standing("exists", old, now)
  end
  if subject ~= "" and live[subject] >= constants.SUBJECT_LIVE_MAX then
    return { "subject_full", id }
  end
  local due_ms = clock.time(now, values[first + 5])
  local to = state_at(now, due_ms)
  local queue, kind, payload = values[first + 1], values[first + 2], values[first + 4]
  local due, version = create(now, to, id, queue, kind, subject, payload, due_ms, actor, "", NONE)
  return to .. " " .. id .. " " .. due .. " " .. int(now) .. " " .. version
end
end
