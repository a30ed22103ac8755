--[[
  Says which keys, or fields of hashes, exist.

  KEYS     the keys
  ARGV     a field for each; none at all where whole keys are asked for

  Returns  "1" or "0" a key
]]
local reply = {}
for index, key in ipairs(KEYS) do
  local field = ARGV[index]
  reply[index] = tostring(field and redis.call("HEXISTS", key, field) or not field and redis.call("EXISTS", key))
end
return reply
