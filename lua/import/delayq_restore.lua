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
local checks = ARGV[1] == "check"
local OCCURRENCES_MAX = 10

local types = { pool, "hash" }
local function relies_on(key, shape)
  table.insert(types, key)
  table.insert(types, shape)
end
for index = 2, #ARGV do
  local record = redis.call("HMGET", journal.record(ARGV[index]), "place", "score", "right1")
  if record[2] and record[2] ~= "" then relies_on(delay, "zset") end
  if record[3] then relies_on(ready, "list") end
  if record[1] == "process" then relies_on(process, "set") end
end
local wrong = journal.wrong_type(types)
if wrong then
  return { "wrong", wrong }
end
if checks then
  return { "right" }
end

local reply = {}
for index = 2, #ARGV do
  local number = ARGV[index]
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
