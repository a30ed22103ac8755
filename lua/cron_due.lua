--[[
  The cron entries with a tick that has come, and when the next one comes.

  KEYS[1]  namespace prefix, "reprieve:{ns}:"
  ARGV[1]  now in ms, or "" for the server's clock
  ARGV[2]  most entries

  Returns  {now, next tick after now or "", entry, entry …}, an entry being {name, version, from_ms, definition, payload}
  Events   none: nothing changes
]]
local now = clock.now(ARGV[1])
local most = tonumber(ARGV[2])
if clock.stands then return { now, "" } end

local following = redis.call("ZRANGE", cron.directory, "(" .. int(now), "+inf", "BYSCORE", "LIMIT", 0, 1, "WITHSCORES")
local reply = { now, tonumber(following[2]) ~= math.huge and following[2] or "" }
for _, name in ipairs(redis.call("ZRANGE", cron.directory, "-inf", now, "BYSCORE", "LIMIT", 0, most)) do
  local entry = cron.read(name, "from_ms", "definition", "payload")
  -- Without a usable entry the name alone: there is nothing to fire.
  table.insert(reply, entry and { name, entry[1], entry[2], entry[3], entry[4] } or { name })
end
return reply
