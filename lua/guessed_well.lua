--[[
  Takes back that a proof was counted as failed, and knows the device from now on. What was counted by name is
  forgotten; where `guess` counted for a device that was known, that is, and the name's stays: whoever guesses from
  elsewhere gets no fresh start each time that the person comes in. Of an address only this one is taken back: whoever has
  an account could guess at others for ever, and an office that signs in all day from one address has guessed at nothing.

  KEYS[1]  namespace prefix, "reprieve:{ns}:"
  ARGV[1]  now in ms, or "" for the server's clock
  ARGV[2]  hash of the device's secret, or "" ARGV[3]  name
  ARGV[4]  hash of the secret of the device that `guess` was given, or ""
  ARGV[5]  what the first counter counts, which is forgotten    ARGV[6] ...  what the others count. None where somebody
  else vouches for the person.

  Returns  {"noted"}
  Events   none: no job changes
]]
local device, name, came = ARGV[2], assert(ARGV[3], "no name"), assert(ARGV[4], "no device")
-- A quarter of a year: whoever was away longer waits like anybody else.
local KNOWN_MS = 7776000000

local first = ARGV[5]
if first and came ~= "" and redis.call("GET", P .. "device:" .. came) == name then first = "device:" .. came end
local others = {}
for index = 6, #ARGV do
  local key = P .. "guesses:" .. ARGV[index]
  job.expect(key, "hash")
  local left = (number(redis.call("HGET", key, "count")) or 1) - 1
  others[#others + 1] = { key = key, left = left }
end

if first then redis.call("DEL", P .. "guesses:" .. first) end
for _, other in ipairs(others) do
  -- That this one was looked at says that there was nothing to wait for.
  if other.left > 0 then redis.call("HSET", other.key, "count", int(other.left), "until_ms", "0")
  else redis.call("DEL", other.key) end
end
if device ~= "" then redis.call("SET", P .. "device:" .. device, name, "PX", KNOWN_MS) end
return { "noted" }
