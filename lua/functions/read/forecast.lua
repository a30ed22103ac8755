--[[
  What of one queue becomes due in each of some spans of time: how many exactly, and of which kinds by a sample.

  A span's sample is taken evenly over its due times, and has at least one job of each state. A span with no more jobs
  than its share of the sample is looked at as a whole, so its kinds are exact.

  ARGV[2]  queue             ARGV[3]  jobs whose kind may be looked up, 0 for none; beyond, two of each span
  ARGV[4…] bounds of the spans in ms, rising; a span ends just before the next bound

  Returns  {now, due before the first bound, first due time from the last bound on or "",
            {due in the span, kinds looked up, kind, of that kind, …} …}
]]
local now = clock.now(ARGV[1])
local queue, budget = ARGV[2], tonumber(ARGV[3])
local FIRST_BOUND = 4

local sets = {}
for _, state in ipairs({ "delayed", "retrying" }) do
  local key = job.set(queue, state)
  if redis.call("EXISTS", key) == 1 then table.insert(sets, key) end
end

-- The rank of each bound in each set: how many are due before it.
local ranks, spans = {}, #ARGV - FIRST_BOUND
for place, key in ipairs(sets) do
  local mine, card = {}, redis.call("ZCARD", key)
  local before = 0
  for index = 0, spans do
    -- Beyond the last job every bound has the same rank.
    if before < card then before = redis.call("ZCOUNT", key, "-inf", "(" .. ARGV[FIRST_BOUND + index]) end
    mine[index] = before
  end
  ranks[place] = mine
end

local function due_between(place, index) return ranks[place][index] - ranks[place][index - 1] end

local before, filled = 0, 0
for place in ipairs(sets) do before = before + ranks[place][0] end
for index = 1, spans do
  local due = 0
  for place in ipairs(sets) do due = due + due_between(place, index) end
  if due > 0 then filled = filled + 1 end
end
local share = budget > 0 and filled > 0 and math.max(1, math.floor(budget / filled)) or 0

--- Adds the kinds of `most` jobs of a span of one set, evenly over its due times.
local function look(kinds, place, index, most)
  local due, first = due_between(place, index), ranks[place][index - 1]
  local looked = math.min(due, most)
  for step = 0, looked - 1 do
    local rank = first + math.floor((step + 0.5) * due / looked)
    local id = redis.call("ZRANGE", sets[place], rank, rank)[1]
    local j = id and record.load(id)
    if j then kinds[j.kind] = (kinds[j.kind] or 0) + 1 end
  end
end

local next_due = ""
for _, key in ipairs(sets) do
  local first = redis.call("ZRANGE", key, ARGV[#ARGV], "+inf", "BYSCORE", "LIMIT", 0, 1, "WITHSCORES")[2]
  if first and (next_due == "" or tonumber(first) < tonumber(next_due)) then next_due = first end
end

local reply = { now, before, next_due }
for index = 1, spans do
  local due = 0
  for place in ipairs(sets) do due = due + due_between(place, index) end
  local kinds = {}
  for place in ipairs(sets) do
    -- Each set's part of the sample is its part of the span.
    local part = due_between(place, index)
    if part > 0 and share > 0 then
      look(kinds, place, index, due <= share and part or math.max(1, math.floor(share * part / due)))
    end
  end
  local line, looked = { due, 0 }, 0
  for kind, count in pairs(kinds) do
    looked = looked + count
    table.insert(line, kind)
    table.insert(line, count)
  end
  line[2] = looked
  table.insert(reply, line)
end
return reply
