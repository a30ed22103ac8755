--[[
  How many jobs become due in each of the coming spans of time, of as many queues as one call may look at. The caller
  adds up what several calls say.

  ARGV[2]  span in ms        ARGV[3]  number of spans   ARGV[4]  queue, or "" for all
  ARGV[5]  queue behind which to go on, or ""

  Returns  {now, queue behind which to go on or "", count …}; the first span holds what is overdue as well
]]
-- A chart has no more.
local SPANS_MAX = 1000
-- Counts and due times that one call reads before it stops behind a queue: about four milliseconds.
local READS_MAX = 4000

-- Each call:
local now = clock.now(ARGV[1])
local span, spans, only, behind = number(ARGV[2]), number(ARGV[3]), ARGV[4], ARGV[5]
assert(span and spans and spans <= SPANS_MAX, "no such spans")

local counts, reads = {}, 0
for index = 1, spans do counts[index] = 0 end

--- A set with no more jobs than there are spans is read, for a count of each span would cost more.
local function add_each(key)
  local members = redis.call("ZRANGE", key, "-inf", "(" .. int(now + span * spans), "BYSCORE", "WITHSCORES", "LIMIT", 0, spans)
  for at = 2, #members, 2 do
    local index = math.max(math.floor((tonumber(members[at]) - now) / span) + 1, 1)
    counts[index] = counts[index] + 1
  end
  reads = reads + #members / 2
end

local function add_spans(key)
  local before, all = 0, redis.call("ZCOUNT", key, "-inf", "(" .. int(now + span * spans))
  for index = 1, spans do
    if before == all then break end
    local upto = redis.call("ZCOUNT", key, "-inf", "(" .. int(now + span * index))
    counts[index], before = counts[index] + upto - before, upto
    reads = reads + 1
  end
end

local queues = only ~= "" and { only } or redis.call("SMEMBERS", P .. "queues")
table.sort(queues)
local go_on = ""
for place, queue in ipairs(queues) do
  if queue > behind then
    for _, state in ipairs({ "delayed", "retrying" }) do
      local key = job.set(queue, state)
      local card = redis.pcall("ZCARD", key)
      reads = reads + 1
      if type(card) == "number" and card > 0 then
        if card <= spans then add_each(key) else add_spans(key) end
      end
    end
    if reads >= READS_MAX and place < #queues then
      go_on = queue
      break
    end
  end
end
local reply = { now, go_on }
for index = 1, spans do table.insert(reply, counts[index]) end
return reply
