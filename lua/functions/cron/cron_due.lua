--[[
  The cron entries with a tick that has come, and when the next one comes.

  ARGV[2]  most entries
  ARGV[3…] names to pass by: entries that were met already and may still be due

  Returns  {now, next tick after now or "", entry, entry …}, an entry being {name, version, from_ms, definition, payload},
           or {name} of one that cannot be read
  Events   none: nothing changes
]]
local now = clock.now(ARGV[1])
local most = tonumber(ARGV[2])
if clock.stands then return { now, "" } end

local following = redis.call("ZRANGE", cron.directory(), "(" .. int(now), "+inf", "BYSCORE", "LIMIT", 0, 1, "WITHSCORES")
local reply = { now, tonumber(following[2]) ~= math.huge and following[2] or "" }
local met = {}
for index = 3, #ARGV do met[ARGV[index]] = true end
-- With those to pass by there are as many others as are asked for.
for _, name in ipairs(redis.call("ZRANGE", cron.directory(), "-inf", now, "BYSCORE", "LIMIT", 0, most + #ARGV - 2)) do
  if #reply - 2 == most then break end
  if not met[name] then
    local entry = cron.read(name, "from_ms", "definition", "payload")
    -- Without a usable entry the name alone: there is nothing to fire.
    table.insert(reply, entry and { name, entry[1], entry[2], entry[3], entry[4] } or { name })
  end
end
return reply
