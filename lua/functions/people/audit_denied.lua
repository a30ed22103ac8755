--[[
  Writes down that somebody was refused something.

  ARGV[2]  actor    ARGV[3]  what they asked for    ARGV[4]  on what    ARGV[5]  the permission they lack

  Returns  {"noted"}    {"enough"}: this actor was refused too often of late for each to be worth a line
]]
local now = clock.now(ARGV[1])
local by, verb, target, lacks = ARGV[2], ARGV[3], ARGV[4], assert(ARGV[5], "no permission")
-- A script that knocks at every door fills no audit.
local LINES_A_MINUTE = 30
local key = P .. "denied:" .. redis.sha1hex(by)

job.expect(key, "string")
audit.expect()
local count = tonumber(redis.call("GET", key) or "") or 0
if count >= LINES_A_MINUTE then return { "enough" } end
-- The minute begins with the first of them: it would never end under who goes on.
if count > 0 then redis.call("SET", key, count + 1, "KEEPTTL") else redis.call("SET", key, 1, "PX", 60000) end
audit.add(now, by, verb, target, lacks, "denied", "", "")
clock.keep()
return { "noted" }
