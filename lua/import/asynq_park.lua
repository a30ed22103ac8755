--[[
  Takes tasks of a queue of asynq into the journal. The task's hash is renamed,
  so that it stays as it is to the last byte. A task that is not as it was seen
  stays, and so does one of ours. Its lock stays too: it runs out by itself, as it would have.

  KEYS[1]  journal prefix    KEYS[2]  prefix of the queue's keys, "asynq:{queue}:"
  ARGV     5 values a task: place, id, score or "", message, ms that its lock lived on when it was seen or ""

  Returns  {"parked", record number or "" for each}    {"closed"}    {"wrong", what}
]]
local queue = KEYS[2]

if journal.is_closed() then
  return { "closed" }
end
-- Only the places they are in: what is wrong with another one is no reason to leave these.
local types = {}
for index = 1, #ARGV, 5 do
  table.insert(types, queue .. ARGV[index])
  table.insert(types, ARGV[index] == "pending" and "list" or "zset")
end
local wrong = journal.wrong_type(types)
if wrong then
  return { "wrong", wrong }
end

--- Whether the task is still as it was seen.
local function unchanged(place, id, score, message)
  local task = redis.pcall("HMGET", queue .. "t:" .. id, "msg", "state", "x-reprieve")
  if task.err or task[1] ~= message or task[2] ~= place or task[3] then
    return false
  end
  return journal.is_in(queue .. place, place == "pending", id, score)
end

local reply = { "parked" }
for index = 1, #ARGV, 5 do
  local place, id, score, message = ARGV[index], ARGV[index + 1], ARGV[index + 2], ARGV[index + 3]
  if unchanged(place, id, score, message) then
    local number = journal.open("asynq", place, id, "score", score, "lock_ms", ARGV[index + 4])
    journal.take(number, queue .. "t:" .. id, queue .. place, place == "pending", id)
    table.insert(reply, number)
  else
    table.insert(reply, "")
  end
end
return reply
