--[[
  Removes records whose roll-back date is over, a page at a time. Those that are not handed over yet stay: they are all
  there is of what was taken.

  KEYS[1]  journal prefix
  ARGV[1]  the time before which a record was made, in ms, or "" for all of them
  ARGV[2]  most records to look at
  ARGV[3]  the number after which to go on, "" for the first page

  Returns  {the number after which to go on, or "" at the end, number, … of those removed}
]]
local before, count, after = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]

local from = after == "" and "-inf" or "(" .. after
local numbers = redis.call("ZRANGEBYSCORE", journal.all, from, "+inf", "LIMIT", 0, count)
local reply = { #numbers == count and numbers[count] or "" }
for _, number in ipairs(numbers) do
  local at = tonumber(redis.call("HGET", journal.record(number), "at") or "0")
  if before and at >= before then
    reply[1] = ""
    break
  end
  if not redis.call("ZSCORE", journal.parked, number) then
    journal.close(number)
    table.insert(reply, number)
  end
end
journal.flush()
return reply
