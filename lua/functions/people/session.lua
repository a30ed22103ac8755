--[[
  Whose session it is, and what they may do now.

  ARGV[2]  hash of its id

  Returns  {now, name, created, seen, proved, what is kept of the person as JSON}    {now, ""} for none
]]
local now = clock.now(ARGV[1])
local kept = redis.call("HMGET", person.session(ARGV[2]), "name", "created_ms", "seen_ms", "proved_ms")
if not kept[1] then return { now, "" } end
local known = redis.call("HGET", person.key(), kept[1])
if not known then return { now, "" } end
return { now, kept[1], kept[2], kept[3], kept[4], known }
