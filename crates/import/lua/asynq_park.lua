--[[
  Takes tasks of a queue of asynq into the journal. The task's hash is renamed,
  so that it stays as it is to the last byte. A task that is not as it was seen
  stays, and so does one of ours. Its lock stays too: it runs out by itself, as it would have.

  KEYS[1]  journal prefix    KEYS[2]  prefix of the queue's keys, "asynq:{queue}:"
  ARGV     5 values a task: place, id, score or "", message, ms that its lock lived on when it was seen or ""

  Returns  {"parked", record number or "" for each}    {"closed"}    {"wrong", what}
]]
local queue = KEYS[2]

local function name_keys(place, relies_on) relies_on(queue .. place, place == "pending" and "list" or "zset") end

return journal.park(1, name_keys, function(place, id, score, message, lock_ms)
  local task = redis.pcall("HMGET", queue .. "t:" .. id, "msg", "state", "x-reprieve")
  if task.err or task[1] ~= message or task[2] ~= place or task[3] then
    return nil
  end
  if not journal.is_in(queue .. place, place == "pending", id, score) then
    return nil
  end
  local number = journal.open("asynq", place, id, "score", score, "lock_ms", lock_ms)
  journal.take(number, queue .. "t:" .. id, queue .. place, place == "pending", id)
  return number
end)
