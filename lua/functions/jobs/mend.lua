--[[
  Goes on with a round through all keys of the namespace, and puts right what other hands have damaged and no other
  script would meet. The record is the truth:

    a job that its set, its subject, its queue's name or what is kept does not name    is named there again
    a live job whose unique key is gone before its time                                has it again
    an id in a set, and a unique key, that no record confirms                          is taken out
    an id without a record that can be used, also one of which only parts are left     is set aside and counted
    a job that waits for others which have ended                                       is let go

  Where a round stands is kept in Lua's memory, which all processes share and which costs no write. Redis forgets it when
  it ends; the next round begins anew. Concurrency keys, and what plans and batches count, are not looked at.

  ARGV[1]  now in ms, with which nobody comes too early, or "" for the server's clock
  ARGV[2]  how many keys, or members of sets, to look at; about, as SCAN and ZSCAN take it

  Returns  {in how many ms to call again, entries put right, ids set aside, rounds ended}
  Events   held -> ready | delayed | cancelled, for a job that waits for others which have ended
]]

-- Between two steps of the process that makes them, and between two rounds, in ms. After a round that took longer passes as
-- much time as it took, so that what is looked at all the time costs half as much.
local STEP_MS, REST_MS = 30, 30000

-- By namespace: `cursor` in the keys, `sets` met there with a cursor in each, when it goes `on_ms`, when it `began_ms`.
local places = {}

local OF_JOB = { attempts = true, history = true, log = true, long = true }

local function is_state(word) return LIVE[word] or ENDED[word] or false end

-- Whether the members of a key are ids.
local function names_jobs(key)
  return key == "expiring" or key:find("^subject:") ~= nil or is_state(key:match("^q:[^:]+:(%l+)$"))
end

-- The next keys, and the next members of sets as {key, {member, score …}}.
local function go_on(place, count)
  local keys, sets = {}, {}
  if #place.sets == 0 then
    local found = redis.pcall("SCAN", place.cursor, "MATCH", P .. "*", "COUNT", count)
    -- A user without the right to it has all else; `doctor` names what is missing.
    if found.err then found = { "0", {} } end
    place.cursor = found[1]
    for _, whole in ipairs(found[2]) do
      local key = whole:sub(#P + 1)
      local into = names_jobs(key) and place.sets or keys
      into[#into + 1] = into == keys and key or { key, "0" }
    end
    return keys, sets
  end
  while count > 0 and #place.sets > 0 do
    local key, cursor = unpack(table.remove(place.sets))
    local found = redis.pcall("ZSCAN", P .. key, cursor, "COUNT", count)
    if not found.err then
      if found[1] ~= "0" then place.sets[#place.sets + 1] = { key, found[1] } end
      sets[#sets + 1] = { key, found[2] }
      count = count - #found[2] / 2
    end
    count = count - 1
  end
  return keys, sets
end

-- Each call:
local now = clock.now(ARGV[1])
local count = clock.given(ARGV[2])
-- Where nothing is remembered a round would never come further than its first step.
if clock.stands or not NAME then return { REST_MS, 0, 0, 0 } end

local place = places[P] or { cursor = "0", sets = {}, on_ms = now, rest_ms = REST_MS }
local wait = place.on_ms - now
if wait > 0 and wait <= place.rest_ms and not number(ARGV[1]) then
  -- Somebody else makes the steps; who looks so rarely takes over where nobody does any more.
  return { math.max(wait, REST_MS), 0, 0, 0 }
end

job.check_quarantine()
place.began_ms = place.began_ms or now
local keys, sets = go_on(place, count)

-- What is to be written. Everything is looked at before.
local todo, aside, is_aside, placed, named, missed, waiting = {}, {}, {}, {}, {}, {}, {}
local function write(...)
  todo[#todo + 1] = { ... }
end

-- Sets an id aside, once.
local function leave_aside(id)
  if is_aside[id] or redis.call("ZSCORE", P .. "quarantine", id) then return end
  is_aside[id] = true
  aside[#aside + 1] = id
end

-- Enters an id where its place is another than it should be. What is of another type is left as it is.
local function enter(key, place_of, id)
  local found = redis.pcall("ZSCORE", key, id)
  if type(found) == "table" or found and tonumber(found) == tonumber(place_of) then return false end
  write("ZADD", key, place_of, id)
  return true
end

local function look_at_set_of(j)
  if placed[j.id] then return end
  placed[j.id] = true
  local key = job.set(j.queue, j.state)
  if j.state == "active" then
    -- The end of a lease stands nowhere else: without it, it is over.
    if redis.pcall("ZSCORE", key, j.id) == false then write("ZADD", key, "0", j.id) end
    return
  end
  local at = job.place(j)
  if j.state == "ready" and j.concurrency_key and j.concurrency_key ~= "" then
    local waits = redis.pcall("ZSCORE", concurrency_keys.waiting(j.queue, j.concurrency_key), j.id)
    if type(waits) == "string" then at = concurrency_keys.behind(at) end
  end
  if not enter(key, at, j.id) then return end
  if j.state == "ready" then job.wakes(j.queue) end
  if WAITING[j.state] and not job.damage(job.due(), "zset") then waiting[#waiting + 1] = j end
end

local function look_at_unique_key_of(j)
  if not LIVE[j.state] or j.unique_key == "" or not j.unique_ttl_ms then return end
  local left = (j.created_ms or j.due_ms) + j.unique_ttl_ms - now
  if left > 0 and redis.pcall("GET", job.unique(j.unique_key)) == false then
    write("SET", job.unique(j.unique_key), j.id, "PX", int(left))
  end
end

local function look_at_job(id)
  local j = record.load(id)
  if not j then
    return leave_aside(id)
  end
  look_at_set_of(j)
  look_at_unique_key_of(j)
  if job.constraints().was_missed(j) then missed[#missed + 1] = id end
  if not named[j.queue] then
    named[j.queue] = true
    if redis.pcall("SISMEMBER", P .. "queues", j.queue) == 0 then write("SADD", P .. "queues", j.queue) end
  end
  if j.subject ~= "" then enter(job.subject(j.subject), job.subject_place(j), id) end
  if ENDED[j.state] then
    local member, until_ms = job.kept_as(j)
    if member == id or redis.pcall("ZSCORE", P .. "expiring", member) == false then enter(P .. "expiring", until_ms, member) end
  end
end

-- Whether a record confirms that a job belongs into a set.
local function belongs(key, j)
  local queue, state = key:match("^q:([^:]+):(%l+)$")
  if queue then return j.queue == queue and j.state == state end
  if key == "expiring" then return ENDED[j.state] end
  return key == "subject:" .. j.subject
end

local function look_at_members(key, members)
  for index = 1, #members, 2 do
    local id = members[index]
    -- In `expiring`, one of several words stands for many jobs.
    if not id:find(" ", 1, true) then
      local j = record.load(id)
      if not (j and belongs(key, j)) then write("ZREM", P .. key, id) end
      if j then look_at_set_of(j) else leave_aside(id) end
    end
  end
end

local function look_at_key(key)
  local kind, name = key:match("^(%l+):(.+)$")
  if kind == "job" then
    look_at_job(name)
  elseif OF_JOB[kind] then
    if not record.load(name) then leave_aside(name) end
  elseif kind == "unique" then
    local holder = redis.pcall("GET", P .. key)
    if type(holder) ~= "string" then return end
    local j = record.load(holder)
    if not (j and LIVE[j.state] and j.unique_key == name) then write("DEL", P .. key) end
  end
end

local ids = {}
for _, key in ipairs(keys) do ids[#ids + 1] = key:match("^job:(.+)$") end
for _, set in ipairs(sets) do
  for index = 1, #set[2], 2 do ids[#ids + 1] = set[2][index] end
end
record.fetch(ids)
for _, key in ipairs(keys) do look_at_key(key) end
for _, set in ipairs(sets) do look_at_members(set[1], set[2]) end

local put_right = #todo
if #todo > 0 or #aside > 0 or #missed > 0 then
  for _, command in ipairs(todo) do redis.call(unpack(command)) end
  for _, j in ipairs(waiting) do due_queues.note(j.queue, j.due_ms) end
  for _, id in ipairs(aside) do job.quarantine(now, id) end
  for _, id in ipairs(missed) do
    if job.constraints().let_go(now, id) then put_right = put_right + 1 end
  end
  redis.call("HINCRBY", P .. "meta", "mended", put_right)
  job.finish(now)
end

local is_over = place.cursor == "0" and #place.sets == 0
if is_over then
  place.rest_ms = math.max(REST_MS, now - place.began_ms)
  place.began_ms = nil
else
  place.rest_ms = REST_MS
end
place.on_ms = now + (is_over and place.rest_ms or STEP_MS)
places[P] = place
return { place.on_ms - now, put_right, #aside, is_over and 1 or 0 }
