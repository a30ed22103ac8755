--[[
  Puts tasks back into a queue of asynq, as they were.

  KEYS[1]  journal prefix    KEYS[2]  prefix of the queue's keys, "asynq:{queue}:"
  ARGV[1]  "put" | "check" (only say whether they could be put back)
  ARGV[2…] record numbers, highest first

  Returns  a word for each: "restored" | "taken" (asynq has a task of that id again) | "missing"
           {"right"} when they were to be checked    {"wrong", what}
]]
local queue = KEYS[2]

local function name_keys(number, relies_on)
  local place = redis.call("HGET", journal.record(number), "place")
  if place then relies_on(queue .. place, place == "pending" and "list" or "zset") end
end

return journal.restore(1, name_keys, function(number)
  local place, id, score, right = unpack(redis.call("HMGET", journal.record(number), "place", "name", "score", "right"))
  if not place then
    return nil
  end
  if redis.call("EXISTS", queue .. "t:" .. id) == 1 then
    return "taken"
  end
  journal.put_back(number, queue .. "t:" .. id, queue .. place, id, score, right)
  return "restored"
end)
