--[[
  The jobs of a subject, live ones first, then those that ended and are kept, newest first.

  KEYS[1]  namespace prefix, "reprieve:{ns}:"
  ARGV[1]  unused            ARGV[2]  subject           ARGV[3]  most rows of each sort

  Returns  {now, row …}, a row as in lib/row.lua
]]
local subject, most = ARGV[2], tonumber(ARGV[3])
local reply = { clock.now("") }
for index, id in ipairs(redis.call("SMEMBERS", job.subject(subject))) do
  if index <= most then table.insert(reply, row(id)) end
end
for _, id in ipairs(redis.call("ZRANGE", job.subject_ended(subject), 0, most - 1, "REV")) do
  table.insert(reply, row(id))
end
return reply
