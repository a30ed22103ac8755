--[[
  The jobs of a subject, live ones first, then those that ended and are kept, newest first.

  KEYS[1]  namespace prefix, "reprieve:{ns}:"
  ARGV[1]  unused            ARGV[2]  subject           ARGV[3]  most rows of each sort

  Returns  {now, row …}, a row as in lib/row.lua
]]
local subject, most = ARGV[2], tonumber(ARGV[3])
local reply = { clock.now("") }
local key = job.subject(subject)
for _, id in ipairs(redis.call("ZRANGE", key, 0, 0, "BYSCORE", "LIMIT", 0, most)) do
  table.insert(reply, row(id))
end
for _, id in ipairs(redis.call("ZRANGE", key, "+inf", "(0", "BYSCORE", "REV", "LIMIT", 0, most)) do
  table.insert(reply, row(id))
end
return reply
