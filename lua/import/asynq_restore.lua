--[[
  Puts tasks back into a queue of asynq, as they were.

  KEYS[1]  journal prefix    KEYS[2]  prefix of the queue's keys, "asynq:{queue}:"
  ARGV[1]  "put" | "check" (only say whether they could be put back)
  ARGV[2…] record numbers, highest first

  Returns  a word for each: "restored" | "taken" (asynq has a task of that id again) | "missing"
           {"right"} when they were to be checked    {"wrong", what}
]]
local queue, checks = KEYS[2], ARGV[1] == "check"

local types = {}
for index = 2, #ARGV do
  local place = redis.call("HGET", journal.record(ARGV[index]), "place")
  if place then
    table.insert(types, queue .. place)
    table.insert(types, place == "pending" and "list" or "zset")
  end
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
  local record = redis.call("HMGET", journal.record(number), "place", "name", "score", "right")
  local place, id, score, right = record[1], record[2], record[3], record[4]
  if not place then
    table.insert(reply, "missing")
  elseif redis.call("EXISTS", queue .. "t:" .. id) == 1 then
    table.insert(reply, "taken")
  else
    journal.put_back(number, queue .. "t:" .. id, queue .. place, id, score, right)
    table.insert(reply, "restored")
  end
end
return reply
