--[[
  Forgets a view.

  KEYS[1]  namespace prefix, "reprieve:{ns}:"
  ARGV[1]  unused            ARGV[2]  owner and name

  Returns  {"removed"}    {"missing"}
  Events   none: no job changes
]]
local field = ARGV[2]
job.expect(P .. "views", "hash")
return { redis.call("HDEL", P .. "views", field) == 1 and "removed" or "missing" }
