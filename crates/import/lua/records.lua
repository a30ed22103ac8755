--[[
  Reads records of a journal.

  KEYS[1]  journal prefix
  ARGV[1]  "parked" or "all"
  ARGV[2]  "up" or "down", by number
  ARGV[3]  the number after which to go on, "" for the first page
  ARGV[4]  most records

  Returns  one list a record: {number, place, name, score, body, at, job id, lock_ms, fields of a renamed hash …}
]]
local set, up, after, count = journal[ARGV[1]], ARGV[2] == "up", ARGV[3], tonumber(ARGV[4])

local numbers
if up then
  local from = after == "" and "-inf" or "(" .. after
  numbers = redis.call("ZRANGEBYSCORE", set, from, "+inf", "LIMIT", 0, count)
else
  local from = after == "" and "+inf" or "(" .. after
  numbers = redis.call("ZREVRANGEBYSCORE", set, from, "-inf", "LIMIT", 0, count)
end

local reply = {}
for _, number in ipairs(numbers) do
  local fields = redis.call("HMGET", journal.record(number), "place", "name", "score", "body", "at", "job", "lock_ms")
  local row = { number }
  for index = 1, 7 do table.insert(row, fields[index] or "") end
  for _, text in ipairs(redis.call("HGETALL", journal.body(number))) do table.insert(row, text) end
  table.insert(reply, row)
end
return reply
