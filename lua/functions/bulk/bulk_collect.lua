--[[
  Takes a step in freezing a bulk run: looks at the next jobs and keeps the ids
  and versions of those that match. Sets change while that goes on: a job that
  exists throughout and matches throughout is found; one that moves meanwhile
  is found once or not at all.

  ARGV[2]  run              ARGV[3]  most jobs to look at, and sets
  ARGV[4]  queue, or "" for all          ARGV[5]  kind, or ""
  ARGV[6]  subject, or ""                ARGV[7]  tag, or ""
  ARGV[8]  due from in ms, or ""         ARGV[9]  due before in ms, or ""
  ARGV[10] part of the latest error, or ""
  ARGV[11] how much of errors counts: "all" of them, their first "line", or "none"
  ARGV[12…] states

  Returns  {"collecting" | "frozen" | …the state it has instead, jobs found so far}    {"missing"}
]]
local now = clock.now(ARGV[1])
local run, room = ARGV[2], tonumber(ARGV[3])
local queue, kind, subject, tag = ARGV[4], ARGV[5], ARGV[6], ARGV[7]
local due_from, due_before, wrong, told = tonumber(ARGV[8]), tonumber(ARGV[9]), ARGV[10], ARGV[11]

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
for index = 12, #ARGV do wanted[ARGV[index]] = true end

-- Which ids to look at: the jobs of a subject, or set after set, each behind where the last step ended.
local ids, cursor, looked, ends = {}, { fields.at_set, fields.at_score, fields.at_id }, 0, false
-- Whether a subject has more ended jobs than are looked at.
local beyond = false
if subject ~= "" then
  local key, at_score, at_id = job.subject(subject), tonumber(fields.at_score), fields.at_id
  job.expect(key, "zset")
  local all, live = redis.call("ZCARD", key), redis.call("ZCOUNT", key, "-inf", 0)
  local live_max, ended_max = math.min(live, SUBJECT_MAX), math.min(all - live, SUBJECT_MAX)

  local function take(members)
    for index = 1, #members, 2 do table.insert(ids, members[index]) end
    cursor = { "", members[#members], members[#members - 1] }
    room = room - #members / 2
  end

  -- Live jobs come first, then the latest that have ended.
  if not at_score or at_score <= 0 then
    local first = at_score and keyset.rank(key, at_score, at_id, true) or 0
    if first < live_max then take(redis.call("ZRANGE", key, first, math.min(first + room, live_max) - 1, "WITHSCORES")) end
  end
  local behind = at_score and at_score > 0 and all - keyset.rank(key, at_score, at_id, false) or 0
  if room > 0 and behind < ended_max then
    take(redis.call("ZRANGE", key, behind, math.min(behind + room, ended_max) - 1, "REV", "WITHSCORES"))
  end
  ends = room > 0
  -- Said at the end: a run that is cut looks no further.
  beyond = ends and (wanted.done or wanted.dead or wanted.cancelled) and all > live_max + ended_max
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
  local at_queue, at_state = (fields.at_set or ""):match("^(.*):(%l+)$")
  local at_score, at_id = tonumber(fields.at_score), fields.at_id
  local passed = not at_queue

  -- The members of a set that the range allows, behind where the last step ended when that was there.
  local function look_into(name, state)
    local key, by_due, goes_on = job.set(name, state), BY_DUE[state], not passed
    job.expect(key, "zset")
    passed = true
    local first, behind = 0, nil
    if goes_on and at_score then
      first = keyset.rank(key, at_score, at_id, true)
    elseif due_from and by_due then
      first = redis.call("ZCOUNT", key, "-inf", "(" .. int(due_from))
    end
    if due_before and by_due then behind = redis.call("ZCOUNT", key, "-inf", "(" .. int(due_before)) end
    local last = math.min(first + room, behind or math.huge) - 1
    local members = last >= first and redis.call("ZRANGE", key, first, last, "WITHSCORES") or {}
    if not goes_on then cursor = { name .. ":" .. state } end
    for index = 1, #members, 2 do table.insert(ids, members[index]) end
    if #members > 0 then cursor = { name .. ":" .. state, members[#members], members[#members - 1] } end
    -- A set costs as much as a job, whether or not anything is there.
    room = room - #members / 2 - (goes_on and 0 or 1)
  end

  for _, name in ipairs(queues) do
    -- The queue where the last step ended may have left the directory since.
    if not passed and name > at_queue then passed = true end
    if room > 0 and (passed or name == at_queue) then
      for _, state in ipairs(STATES) do
        if room > 0 and wanted[state] and (passed or state == at_state) then look_into(name, state) end
      end
    end
  end
  ends = room > 0
end

local load = job.loader({ "tags", "last_error" }, {})

-- A person who may not read errors, or no more than their first lines, must not be able to guess at the rest either.
local function says(text)
  if told == "none" then return false end
  if told == "line" then text = text:match("^[^\n]*") end
  return text:find(wrong, 1, true) ~= nil
end

local function matches(j)
  if not wanted[j.state] then return false end
  if queue ~= "" and j.queue ~= queue then return false end
  if only and not only[j.queue] then return false end
  if kind ~= "" and j.kind ~= kind then return false end
  if subject ~= "" and j.subject ~= subject then return false end
  if due_from and j.due_ms < due_from then return false end
  if due_before and j.due_ms >= due_before then return false end
  if wrong ~= "" and not says(j.last_error) then return false end
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
local state = bulk.gathered(now, run, fields, looked, ends, full or beyond)
redis.call("HSET", bulk.key(run), "at_set", cursor[1] or "", "at_score", cursor[2] or "", "at_id", cursor[3] or "")
clock.keep()
return { state, tonumber(redis.call("HGET", bulk.key(run), "total")) }
