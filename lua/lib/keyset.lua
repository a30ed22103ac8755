--[[
  Places in a sorted set that stay right while others come and go: behind a score and an id, whether or not that
  member still exists.
]]
local keyset = {}

-- Redis compares members byte by byte; Lua's own comparison depends on the locale.
local function less(a, b)
  for index = 1, math.min(#a, #b) do
    local x, y = a:byte(index), b:byte(index)
    if x ~= y then return x < y end
  end
  return #a < #b
end

--- Whether one place comes before another.
function keyset.before(score_a, id_a, score_b, id_b)
  if score_a ~= score_b then return score_a < score_b end
  return less(id_a, id_b)
end

--- How many members lie before a place, and at it when `and_at`. A binary search by rank.
function keyset.rank(key, card, score, id, and_at)
  local low, high = 0, card
  while low < high do
    local middle = math.floor((low + high) / 2)
    local member = redis.call("ZRANGE", key, middle, middle, "WITHSCORES")
    local found_score, found = tonumber(member[2]), member[1]
    local counts = keyset.before(found_score, found, score, id) or (and_at and found_score == score and found == id)
    if counts then low = middle + 1 else high = middle end
  end
  return low
end
