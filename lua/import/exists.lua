--[[
  Says which keys exist.

  KEYS     the keys

  Returns  "1" or "0" a key
]]
local reply = {}
for index, key in ipairs(KEYS) do reply[index] = tostring(redis.call("EXISTS", key)) end
return reply
