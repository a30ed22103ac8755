--[[
  Takes a step in freezing a bulk run: looks at the next jobs and keeps the ids
  and versions of those that match. Sets change while that goes on: a job that
  exists throughout and matches throughout is found; one that moves meanwhile
  is found once or not at all.

  KEYS[1]  namespace prefix, "reprieve:{ns}:"
  ARGV[1]  now in ms, or "" for the server's clock
  ARGV[2]  run              ARGV[3]  most jobs to look at
  ARGV[4]  queue, or "" for all          ARGV[5]  kind, or ""
  ARGV[6]  subject, or ""                ARGV[7]  tag, or ""
  ARGV[8]  due from in ms, or ""         ARGV[9]  due before in ms, or ""
  ARGV[10] part of the latest error, or ""
  ARGV[11…] states

  Returns  {"collecting" | "frozen" | …the state it has instead, jobs found so far}    {"missing"}
  Events   none: no job changes
]]
local now = clock.now(ARGV[1])
local run, room = ARGV[2], tonumber(ARGV[3])
local queue, kind, subject, tag = ARGV[4], ARGV[5], ARGV[6], ARGV[7]
local due_from, due_before, wrong = tonumber(ARGV[8]), tonumber(ARGV[9]), ARGV[10]

-- Jobs of one run: what it keeps of each is some 200 bytes.
local TOTAL_MAX = 100000
-- Jobs looked at for one run: about half a minute of Redis, in pieces of two milliseconds.
local LOOKED_AT_MAX = 1000000
-- Live jobs of a subject, and as many ended ones: all that its page shows.
local SUBJECT_MAX = 1000
-- Names told apart in the split; the others are counted together.
local SPLIT_MAX = 200
-- Sets of these states are ordered by due time.
local BY_DUE = { delayed = true, held = true, retrying = true }

bulk.check(run)
local fields = bulk.load(run)
if not fields then
  return { "missing" }
end
local total = bulk.number(fields, "total")
if fields.state ~= "collecting" then
  return { fields.state, total }
end

local wanted = {}
for index = 11, #ARGV do wanted[ARGV[index]] = true end

-- Redis compares members byte by byte; Lua's own comparison depends on the locale.
local function less(a, b)
  for index = 1, math.min(#a, #b) do
    local x, y = a:byte(index), b:byte(index)
    if x ~= y then return x < y end
  end
  return #a < #b
end

-- The rank of the first member behind a place, whether or not something is still there. A binary search.
local function rank_behind(key, score, id)
  local low, high = 0, redis.call("ZCARD", key)
  while low < high do
    local middle = math.floor((low + high) / 2)
    local member = redis.call("ZRANGE", key, middle, middle, "WITHSCORES")
    local found = tonumber(member[2])
    if found < score or (found == score and not less(id, member[1])) then low = middle + 1 else high = middle end
  end
  return low
end

-- Which ids to look at: of a subject all at once, otherwise set after set, each behind where the last step ended.
local ids, cursor, looked, ends = {}, {}, 0, false
if subject ~= "" then
  job.expect(job.subject(subject), "zset")
  -- Live jobs come first, then the latest that have ended.
  ids = redis.call("ZRANGE", job.subject(subject), 0, 0, "BYSCORE", "LIMIT", 0, SUBJECT_MAX)
  for _, id in ipairs(redis.call("ZRANGE", job.subject(subject), "+inf", "(0", "BYSCORE", "REV", "LIMIT", 0, SUBJECT_MAX)) do
    table.insert(ids, id)
  end
  ends = true
else
  local queues = queue ~= "" and { queue } or redis.call("SMEMBERS", P .. "queues")
  table.sort(queues)
  local sets = {}
  for _, name in ipairs(queues) do
    for _, state in ipairs(STATES) do
      if wanted[state] then table.insert(sets, { queue = name, state = state, name = name .. ":" .. state }) end
    end
  end
  local at, at_score, at_id = fields.at_set or "", tonumber(fields.at_score), fields.at_id or ""
  local passed = at == ""
  for _, set in ipairs(sets) do
    if room > 0 and (passed or set.name == at) then
      local key = job.set(set.queue, set.state)
      job.expect(key, "zset")
      local first = 0
      if not passed then
        first = rank_behind(key, at_score, at_id)
      elseif due_from and BY_DUE[set.state] then
        first = redis.call("ZCOUNT", key, "-inf", "(" .. int(due_from))
      end
      passed = true
      local members = redis.call("ZRANGE", key, first, first + room - 1, "WITHSCORES")
      for index = 1, #members, 2 do
        table.insert(ids, members[index])
        cursor = { set.name, members[index + 1], members[index] }
      end
      local last = tonumber(members[#members])
      local beyond = due_before and BY_DUE[set.state] and last and last >= due_before
      -- What is left of this set is due too late; the next step must not begin there.
      if not beyond then room = room - #members / 2 end
    end
  end
  ends = room > 0
end

local load = job.loader({ "tags", "last_error" }, {})
local function matches(j)
  if not wanted[j.state] then return false end
  if queue ~= "" and j.queue ~= queue then return false end
  if kind ~= "" and j.kind ~= kind then return false end
  if subject ~= "" and j.subject ~= subject then return false end
  if due_from and j.due_ms < due_from then return false end
  if due_before and j.due_ms >= due_before then return false end
  if wrong ~= "" and not j.last_error:find(wrong, 1, true) then return false end
  -- Tags are names, which JSON writes as they are.
  if tag ~= "" and not j.tags:find('"' .. tag .. '"', 1, true) then return false end
  return true
end

local counts, due_min, due_max = {}, number(fields.due_min_ms), number(fields.due_max_ms)
local full = false
for _, id in ipairs(ids) do
  looked = looked + 1
  local j = load(id)
  if j and matches(j) then
    if total >= TOTAL_MAX then
      full = true
      break
    end
    -- One that moved meanwhile, and is met again, counts once.
    if redis.call("ZADD", bulk.todo(run), j.version, j.id) == 1 then
      total = total + 1
      for _, part in ipairs({ "state:" .. j.state, "queue:" .. j.queue, "kind:" .. j.kind }) do
        counts[part] = (counts[part] or 0) + 1
      end
      due_min = math.min(due_min or j.due_ms, j.due_ms)
      due_max = math.max(due_max or j.due_ms, j.due_ms)
    end
  end
end

local known = redis.call("HLEN", bulk.split(run))
for part, count in pairs(counts) do
  if known < SPLIT_MAX or redis.call("HEXISTS", bulk.split(run), part) == 1 then
    known = known + redis.call("HSETNX", bulk.split(run), part, 0)
  else
    part = part:match("^%a+:") .. "*"
  end
  redis.call("HINCRBY", bulk.split(run), part, count)
end
looked = looked + bulk.number(fields, "looked_at")
local cut = full or (not ends and looked >= LOOKED_AT_MAX)
local state = (ends or cut) and "frozen" or "collecting"
redis.call("HSET", bulk.key(run), "state", state, "total", total, "looked_at", looked, "cut", cut and "1" or "",
  "due_min_ms", due_min or "", "due_max_ms", due_max or "",
  "at_set", cursor[1] or "", "at_score", cursor[2] or "", "at_id", cursor[3] or "")
if state == "frozen" then
  redis.call("HSET", bulk.key(run), "frozen_ms", now, "expires_ms", now + bulk.FROZEN_KEPT_MS)
  bulk.keep_for(run, bulk.FROZEN_KEPT_MS)
else
  bulk.keep_for(run, bulk.COLLECTING_KEPT_MS)
end
clock.keep()
return { state, total }
