--[[
  Puts jobs of a topic of delayq back into all the places they were in.

  KEYS[1]  journal prefix    KEYS[2]  the delay set    KEYS[3]  the job pool
  KEYS[4]  the ready list    KEYS[5]  the set of what is worked on
  ARGV[1]  "put" | "check" (only say whether they could be put back)
  ARGV[2…] record numbers, highest first

  Returns  a word for each: "restored" | "superseded" (the pool has that id again) | "missing"
           {"right"} when they were to be checked    {"wrong", what}
]]
local delay, pool, ready, process = KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local OCCURRENCES_MAX = 10

local function name_keys(number, relies_on)
  local place, score, right = unpack(redis.call("HMGET", journal.record(number), "place", "score", "right1"))
  relies_on(pool, "hash")
  if score and score ~= "" then relies_on(delay, "zset") end
  if right then relies_on(ready, "list") end
  if place == "process" then relies_on(process, "set") end
end

return journal.restore(1, name_keys, function(number)
  local place, id, score, body = unpack(redis.call("HMGET", journal.record(number), "place", "name", "score", "body"))
  if not place then
    return nil
  end
  if redis.call("HEXISTS", pool, id) == 1 then
    journal.close_early(number)
    return "superseded"
  end
  redis.call("HSET", pool, id, body)
  if score ~= "" then redis.call("ZADD", delay, score, id) end
  for occurrence = OCCURRENCES_MAX, 1, -1 do
    local right = redis.call("HGET", journal.record(number), "right" .. occurrence)
    if right then journal.put_into_list(ready, id, right) end
  end
  if place == "process" then redis.call("SADD", process, id) end
  journal.close_early(number)
  return "restored"
end)
