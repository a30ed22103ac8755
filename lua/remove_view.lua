--[[
  Forgets a view.

  KEYS[1]  namespace prefix, "reprieve:{ns}:"
  ARGV[1]  unused            ARGV[2]  owner and name    ARGV[3]  "shared" for only one that everybody sees, or ""

  Returns  {"removed"}    {"missing"}
  Events   none: no job changes
]]
local field, only_shared = ARGV[2], ARGV[3] == "shared"
job.expect(P .. "views", "hash")
if only_shared then
  local reads, view = pcall(cjson.decode, redis.call("HGET", P .. "views", field) or "")
  if not (reads and type(view) == "table" and view.shared == true) then return { "missing" } end
end
return { redis.call("HDEL", P .. "views", field) == 1 and "removed" or "missing" }
