--[[
  Takes members out of a plain sorted set into the journal. A member whose
  score is not the one that was seen stays.

  KEYS[1]  journal prefix    KEYS[2]  the sorted set
  ARGV     5 values a member: place, member, score, body and lock (unused)

  Returns  {"parked", record number or "" for each}    {"closed"}    {"wrong", what}
]]
local set = KEYS[2]

local function name_keys(_, relies_on) relies_on(set, "zset") end

return journal.park(1, name_keys, function(_, member, score)
  if redis.call("ZSCORE", set, member) ~= score then
    return nil
  end
  local number = journal.open("zset", "set", member, "score", score)
  redis.call("ZREM", set, member)
  return number
end)
