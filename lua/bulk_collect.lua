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

-- Live jobs of a subject, and as many ended ones: all that its page shows.
local SUBJECT_MAX = 1000
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

local only = bulk.only_in(fields)
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
  if only then
    local theirs = {}
    for _, name in ipairs(queues) do
      if only[name] then table.insert(theirs, name) end
    end
    queues = theirs
  end
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
  if only and not only[j.queue] then return false end
  if kind ~= "" and j.kind ~= kind then return false end
  if subject ~= "" and j.subject ~= subject then return false end
  if due_from and j.due_ms < due_from then return false end
  if due_before and j.due_ms >= due_before then return false end
  if wrong ~= "" and not j.last_error:find(wrong, 1, true) then return false end
  -- Tags are names, which JSON writes as they are.
  if tag ~= "" and not j.tags:find('"' .. tag .. '"', 1, true) then return false end
  return true
end

local list = {}
for _, id in ipairs(ids) do
  local j = load(id)
  -- How many there are in other queues is nobody's business who may not look there.
  if not (j and only and not only[j.queue]) then looked = looked + 1 end
  if j and matches(j) then table.insert(list, { j, j.version }) end
end
local full = bulk.gather(run, fields, list)
local state = bulk.gathered(now, run, fields, looked, ends, full)
redis.call("HSET", bulk.key(run), "at_set", cursor[1] or "", "at_score", cursor[2] or "", "at_id", cursor[3] or "")
clock.keep()
return { state, tonumber(redis.call("HGET", bulk.key(run), "total")) }
