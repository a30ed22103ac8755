--[[
  Notes which records a roll back is about to put back, or that they stay after
  all. In between they are parked: whatever ends the roll back, the next
  take-over brings them home.

  KEYS[1]  journal prefix
  ARGV[1]  "leaves" | "stays"
  ARGV[2…] record numbers

  Returns  {"noted"}
]]
local leaves = ARGV[1] == "leaves"
for index = 2, #ARGV do
  local number = ARGV[index]
  if not leaves then
    redis.call("ZREM", journal.parked, number)
  elseif redis.call("EXISTS", journal.record(number)) == 1 then
    redis.call("ZADD", journal.parked, number, number)
  end
end
return { "noted" }
