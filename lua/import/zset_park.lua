--[[
  Takes members out of a plain sorted set into the journal. A member whose
  score is not the one that was seen stays.

  KEYS[1]  journal prefix    KEYS[2]  the sorted set
  ARGV     5 values a member: place, member, score, body and lock (unused)

  Returns  {"parked", record number or "" for each}    {"closed"}    {"wrong", what}
]]
local set = KEYS[2]

if journal.is_closed() then
  return { "closed" }
end
local wrong = journal.wrong_type({ set, "zset" })
if wrong then
  return { "wrong", wrong }
end

local reply = { "parked" }
for index = 1, #ARGV, 5 do
  local member, score = ARGV[index + 1], ARGV[index + 2]
  if redis.call("ZSCORE", set, member) == score then
    table.insert(reply, journal.open("zset", "set", member, "score", score))
    redis.call("ZREM", set, member)
  else
    table.insert(reply, "")
  end
end
return reply
