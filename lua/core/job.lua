--[[
  A job in Redis: its keys, what is read of its record, and what is checked
  before a script writes. `move.lua` has the writing.

  A script calls, in this order: a loader and `check` for every job it may
  change, then `move`, then `finish` once. Redis keeps what a script wrote
  before it failed, so everything that can fail comes before the first write.

  What a field is when it is absent stands in `record.lua`; besides:

    created_ms   due_ms        ready_ms     created_ms
    created_by   client        token        version, while it is active
]]
local job = {}

-- Keys

-- The id comes last: it may hold colons, and a key of one job must never be that of another.
function job.attempts(id) return P .. "attempts:" .. id end
function job.history(id) return P .. "history:" .. id end
function job.log(id) return P .. "log:" .. id end
local expected = {}
-- Names of sets by queue and state, of one namespace: they are the same in every call, and to make one costs a third of a
-- small command. Of more queues they are made anew, so that they take no memory to speak of.
local QUEUES_NAMED_MAX = 64
local sets, named_count, named_of = {}, 0, nil
fresh(function()
  if next(expected) then expected = {} end
  if named_of ~= P or named_count > QUEUES_NAMED_MAX then sets, named_count, named_of = {}, 0, P end
end)
function job.set(queue, state)
  local of = sets[queue]
  if not of then
    of = {}
    sets[queue], named_count = of, named_count + 1
  end
  local key = of[state]
  if not key then
    key = P .. "q:" .. queue .. ":" .. state
    of[state] = key
  end
  return key
end
function job.wake(queue) return P .. "q:" .. queue .. ":wake" end
--- Sorted set of the queues in which jobs wait for their time: none of them is due before the score.
function job.due() return P .. "due" end
--- At most one token, for the forwarder that blocks on it.
function job.due_wake() return P .. "due:wake" end
--- What people have set for a queue, and the credit of its rate limit.
function job.limits(queue) return P .. "q:" .. queue .. ":limits" end
function job.paused(queue) return P .. "q:" .. queue .. ":paused" end
--- Queues that people have paused or limited: they are shown also while no job was ever in them.
function job.configured() return P .. "queues:configured" end
--- A sorted set: live jobs have score 0, ended ones the time they ended.
function job.subject(subject) return P .. "subject:" .. subject end
function job.unique(key) return P .. "unique:" .. key end

-- Reading

local function lease_end(queue, id)
  local score = redis.call("ZSCORE", job.set(queue, "active"), id)
  return score and tonumber(score) or nil
end

local function make_loader(texts, numbers)
  local wants_token, wants_lease, long = false, false, {}
  for _, name in ipairs(texts) do
    if MAY_BE_LONG[name] then long[#long + 1] = name end
  end
  for _, name in ipairs(numbers) do
    wants_token = wants_token or name == "token"
    -- The end of a lease is a score, not a field.
    wants_lease = wants_lease or name == "lease_until_ms"
  end
  return function(id)
    local j = record.load(id)
    if not j then
      return nil
    end
    if wants_token then
      -- The token is a field of its own only once something else has changed the version.
      j.token_kept = j.extras ~= nil and j.extras.token ~= nil
      if j.state == "active" and not j.token_kept then j.token = j.version end
    end
    if wants_lease and j.state == "active" then j.lease_until_ms = lease_end(j.queue, id) end
    if j.long then
      for _, name in ipairs(long) do j[name] = record.text(j, name) end
    end
    return j
  end
end

--- A function that reads jobs with these fields besides the core: texts ("" when absent) and numbers
--- (nil when absent). It returns nil for an id without a record that can be used. Made at its first use: while a
--- library is loaded, Redis offers none of Lua's own functions.
function job.loader(texts, numbers)
  local load
  return function(id)
    load = load or make_loader(texts, numbers)
    return load(id)
  end
end

local load_leased = job.loader({ "worker", "spent_as" },
  { "token", "spent_token", "started_ms", "cancel_ms", "sequence", "retention_ms", "max_attempts", "stalls" })
--- Reads jobs whose lease is to be judged and ended.
function job.lease_loader() return load_leased end

local load_standing = job.loader({ "worker" },
  { "started_ms", "ended_ms", "cancel_ms", "retention_ms", "max_attempts", "unique_ttl_ms", "token", "sequence" })
--- Reads jobs for a person's verb, which tells where they stand.
function job.standing_loader() return load_standing end

--- What a consumer is handed of a job, as texts: payload, headers, max_attempts ("" unlimited), created_ms.
function job.content(id)
  local j = record.load(id)
  local created = record.text(j, "created_ms")
  return record.text(j, "payload"), record.text(j, "headers"), j.max_attempts and int(j.max_attempts) or "",
    created ~= "" and created or record.text(j, "due_ms")
end

--- Where the job stands, for a reply that begins with `word`: id, state, version, due, started, ended, worker, now, created.
function job.standing(word, j, now)
  local created = record.text(j, "created_ms")
  return {
    word, j.id, j.state, j.version, j.due_ms, j.started_ms or "", j.ended_ms or "", j.worker or "", now,
    created ~= "" and created or j.due_ms,
  }
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

-- A lost reply is rare, and so is a claim that nobody hears of; five in a row are no accident.
job.UNHEARD_MAX = 5

--- Notes that the holder of the present lease was heard of. The caller has the record written.
function job.hear(j)
  if j.heard == j.token then return false end
  j.heard = j.token
  record.set(j, "heard", j.token)
  return true
end

--- Counts a lease of which nothing was ever heard, which costs no attempt. Returns where the job goes, `to` unless that was
--- one too often, and why.
function job.unheard(j, to, why, changes)
  local count = (j.unheard or 0) + 1
  changes.unheard = count
  if count < job.UNHEARD_MAX then
    return to, why
  end
  return "dead", "lost " .. int(count) .. " times: " .. why
end

-- As often as somebody looks once a minute for a week.
job.TAKEN_BACK_MAX = 10000

--- Whether the attempts of a job that its workers took back, for they put it off or gave it back, are one too many with this
--- one. A job that may be tried without end may be put off without end.
function job.ends_taken_back(j)
  return j.max_attempts and (j.taken_back or 0) + 1 >= job.TAKEN_BACK_MAX
end

--- Counts an attempt that its worker took back. Returns where the job goes, `to` unless that was one too often, and why.
function job.taken_back(j, to, why, changes)
  changes.taken_back = (j.taken_back or 0) + 1
  if not job.ends_taken_back(j) then
    return to, why
  end
  local count = int(changes.taken_back)
  changes.last_error = "put off or given back " .. count .. " times, which cost no attempt; the last time: " .. why
  return "dead", changes.last_error
end

--- Whether the subject of a job has no room for one more that lives. Asked before an ended job comes to life again.
function job.subject_is_full(j)
  local live = j.subject ~= "" and redis.pcall("ZCOUNT", job.subject(j.subject), 0, 0)
  -- One that holds something else counts nothing, as where it is written.
  return type(live) == "number" and live >= constants.SUBJECT_LIVE_MAX
end

-- Checking

-- How to count what a key of a type holds. It fails for any other type, and costs two thirds of asking what the key is.
local COUNTS = { zset = "ZCARD", stream = "XLEN" }

-- What a key holds, by its type; "none" for nothing.
local function type_of(key, wanted)
  local count = COUNTS[wanted] and redis.pcall(COUNTS[wanted], key)
  if type(count) == "number" then
    if count > 0 then return wanted end
    -- A stream may be there and have no entry.
    if wanted == "zset" then return "none" end
  end
  return redis.call("TYPE", key).ok
end

--- What is wrong with a key that should be of this type or absent; nil when nothing is. One that `is_shared` by the jobs of a
--- queue or namespace is looked at once a second.
local function damage(key, wanted, is_shared)
  local expected = is_shared and clock.known.sound or expected
  if expected[key] then
    return nil
  end
  local found = type_of(key, wanted)
  if found ~= "none" and found ~= wanted then
    return "DAMAGED key " .. key .. " holds a " .. found .. ", not a " .. wanted
  end
  expected[key] = found
  return nil
end

--- Fails, before anything is written, when a key holds something of another type.
local function expect(key, wanted, is_shared)
  local wrong = damage(key, wanted, is_shared)
  if wrong then error({ err = wrong }) end
end
job.expect = expect

--- Fails when a counter cannot count.
local function expect_number(key, text)
  if text and not number(text) then
    error({ err = "DAMAGED key " .. key .. " holds no number" })
  end
end

-- Fails when the counter of jobs that became ready cannot count.
local function check_sequence()
  local key = P .. "sequence"
  if clock.known.sound[key] then return end
  local text = redis.pcall("GET", key)
  if type(text) == "table" then expect(key, "string") end
  expect_number(key, text)
  clock.known.sound[key], job.sequence = "string", text and number(text) or 0
end

--- Makes sure that the keys which jobs of a queue share are what they should be. `states` names the sets
--- that the script may touch; all of them unless given. Wake tokens and counts are not worth a check: what cannot be
--- written there is counted as damage.
local function check_queue(now, queue, states)
  states = states or STATES
  local checked = clock.known.checked
  if checked[queue] == STATES or checked[queue] == states then
    return
  end
  if not checked[""] then
    -- The clock has read `meta`, which is what it should be.
    local counters = redis.call("HMGET", P .. "meta", "damaged", "quarantined")
    expect_number(P .. "meta", counters[1])
    expect_number(P .. "meta", counters[2])
    expect_number(P .. "meta", clock.removed_text)
    expect(P .. "events", "stream", true)
    checked[""] = true
  end
  for _, state in ipairs(states) do
    expect(job.set(queue, state), "zset", true)
    if state == "ready" then
      check_sequence()
    elseif WAITING[state] then
      expect(job.due(), "zset", true)
    elseif ENDED[state] then
      expect(P .. "expiring", "zset", true)
    end
  end
  checked[queue] = states
end
job.check_queue = check_queue

--- What is wrong with the sets of a queue, all of them unless `states` names some; nil when nothing is. A script that
--- serves many queues passes such a one over: it must not hold up the others.
function job.damage_of_queue(queue, states)
  for _, state in ipairs(states or STATES) do
    local wrong = damage(job.set(queue, state), "zset", true)
    if wrong then return wrong end
  end
  return nil
end
job.damage = damage

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
