--[[
  Takes back that a proof was counted as failed, and knows the device from now on.

  KEYS[1]  namespace prefix, "reprieve:{ns}:"
  ARGV[1]  now in ms, or "" for the server's clock
  ARGV[2]  hash of the device's secret, or "" ARGV[3]  name    ARGV[4] ...  what the counters count

  Returns  {"noted"}
  Events   none: no job changes
]]
local device, name = ARGV[2], assert(ARGV[3], "no name")
-- A quarter of a year: whoever was away longer waits like anybody else.
local KNOWN_MS = 7776000000

for index = 4, #ARGV do redis.call("DEL", P .. "guesses:" .. ARGV[index]) end
if device ~= "" then redis.call("SET", P .. "device:" .. device, name, "PX", KNOWN_MS) end
return { "noted" }
