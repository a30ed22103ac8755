--[[
  Removes records whose roll-back date is over.

  KEYS[1]  journal prefix
  ARGV[1]  the time before which a record was made, in ms, or "" for all of them
  ARGV[2]  most records

  Returns  {number, …} of those removed
]]
local before, count = tonumber(ARGV[1]), tonumber(ARGV[2])

local reply = {}
for _, number in ipairs(redis.call("ZRANGE", journal.all, 0, count - 1)) do
  local at = tonumber(redis.call("HGET", journal.record(number), "at") or "0")
  -- What is not handed over yet is all there is of it.
  if redis.call("ZSCORE", journal.parked, number) or (before and at >= before) then
    break
  end
  journal.close(number)
  table.insert(reply, number)
end
return reply
