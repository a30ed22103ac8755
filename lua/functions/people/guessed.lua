--[[
  Takes back that a proof was counted as failed: it was right, or nobody checked it.

  If it was right, the device is known from now on, and the count of the name is forgotten. If `guess` counted for a known
  device, the count of that device is forgotten and that of the name stays, so that a sign-in of the person gives nobody who
  guesses from elsewhere a fresh start. Of an address only this one is taken back: otherwise somebody with an account could
  guess at others without end, and an office that signs in all day from one address has guessed at nothing. If nobody checked
  the proof, nothing is proved, and only this one is taken back of each.

  ARGV[2]  "right" | "unseen"                       ARGV[3]  name
  ARGV[4]  hash of the secret of the device that `guess` was given, or ""
  ARGV[5]  hash of the secret of the device that is known from now on, or ""
  ARGV[6] ...  what the counters count, as `guess` was given them. None where somebody else vouches for the person.

  Returns  {"noted"}
]]
local is_right, name, came, device = ARGV[2] == "right", assert(ARGV[3], "no name"), ARGV[4], assert(ARGV[5], "no device")
-- A quarter of a year: after a longer absence a person waits like anybody else.
local KNOWN_MS = 7776000000
local FIRST = 6

local counters = {}
for index = FIRST, #ARGV do
  local key, left = P .. "guesses:" .. ARGV[index], 0
  if index == FIRST and came ~= "" and redis.call("GET", P .. "device:" .. came) == name then
    key = P .. "guesses:device:" .. came
  end
  if index > FIRST or not is_right then
    job.expect(key, "hash")
    left = (number(redis.call("HGET", key, "count")) or 1) - 1
  end
  counters[#counters + 1] = { key = key, left = left }
end

for _, counter in ipairs(counters) do
  -- That `guess` let it through says that there was nothing to wait for.
  if counter.left > 0 then redis.call("HSET", counter.key, "count", int(counter.left), "until_ms", "0")
  else redis.call("DEL", counter.key) end
end
if device ~= "" then redis.call("SET", P .. "device:" .. device, name, "PX", KNOWN_MS) end
return { "noted" }
