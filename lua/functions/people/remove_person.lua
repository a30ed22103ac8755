--[[
  Forgets somebody who might sign in; their sessions end. The views that they alone saw go with them, those that
  everybody sees stay.

  ARGV[2]  name    ARGV[3]  actor    ARGV[4]  reason

  Returns  {"removed"}    {"missing"}    {"last_admin"}
]]
local now = clock.now(ARGV[1])
local name, by, why = ARGV[2], ARGV[3], assert(ARGV[4], "no reason")

job.expect(person.key(), "hash")
job.expect(person.sessions(name), "set")
audit.expect()
job.expect(P .. "views", "hash")
local known = person.load(name)
if not known then return { "missing" } end
if person.decides(known) and person.decides_alone(name) then return { "last_admin" } end

redis.call("HDEL", person.key(), name)
person.end_sessions(name, "all")
-- No more than `save_view` lets in.
local views, of_theirs = redis.call("HGETALL", P .. "views"), name .. "\n"
for index = 1, #views, 2 do
  if string.sub(views[index], 1, #of_theirs) == of_theirs then
    local reads, view = pcall(cjson.decode, views[index + 1])
    if not (reads and type(view) == "table" and view.shared == true) then
      redis.call("HDEL", P .. "views", views[index])
    end
  end
end
audit.add(now, by, "remove_person", name, why, "removed", known.role, "")
clock.keep()
return { "removed" }
