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

local sets, total = {}, 0
for _, queue in ipairs(queues) do
  for index = 7, #ARGV do
    local key = job.set(queue, ARGV[index])
    local card = redis.pcall("ZCARD", key)
    -- One that somebody has made something else of is left out: the others are to be seen all the same.
    if type(card) == "number" and card > 0 then
      total = total + card
      local rank = 0
      if after_score and descending then
        rank = card - keyset.rank(key, after_score, after_id, false)
      elseif after_score then
        rank = keyset.rank(key, after_score, after_id, true)
      end
      table.insert(sets, { key = key, card = card, rank = rank })
    end
  end
end
local found = keyset.first(sets, descending, size + 1)

local reply, ids = { now, total, #found > size and "more" or "end" }, {}
for index = 1, math.min(size, #found) do ids[index] = found[index].id end
record.fetch(ids)
for index, id in ipairs(ids) do table.insert(reply, { found[index].score, row(id) }) end
return reply
