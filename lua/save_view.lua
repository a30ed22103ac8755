--[[
  Keeps a view under its owner and name, in place of one of the same name.

  KEYS[1]  namespace prefix, "reprieve:{ns}:"
  ARGV[1]  unused            ARGV[2]  owner and name    ARGV[3]  the view as JSON

  Returns  {"saved"}    {"too_many"}
  Events   none: no job changes
]]
local field, view = ARGV[2], ARGV[3]
-- Of all people together: a screen shows them in one row.
local VIEWS_MAX = 200
local key = P .. "views"

job.expect(key, "hash")
if redis.call("HEXISTS", key, field) == 0 and redis.call("HLEN", key) >= VIEWS_MAX then
  return { "too_many" }
end
redis.call("HSET", key, field, view)
return { "saved" }
