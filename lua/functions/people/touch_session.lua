--[[
  Notes that a session is used, or that its person has proved again who they are.

  ARGV[2]  hash of its id    ARGV[3]  "seen_ms" | "proved_ms"

  Returns  {"noted"}    {"missing"}
]]
local now = clock.now(ARGV[1])
local session, field = person.session(ARGV[2]), assert(ARGV[3], "no field")

job.expect(session, "hash")
if redis.call("EXISTS", session) == 0 then return { "missing" } end
redis.call("HSET", session, field, int(now))
return { "noted" }
