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

-- A key of another type is wrong for those alone that are in it.
local occurrences = redis.call("TYPE", ready).ok == "list" and OCCURRENCES_MAX or 0

local function name_keys(place, relies_on)
  relies_on(delay, "zset")
  relies_on(pool, "hash")
  if place == "ready" then relies_on(ready, "list") end
  if place == "process" then relies_on(process, "set") end
end

--- Whether the job is still as it was seen.
local function unchanged(place, id, score, body)
  if redis.call("HGET", pool, id) ~= body or (redis.call("ZSCORE", delay, id) or "") ~= score then
    return false
  end
  if place == "ready" then return journal.is_near_the_end(ready, id) end
  return place ~= "process" or redis.call("SISMEMBER", process, id) == 1
end

return journal.park(1, name_keys, function(place, id, score, body)
  if not unchanged(place, id, score, body) then
    return nil
  end
  local number = journal.open("delayq", place, id, "score", score, "body", body)
  redis.call("HDEL", pool, id)
  redis.call("ZREM", delay, id)
  for occurrence = 1, occurrences do
    local right = journal.take_from_list(ready, id)
    if not right then break end
    redis.call("HSET", journal.record(number), "right" .. occurrence, right)
  end
  if place == "process" then redis.call("SREM", process, id) end
  return number
end)
