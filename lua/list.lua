--[[
  One page of jobs over any number of state sets, merged by score and id.
  A keyset: the page starts behind a row, whether or not that row still exists.

  KEYS[1]  namespace prefix, "reprieve:{ns}:"
  ARGV[1]  unused            ARGV[2]  "asc" | "desc"    ARGV[3]  rows wanted
  ARGV[4]  score of the row to start behind, or ""      ARGV[5]  its id
  ARGV[6]  queue, or "" for all                         ARGV[7…] states

  Returns  {now, total, "more" | "end", {score, row} …}, a row as in lib/row.lua
]]
local now = clock.now("")
local descending, size = ARGV[2] == "desc", tonumber(ARGV[3])
local after_score, after_id, only = tonumber(ARGV[4]), ARGV[5], ARGV[6]

local queues = only ~= "" and { only } or redis.call("SMEMBERS", P .. "queues")

local found, total = {}, 0
for _, queue in ipairs(queues) do
  for index = 7, #ARGV do
    local key = job.set(queue, ARGV[index])
    local card = redis.call("ZCARD", key)
    total = total + card
    local first, last = 0, size
    if descending then
      local top = card - 1
      if after_score then top = keyset.rank(key, card, after_score, after_id, not descending) - 1 end
      first, last = math.max(top - size, 0), top
    elseif after_score then
      first = keyset.rank(key, card, after_score, after_id, not descending)
      last = first + size
    end
    if card > 0 and last >= first then
      local members = redis.call("ZRANGE", key, first, last, "WITHSCORES")
      for place = 1, #members, 2 do
        table.insert(found, { id = members[place], score = tonumber(members[place + 1]) })
      end
    end
  end
end
table.sort(found, function(a, b)
  if descending then return keyset.before(b.score, b.id, a.score, a.id) end
  return keyset.before(a.score, a.id, b.score, b.id)
end)

local reply = { now, total, #found > size and "more" or "end" }
for index = 1, math.min(size, #found) do
  table.insert(reply, { found[index].score, row(found[index].id) })
end
return reply
