--[[
  Forgets a view. One that everybody sees may be that of somebody else: who removes it as such stands in the audit, with
  its owner and its name, and without its filter, which may name a subject.

  ARGV[2]  owner and name    ARGV[3]  "shared" for only one that everybody sees, or ""
  ARGV[4]  actor

  Returns  {"removed"}    {"missing"}
]]
local now = clock.now(ARGV[1])
local field, only_shared, by = ARGV[2], ARGV[3] == "shared", assert(ARGV[4], "no actor")
-- As it stands in the audit.
local named = string.gsub(field, "\n", "/", 1)

job.expect(P .. "views", "hash")
if only_shared then
  audit.expect()
  local reads, view = pcall(cjson.decode, redis.call("HGET", P .. "views", field) or "")
  if not (reads and type(view) == "table" and view.shared == true) then return { "missing" } end
end
if redis.call("HDEL", P .. "views", field) == 0 then return { "missing" } end
if only_shared then
  audit.add(now, by, "remove_view", named, "", "removed", "", "")
  clock.keep()
end
return { "removed" }
