--[[
  Adds somebody who may sign in, or changes what is kept of them.

  ARGV[2]  name
  ARGV[3]  "add": nobody of that name yet; "first": nobody at all yet; "change": somebody of that name
  ARGV[4]  what changes, as JSON: texts under names; "" forgets one
  ARGV[5]  the revision that is to be changed, or "" for any
  ARGV[6]  which sessions end: "none", "all", or the hash of the one that goes on
  ARGV[7]  actor    ARGV[8]  verb of the audit    ARGV[9]  reason    ARGV[10]  before    ARGV[11]  after

  Returns  {"saved", revision}    {"exists"}    {"missing"}    {"changed"}    {"full"}    {"last_admin"}
]]
local now = clock.now(ARGV[1])
local name, mode, patch, seen, ends = ARGV[2], ARGV[3], cjson.decode(ARGV[4]), ARGV[5], ARGV[6]
local by, verb, why, before, after = ARGV[7], ARGV[8], ARGV[9], ARGV[10], assert(ARGV[11], "nothing after")

job.expect(person.key(), "hash")
job.expect(person.sessions(name), "set")
audit.expect()
local known = person.load(name)
if mode == "change" then
  if not known then return { "missing" } end
  if seen ~= "" and known.revision ~= seen then return { "changed" } end
else
  if known then return { "exists" } end
  local many = redis.call("HLEN", person.key())
  if mode == "first" and many > 0 then return { "exists" } end
  if many >= person.PEOPLE_MAX then return { "full" } end
  known = { created_ms = int(now), by = by, revision = "0" }
end

local decided = person.decides(known)
person.change(known, patch)
if decided and not person.decides(known) and person.decides_alone(name) then
  return { "last_admin" }
end

person.keep(name, known)
if ends ~= "none" then person.end_sessions(name, ends) end
audit.add(now, by, verb, name, why, "saved", before, after)
clock.keep()
return { "saved", known.revision }
