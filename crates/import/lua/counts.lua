--[[
  Counts what is under foreign keys.

  KEYS     the keys
  ARGV     the type each should have

  Returns  one text a key: a count, or the type it has instead
]]
local COUNTERS = { zset = "ZCARD", list = "LLEN", set = "SCARD", hash = "HLEN" }

local reply = {}
for index, key in ipairs(KEYS) do
  local found = redis.call("TYPE", key).ok
  if found == "none" then
    table.insert(reply, "0")
  elseif found ~= ARGV[index] then
    table.insert(reply, found)
  else
    table.insert(reply, tostring(redis.call(COUNTERS[found], key)))
  end
end
return reply
