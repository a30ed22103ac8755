--[[
  Puts members back into a plain sorted set, with the scores they had.

  KEYS[1]  journal prefix    KEYS[2]  the sorted set
  ARGV[1]  "put" | "check" (only say whether they could be put back)
  ARGV[2…] record numbers, highest first

  Returns  a word for each: "restored" | "superseded" (the set has that member again) | "missing"
           {"right"} when they were to be checked    {"wrong", what}
]]
local set = KEYS[2]

local function name_keys(_, relies_on) relies_on(set, "zset") end

return journal.restore(1, name_keys, function(number)
  local member, score = unpack(redis.call("HMGET", journal.record(number), "name", "score"))
  if not member then
    return nil
  end
  local is_superseded = redis.call("ZSCORE", set, member)
  if not is_superseded then redis.call("ZADD", set, score, member) end
  journal.close_early(number)
  return is_superseded and "superseded" or "restored"
end)
