--[[
  Puts tasks back into a queue of asynq, as they were.

  KEYS[1]  journal prefix    KEYS[2]  prefix of the queue's keys, "asynq:{queue}:"
  ARGV     record numbers, highest first

  Returns  a word for each: "restored" | "taken" (asynq has a task of that id again) | "missing"
           {"wrong", what}
]]
local queue = KEYS[2]

local wrong = journal.wrong_type({
  queue .. "pending", "list", queue .. "scheduled", "zset", queue .. "retry", "zset",
  queue .. "archived", "zset", queue .. "completed", "zset",
})
if wrong then
  return { "wrong", wrong }
end

local reply = {}
for _, number in ipairs(ARGV) do
  local record = redis.call("HMGET", journal.record(number), "place", "name", "score", "right")
  local place, id, score, right = record[1], record[2], record[3], record[4]
  if not place then
    table.insert(reply, "missing")
  elseif redis.call("EXISTS", queue .. "t:" .. id) == 1 then
    table.insert(reply, "taken")
  else
    redis.call("RENAME", journal.body(number), queue .. "t:" .. id)
    if place == "pending" then
      journal.put_into_list(queue .. place, id, right)
    else
      redis.call("ZADD", queue .. place, score, id)
    end
    journal.close_early(number)
    table.insert(reply, "restored")
  end
end
return reply
