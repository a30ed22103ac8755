--[[
  Takes jobs of a topic of delayq into the journal, each from all the places
  it is in. A job whose body or score is not the one that was seen stays.

  KEYS[1]  journal prefix    KEYS[2]  the delay set    KEYS[3]  the job pool
  KEYS[4]  the ready list    KEYS[5]  the set of what is worked on
  ARGV     5 values a job: place, id, score in the delay set or "", body, lock (unused)

  Returns  {"parked", record number or "" for each}    {"closed"}    {"wrong", what}
]]
local delay, pool, ready, process = KEYS[2], KEYS[3], KEYS[4], KEYS[5]
-- A start of delayq puts ids into the ready list again; nobody starts it that often.
local OCCURRENCES_MAX = 10

if journal.is_closed() then
  return { "closed" }
end
-- Besides the pool and the delay set only the places they are in: what is wrong with another one is no reason to leave
-- these.
local types = { delay, "zset", pool, "hash" }
for index = 1, #ARGV, 5 do
  if ARGV[index] ~= "delay" then
    table.insert(types, ARGV[index] == "ready" and ready or process)
    table.insert(types, ARGV[index] == "ready" and "list" or "set")
  end
end
local wrong = journal.wrong_type(types)
if wrong then
  return { "wrong", wrong }
end
local ready_is_list = redis.call("TYPE", ready).ok == "list"

--- Whether the job is still as it was seen.
local function unchanged(place, id, score, body)
  if redis.call("HGET", pool, id) ~= body or (redis.call("ZSCORE", delay, id) or "") ~= score then
    return false
  end
  if place == "ready" then return journal.is_near_the_end(ready, id) end
  return place ~= "process" or redis.call("SISMEMBER", process, id) == 1
end

local reply = { "parked" }
for index = 1, #ARGV, 5 do
  local place, id, score, body = ARGV[index], ARGV[index + 1], ARGV[index + 2], ARGV[index + 3]
  if unchanged(place, id, score, body) then
    local number = journal.open("delayq", place, id, "score", score, "body", body)
    redis.call("HDEL", pool, id)
    redis.call("ZREM", delay, id)
    for occurrence = 1, ready_is_list and OCCURRENCES_MAX or 0 do
      local right = journal.take_from_list(ready, id)
      if not right then break end
      redis.call("HSET", journal.record(number), "right" .. occurrence, right)
    end
    if place == "process" then redis.call("SREM", process, id) end
    table.insert(reply, number)
  else
    table.insert(reply, "")
  end
end
return reply
