--[[
  The jobs of a subject, live ones first, then those that ended and are kept, newest first. Of many, the caller reads
  the later rows by `rows`, call by call.

  ARGV[1]  unused            ARGV[2]  subject           ARGV[3]  most jobs of each sort
  ARGV[4]  most rows

  Returns  {now, "all" | "more", {id …} of the jobs behind these rows, row …}, a row as in core/row.lua;
           "more" where more have ended than that many
]]
local subject, most, rows_max = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local key = job.subject(subject)
local reply = { clock.now(""), redis.call("ZCOUNT", key, "(0", "+inf") > most and "more" or "all", {} }
local ids = redis.call("ZRANGE", key, 0, 0, "BYSCORE", "LIMIT", 0, most)
for _, id in ipairs(redis.call("ZRANGE", key, "+inf", "(0", "BYSCORE", "REV", "LIMIT", 0, most)) do
  table.insert(ids, id)
end
local later = reply[3]
for index = rows_max + 1, #ids do
  later[index - rows_max], ids[index] = ids[index], nil
end
record.fetch(ids)
for _, id in ipairs(ids) do table.insert(reply, row(id)) end
return reply
