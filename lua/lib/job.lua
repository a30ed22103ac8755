--[[
  A job in Redis: its keys, what is read of its hash, and what is checked
  before a script writes. `move.lua` has the writing.

  A script calls, in this order: a loader and `check` for every job it may
  change, then `move`, then `finish` once. Redis keeps what a script wrote
  before it failed, so everything that can fail comes before the first write.

  A field that is absent has its default, so that a plain job is small and
  quick to read:

    due_ms, state, version, queue, kind   always there
    created_ms      due_ms                ready_ms    created_ms
    attempt, stalls 0                     priority    5
    max_attempts    25; "0" is unlimited  token       version, while it is active
    created_by      client                all else    nothing
]]
local job = {}

local LIVE = { delayed = true, held = true, ready = true, active = true, retrying = true }
local ENDED = { done = true, dead = true, cancelled = true }
local STATES = { "delayed", "held", "ready", "active", "retrying", "done", "dead", "cancelled" }

local PRIORITY_DEFAULT = 5
-- As `client::MAX_ATTEMPTS_DEFAULT`.
local MAX_ATTEMPTS_DEFAULT = 25

-- Fields that most jobs have at some time. The others are read only from a job that says, by the field
-- `extras`, that it has some: each field read costs a fifth of a microsecond, there or not.
local PLAIN = {
  state = true, version = true, queue = true, kind = true, subject = true, due_ms = true, created_ms = true,
  created_by = true, attempt = true, worker = true, ready_ms = true, started_ms = true, ended_ms = true,
  kept_until_ms = true, sequence = true, by = true, why = true, told_version = true, last_error = true,
  cancelled_from = true, progress = true, result = true, log_lines = true, payload = true, payload_2 = true,
  payload_3 = true, payload_4 = true, payload_5 = true, payload_6 = true, payload_7 = true, payload_8 = true,
}

-- Redis keeps small hashes in one block of memory as long as every value has at most 64 bytes. A payload of up
-- to eight times that is cut into as many fields, which halves the memory of a job; a longer one would not gain.
local PIECE_BYTES = 64
local PIECES = { "payload", "payload_2", "payload_3", "payload_4", "payload_5", "payload_6", "payload_7", "payload_8" }

-- Keys

function job.key(id) return P .. "job:" .. id end
-- The id comes last: it may hold colons, and a key of one job must never be that of another.
function job.attempts(id) return P .. "attempts:" .. id end
function job.history(id) return P .. "history:" .. id end
function job.log(id) return P .. "log:" .. id end
local sets = {}
function job.set(queue, state)
  local of = sets[queue]
  if not of then
    of = {}
    sets[queue] = of
  end
  local key = of[state]
  if not key then
    key = P .. "q:" .. queue .. ":" .. state
    of[state] = key
  end
  return key
end
function job.wake(queue) return P .. "q:" .. queue .. ":wake" end
--- What people have set for a queue, and the credit of its rate limit.
function job.limits(queue) return P .. "q:" .. queue .. ":limits" end
function job.paused(queue) return P .. "q:" .. queue .. ":paused" end
--- A sorted set: live jobs have score 0, ended ones the time they ended.
function job.subject(subject) return P .. "subject:" .. subject end
function job.unique(key) return P .. "unique:" .. key end

-- Reading

local function lease_end(queue, id)
  local score = redis.call("ZSCORE", job.set(queue, "active"), id)
  return score and tonumber(score) or nil
end

--- A function that reads jobs with these fields besides the core: texts ("" when absent) and numbers
--- (nil when absent). It returns nil for an id without a usable hash.
function job.loader(texts, numbers)
  local plain = { "state", "version", "queue", "kind", "due_ms", "subject", "attempt", "extras" }
  local extra = { "unique_key", "priority", "terms", "lane", "lane_slot" }
  local is_number, extra_texts = { priority = true }, {}
  local core = #plain
  local wants_token, wants_lease = false, false
  local function add(name)
    wants_token = wants_token or name == "token"
    -- The end of a lease is a score, not a field.
    if name == "lease_until_ms" then wants_lease = true
    else table.insert(PLAIN[name] and plain or extra, name) end
  end
  for _, name in ipairs(texts) do
    if not PLAIN[name] then table.insert(extra_texts, name) end
    add(name)
  end
  for _, name in ipairs(numbers) do
    is_number[name] = true
    add(name)
  end

  return function(id)
    local key = P .. "job:" .. id
    local values = redis.pcall("HMGET", key, unpack(plain))
    if values.err then
      return nil
    end
    local state, version, queue, kind, due_ms = values[1], number(values[2]), values[3], values[4], number(values[5])
    local sound = version and due_ms and (queue or "") ~= "" and (kind or "") ~= "" and (LIVE[state] or ENDED[state])
    if not sound then
      return nil
    end
    local j = {
      id = id, state = state, version = version, queue = queue, kind = kind, due_ms = due_ms,
      subject = values[6] or "", attempt = number(values[7]) or 0, extras = values[8],
      unique_key = "", terms = "", lane = "", lane_slot = "", priority = PRIORITY_DEFAULT, max_attempts = MAX_ATTEMPTS_DEFAULT, worker = "",
    }
    for index = core + 1, #plain do
      local name, value = plain[index], values[index]
      if is_number[name] then j[name] = number(value) else j[name] = value or "" end
    end
    if not values[8] then
      for _, name in ipairs(extra_texts) do j[name] = "" end
      j.token = wants_token and state == "active" and version or nil
      if wants_lease and state == "active" then j.lease_until_ms = lease_end(queue, id) end
      return j
    end
    local more = redis.call("HMGET", key, unpack(extra))
    for index, name in ipairs(extra) do
      local value = more[index]
      if name == "max_attempts" then
        local most = value and number(value) or not value and MAX_ATTEMPTS_DEFAULT
        j.max_attempts = most and most > 0 and most or nil
      elseif is_number[name] then
        j[name] = value and number(value) or nil
      else
        j[name] = value or ""
      end
    end
    j.priority = j.priority or PRIORITY_DEFAULT
    -- The token is a field of its own only once something else has changed the version.
    j.token_kept = j.token ~= nil
    if wants_token and state == "active" and not j.token then j.token = version end
    if wants_lease and state == "active" then j.lease_until_ms = lease_end(queue, id) end
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
    { "started_ms", "ended_ms", "cancel_ms", "retention_ms", "max_attempts", "unique_ttl_ms", "token", "sequence" })
end

--- The whole payload, of which `first` and `second` are the first two fields.
function job.payload(id, first, second)
  if not first then return "" end
  if not second or second == "" then return first end
  local whole = first .. second
  if #second < PIECE_BYTES then return whole end
  for _, piece in ipairs(redis.call("HMGET", job.key(id), unpack(PIECES, 3))) do
    whole = whole .. (piece or "")
  end
  return whole
end

--- What a consumer is handed of a job, as texts: payload, headers, max_attempts ("" unlimited), created_ms.
function job.content(id)
  local values = redis.call("HMGET", job.key(id), "payload", "payload_2", "headers", "max_attempts", "created_ms", "due_ms")
  local max_attempts = values[4] or int(MAX_ATTEMPTS_DEFAULT)
  return job.payload(id, values[1], values[2]), values[3] or "", max_attempts == "0" and "" or max_attempts, values[5] or values[6]
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
--- A job that ended well was reported with the version before; other reports leave their token in the hash.
function job.spent(j, token)
  token = tonumber(token)
  if j.spent_token and j.spent_token == token then
    return j.spent_as
  end
  if j.state == "done" and j.version - 1 == token then
    return "done"
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
  expected[key] = found
  return nil
end

--- Fails, before anything is written, when a key holds something of another type. Tells whether it is there.
local function expect(key, type)
  local wrong = damage(key, type)
  if wrong then error({ err = wrong }) end
  return expected[key] ~= "none"
end
job.expect = expect

--- Fails when a counter cannot count.
local function expect_number(key, text)
  if text and not number(text) then
    error({ err = "DAMAGED key " .. key .. " holds no number" })
  end
end

-- Queues that have been checked, and for which states.
local checked = {}

--- Makes sure that the keys which jobs of a queue share are what they should be. `states` names the sets
--- that the script may touch; all of them unless given.
local function check_queue(now, queue, states)
  states = states or STATES
  if checked[queue] == STATES or checked[queue] == states then
    return
  end
  if not checked[""] then
    checked[""] = true
    expect(P .. "meta", "hash")
    local counters = redis.call("HMGET", P .. "meta", "damaged", "quarantined")
    expect_number(P .. "meta", counters[1])
    expect_number(P .. "meta", counters[2])
    expect(P .. "events", "stream")
    expect(stats.key(now), "hash")
  end
  for _, state in ipairs(states) do
    expect(job.set(queue, state), "zset")
    if state == "ready" then
      expect(job.wake(queue), "list")
      if not expected[P .. "sequence"] then
        expect(P .. "sequence", "string")
        expect_number(P .. "sequence", redis.call("GET", P .. "sequence"))
      end
    elseif ENDED[state] then
      expect(P .. "kept", "zset")
    end
  end
  checked[queue] = states
end
job.check_queue = check_queue

--- Whether `move` can write for this job. Fails when a key that other jobs need as well is damaged; one
--- damaged job must not hold up the others of its batch.
function job.usable(now, j)
  check_queue(now, j.queue)
  return true
end

--- Makes sure that every key `move` may write for this job is what it should be, those of its own too.
function job.check(now, j, states)
  check_queue(now, j.queue, states)
  if j.subject ~= "" then expect(job.subject(j.subject), "zset") end
  if j.unique_key ~= "" then expect(job.unique(j.unique_key), "string") end
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
  check_queue(now, j.queue)
  return j
end

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
