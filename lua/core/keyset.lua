--[[
  Places in a sorted set that stay right while others come and go: behind a score and an id, whether or not that
  member still exists.
]]
local keyset = {}
do

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

--- How many members lie before a place, and at it when `and_at`. A binary search by rank among those of its score.
function keyset.rank(key, score, id, and_at)
  local low = redis.call("ZCOUNT", key, "-inf", "(" .. int(score))
  local high = redis.call("ZCOUNT", key, "-inf", int(score))
  while low < high do
    local middle = math.floor((low + high) / 2)
    local member = redis.call("ZRANGE", key, middle, middle, "WITHSCORES")
    local found_score, found = tonumber(member[2]), member[1]
    local counts = keyset.before(found_score, found, score, id) or (and_at and found_score == score and found == id)
    if counts then low = middle + 1 else high = middle end
  end
  return low
end

-- Members read from one set at once: the first time one, and each time twice as many up to this. Most sets have nothing
-- that comes so early.
keyset.PART_MAX = 32

-- Goes on to the next member of a set of `keyset.first`; whether there is one.
function keyset.step(set, descending)
  set.at = set.at + 2
  if not (set.members and set.members[set.at]) then
    if set.rank >= set.card then return false end
    local last = math.min(set.rank + set.part, set.card) - 1
    if descending then set.members = redis.call("ZRANGE", set.key, set.rank, last, "REV", "WITHSCORES")
    else set.members = redis.call("ZRANGE", set.key, set.rank, last, "WITHSCORES") end
    set.at, set.rank, set.part = 1, last + 1, math.min(set.part * 2, keyset.PART_MAX)
  end
  set.id, set.score = set.members[set.at], tonumber(set.members[set.at + 1])
  return true
end

-- Lets the set at this place of a heap down to where no set below it comes before.
function keyset.sink(heap, at, comes_before)
  local one = heap[at]
  while heap[2 * at] do
    local below = 2 * at
    if heap[below + 1] and comes_before(heap[below + 1], heap[below]) then below = below + 1 end
    if not comes_before(heap[below], one) then break end
    heap[at], at = heap[below], below
  end
  heap[at] = one
end

--- The first members of all these sets together, as { score, id }, at most so many. A set has `key`, `card`, and `rank`,
--- how many of its members are left out at the end where it begins. Costs a read a set and a little more a member.
function keyset.first(sets, descending, most)
  local function comes_before(a, b)
    if descending then return keyset.before(b.score, b.id, a.score, a.id) end
    return keyset.before(a.score, a.id, b.score, b.id)
  end
  local heap, found = {}, {}
  for _, set in ipairs(sets) do
    set.at, set.part = -1, 1
    if keyset.step(set, descending) then heap[#heap + 1] = set end
  end
  for at = math.floor(#heap / 2), 1, -1 do keyset.sink(heap, at, comes_before) end
  while #found < most and heap[1] do
    local set = heap[1]
    found[#found + 1] = { score = set.score, id = set.id }
    if not keyset.step(set, descending) then
      heap[1] = heap[#heap]
      heap[#heap] = nil
    end
    if heap[1] then keyset.sink(heap, 1, comes_before) end
  end
  return found
end
end
