--[[
  Puts jobs of a topic of delayq back into all the places they were in.

  KEYS[1]  journal prefix    KEYS[2]  the delay set    KEYS[3]  the job pool
  KEYS[4]  the ready list    KEYS[5]  the set of what is worked on
  ARGV     record numbers, highest first

  Returns  a word for each: "restored" | "superseded" (the pool has that id again) | "missing"
           {"wrong", what}
]]
local delay, pool, ready, process = KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local OCCURRENCES_MAX = 10

local wrong = journal.wrong_type({ delay, "zset", pool, "hash", ready, "list", process, "set" })
if wrong then
  return { "wrong", wrong }
end

local reply = {}
for _, number in ipairs(ARGV) do
  local record = redis.call("HMGET", journal.record(number), "place", "name", "score", "body")
  local place, id, score, body = record[1], record[2], record[3], record[4]
  if not place then
    table.insert(reply, "missing")
  elseif redis.call("HEXISTS", pool, id) == 1 then
    journal.close_early(number)
    table.insert(reply, "superseded")
  else
    redis.call("HSET", pool, id, body)
    if score ~= "" then redis.call("ZADD", delay, score, id) end
    for occurrence = OCCURRENCES_MAX, 1, -1 do
      local right = redis.call("HGET", journal.record(number), "right" .. occurrence)
      if right then journal.put_into_list(ready, id, right) end
    end
    if place == "process" then redis.call("SADD", process, id) end
    journal.close_early(number)
    table.insert(reply, "restored")
  end
end
return reply
