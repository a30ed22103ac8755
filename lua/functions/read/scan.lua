--[[
  Looks at the next jobs of some states of some queues, in the order of their scores and ids, and tells what a list shows and a
  filter needs to know of each. It begins behind a job, whether or not that still exists. Bounded by the jobs it looks at. What
  is in no given range of scores, of no given kind or without a given label is passed over here already; the rest of a filter
  is judged by who asks.

  ARGV[1]  unused            ARGV[2]  "asc" | "desc"    ARGV[3]  most jobs to look at; 0 only counts
  ARGV[4]  score of the job to start behind, or ""      ARGV[5]  its id
  ARGV[6]  lowest score, or ""                          ARGV[7]  highest score, or ""
  ARGV[8]  "payload" when payloads are needed, or ""
  ARGV[9]  a JSON array of queues, empty for all        ARGV[10] one of states
  ARGV[11] one of kinds, empty for any                  ARGV[12] one of labels, empty for any

  Returns  {now, jobs behind the place, "more", 0, "", ""} where it only counts
           {now, jobs in the range, "more" | "end", jobs looked at, score of the last, its id,
            {score, id, labels, payload, row} …}; the last is the place to go on behind
]]
local now = clock.now("")
local descending, most = ARGV[2] == "desc", tonumber(ARGV[3])
local after_score, after_id = tonumber(ARGV[4]), ARGV[5]
local low, high = ARGV[6] ~= "" and ARGV[6] or "-inf", ARGV[7] ~= "" and ARGV[7] or "+inf"
local with_payload = ARGV[8] == "payload"
local queues, states = cjson.decode(ARGV[9]), cjson.decode(ARGV[10])
local kinds, labels = cjson.decode(ARGV[11]), cjson.decode(ARGV[12])
if #queues == 0 then queues = redis.call("SMEMBERS", P .. "queues") end

local sets, among = {}, 0
for _, queue in ipairs(queues) do
  for _, state in ipairs(states) do
    local key = job.set(queue, state)
    local count = redis.pcall("ZCOUNT", key, low, high)
    -- One that somebody has made something else of is left out.
    if type(count) ~= "number" then count = 0 end
    among = among + count
    if count > 0 then
      local first = low == "-inf" and 0 or redis.call("ZCOUNT", key, "-inf", "(" .. low)
      table.insert(sets, { key = key, first = first, last = first + count - 1 })
    end
  end
end

-- What of each set is in the range and behind the place, as `keyset.first` wants it: counted from where it begins.
local ahead, behind = {}, 0
for _, set in ipairs(sets) do
  if after_score then
    if descending then
      set.last = math.min(set.last, keyset.rank(set.key, after_score, after_id, false) - 1)
    else
      set.first = math.max(set.first, keyset.rank(set.key, after_score, after_id, true))
    end
  end
  if set.first <= set.last then
    behind = behind + set.last - set.first + 1
    local rank, card = set.first, set.last + 1
    -- To count alone needs none of it.
    if descending and most > 0 then
      local all = redis.call("ZCARD", set.key)
      rank, card = all - 1 - set.last, all - set.first
    end
    table.insert(ahead, { key = set.key, rank = rank, card = card })
  end
end
if most == 0 then
  return { now, behind, "more", 0, "", "" }
end
-- One more tells whether there is anything behind them.
local found = keyset.first(ahead, descending, most + 1)

local function among_wanted(list, value)
  for _, wanted in ipairs(list) do
    if wanted == value then return true end
  end
  return false
end

local function passes(id)
  if #kinds == 0 and #labels == 0 then return true end
  local j = record.load(id)
  if not j then return false end
  if #kinds > 0 and not among_wanted(kinds, j.kind) then return false end
  if #labels == 0 then return true end
  local read, list = pcall(cjson.decode, record.text(j, "tags"))
  if not read or type(list) ~= "table" then return false end
  for _, label in ipairs(list) do
    if among_wanted(labels, label) then return true end
  end
  return false
end

local looked = math.min(#found, most)
local last = found[looked]
local reply = { now, among, #found > most and "more" or "end", looked, last and int(last.score) or "", last and last.id or "" }
local ids = {}
for index = 1, looked do ids[index] = found[index].id end
record.fetch(ids)
for index, id in ipairs(ids) do
  if passes(id) then
    local told = candidate(id, with_payload)
    table.insert(reply, { int(found[index].score), id, told[1], told[2], told[3] })
  end
end
return reply
