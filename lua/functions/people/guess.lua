--[[
  Asks whether a proof of who somebody is may be looked at, and counts it as failed until `guessed` says
  otherwise: of guesses at the same time, too, no more are looked at than are allowed one after the other.

  Each counter allows some for nothing; then each next one has to wait twice as long as the one before.

  ARGV[2]  hash of the device's secret, or ""       ARGV[3]  name
  then for each counter: what it counts, how many are for nothing. The first is that of the name; a visitor with a
  device that the person signed in with before has a counter of their own instead, so that nobody can lock them out.

  Returns  {"go"}    {"last"}: it may, and if it is wrong the next one has to wait    {"wait", ms}
]]
local now = clock.now(ARGV[1])
local device, name = ARGV[2], ARGV[3]

-- The first wait; then 2, 4, 8 minutes.
local WAIT_MS = 60000
-- The longest wait: 5 for nothing, 4 in the first quarter of an hour, then one each of these are under 100 a day.
local WAIT_MS_MAX = 960000
-- What is forgotten a day after the last failure is no attack.
local KEPT_MS = 86400000

local counters = {}
for index = 4, #ARGV, 2 do
  counters[#counters + 1] = { key = P .. "guesses:" .. ARGV[index], free = clock.given(ARGV[index + 1]) }
end
if device ~= "" and redis.call("GET", P .. "device:" .. device) == name then
  counters[1].key = P .. "guesses:device:" .. device
end
local wait = 0
for _, counter in ipairs(counters) do
  job.expect(counter.key, "hash")
  local kept = redis.call("HMGET", counter.key, "count", "until_ms")
  counter.count = (tonumber(kept[1] or "") or 0) + 1
  wait = math.max(wait, (tonumber(kept[2] or "") or 0) - now)
end
if wait > 0 then return { "wait", wait } end

local word = "go"
for _, counter in ipairs(counters) do
  local over = counter.count - counter.free
  if over > 0 then word = "last" end
  local next_ms = over > 0 and now + math.min(WAIT_MS * 2 ^ math.min(over - 1, 10), WAIT_MS_MAX) or 0
  redis.call("HSET", counter.key, "count", int(counter.count), "until_ms", int(next_ms))
  redis.call("PEXPIRE", counter.key, KEPT_MS)
end
return { word }
