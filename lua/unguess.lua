--[[
  Takes back that a proof was counted as failed that was not looked at. Unlike `guessed_well` it forgets no more than that
  one: nobody has proved anything.

  KEYS[1]  namespace prefix, "reprieve:{ns}:"
  ARGV[1]  now in ms, or "" for the server's clock
  ARGV[2]  hash of the device's secret, or "" ARGV[3]  name
  ARGV[4] ...  what the counters count, as `guess` was given them

  Returns  {"noted"}
  Events   none: no job changes
]]
local device, name = ARGV[2], assert(ARGV[3], "no name")

local counters = {}
for index = 4, #ARGV do
  counters[#counters + 1] = { key = P .. "guesses:" .. ARGV[index] }
end
if counters[1] and device ~= "" and redis.call("GET", P .. "device:" .. device) == name then
  counters[1].key = P .. "guesses:device:" .. device
end
for _, counter in ipairs(counters) do
  job.expect(counter.key, "hash")
  counter.left = (number(redis.call("HGET", counter.key, "count")) or 1) - 1
end

for _, counter in ipairs(counters) do
  -- That `guess` let it through says that there was nothing to wait for.
  if counter.left > 0 then redis.call("HSET", counter.key, "count", int(counter.left), "until_ms", "0")
  else redis.call("DEL", counter.key) end
end
return { "noted" }
