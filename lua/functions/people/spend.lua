--[[
  Takes one of what somebody may do in a span of time.

  ARGV[2]  what, and who         ARGV[3]  how many    ARGV[4]  span in ms

  Returns  {"spent"}    {"wait", ms}
]]
local now = clock.now(ARGV[1])
local what, most, span = ARGV[2], clock.given(ARGV[3]), clock.given(ARGV[4])
local key = P .. "spent:" .. what

job.expect(key, "hash")
local kept = redis.call("HMGET", key, "since_ms", "count")
local since, count = tonumber(kept[1] or "") or now, tonumber(kept[2] or "") or 0
if now - since >= span then since, count = now, 0 end
if count >= most then return { "wait", since + span - now } end
redis.call("HSET", key, "since_ms", int(since), "count", int(count + 1))
redis.call("PEXPIRE", key, span)
return { "spent" }
