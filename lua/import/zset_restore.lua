--[[
  Puts members back into a plain sorted set, with the scores they had.

  KEYS[1]  journal prefix    KEYS[2]  the sorted set
  ARGV[1]  "put" | "check" (only say whether they could be put back)
  ARGV[2…] record numbers, highest first

  Returns  a word for each: "restored" | "superseded" (the set has that member again) | "missing"
           {"right"} when they were to be checked    {"wrong", what}
]]
local set, checks = KEYS[2], ARGV[1] == "check"

local wrong = journal.wrong_type({ set, "zset" })
if wrong then
  return { "wrong", wrong }
end
if checks then
  return { "right" }
end

local reply = {}
for index = 2, #ARGV do
  local number = ARGV[index]
  local record = redis.call("HMGET", journal.record(number), "name", "score")
  if not record[1] then
    table.insert(reply, "missing")
  elseif redis.call("ZSCORE", set, record[1]) then
    journal.close_early(number)
    table.insert(reply, "superseded")
  else
    redis.call("ZADD", set, record[2], record[1])
    journal.close_early(number)
    table.insert(reply, "restored")
  end
end
return reply
