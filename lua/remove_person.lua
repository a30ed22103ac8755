--[[
  Forgets somebody who might sign in; their sessions end.

  KEYS[1]  namespace prefix, "reprieve:{ns}:"
  ARGV[1]  now in ms, or "" for the server's clock
  ARGV[2]  name    ARGV[3]  actor    ARGV[4]  reason

  Returns  {"removed"}    {"missing"}    {"last_admin"}
  Events   none: no job changes
]]
local now = clock.now(ARGV[1])
local name, by, why = ARGV[2], ARGV[3], assert(ARGV[4], "no reason")

job.expect(person.key(), "hash")
job.expect(person.sessions(name), "set")
job.expect(P .. "meta", "hash")
job.expect(P .. "audit", "stream")
local known = person.load(name)
if not known then return { "missing" } end
if person.decides(known) and person.decides_alone(name) then return { "last_admin" } end

redis.call("HDEL", person.key(), name)
person.end_sessions(name, "all")
operation.audit(now, by, "remove_person", name, why, "removed", known.role, "")
clock.keep()
return { "removed" }
