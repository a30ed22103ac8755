--[[
  Looks through one state of one queue, from a place on, for jobs that fit. Bounded by the jobs it looks at.

  KEYS[1]  namespace prefix, "reprieve:{ns}:"
  ARGV[1]  unused            ARGV[2]  queue             ARGV[3]  state
  ARGV[4]  score of the job to start behind, or ""      ARGV[5]  its id
  ARGV[6]  most jobs to look at                         ARGV[7]  rows wanted
  ARGV[8]  kind or ""        ARGV[9]  tag or ""         ARGV[10] text in the latest error, lower case, or ""
  ARGV[11] earliest due time in ms, or ""               ARGV[12] latest due time, or ""

  Returns  {now, "more" | "end", jobs looked at, score of the last, its id, row …}, a row as in lib/row.lua
]]
local now = clock.now("")
local queue, state = ARGV[2], ARGV[3]
local after_score, after_id = tonumber(ARGV[4]), ARGV[5]
local most, wanted = tonumber(ARGV[6]), tonumber(ARGV[7])
local kind, tag, text = ARGV[8], ARGV[9], ARGV[10]
local earliest, latest = tonumber(ARGV[11]), tonumber(ARGV[12])

-- The sets whose score is the due time: a range of due times is a range of them.
local BY_DUE = { delayed = true, held = true, retrying = true }
-- Places in a row, as in lib/row.lua.
local KIND, DUE, LAST_ERROR = 3, 10, 18

local key = job.set(queue, state)
local card = redis.call("ZCARD", key)
local first, last = 0, card - 1
if after_score then first = keyset.rank(key, after_score, after_id, true) end
if BY_DUE[state] then
  if earliest then first = math.max(first, redis.call("ZCOUNT", key, "-inf", "(" .. int(earliest))) end
  if latest then last = redis.call("ZCOUNT", key, "-inf", latest) - 1 end
end

local function has_tag(id)
  local read, list = pcall(cjson.decode, record.text(record.load(id), "tags"))
  if not read or type(list) ~= "table" then return false end
  for _, name in ipairs(list) do
    if name == tag then return true end
  end
  return false
end

local function fits(found)
  if not found[2] then return false end
  local due = tonumber(found[DUE])
  return (kind == "" or found[KIND] == kind)
    and (not earliest or (due and due >= earliest))
    and (not latest or (due and due <= latest))
    and (text == "" or string.find(string.lower(found[LAST_ERROR]), text, 1, true) ~= nil)
    and (tag == "" or has_tag(found[1]))
end

local members = {}
if first <= last then members = redis.call("ZRANGE", key, first, math.min(last, first + most - 1), "WITHSCORES") end
local ids = {}
for index = 1, #members, 2 do ids[#ids + 1] = members[index] end
record.fetch(ids)
local rows, looked, score, id = {}, 0, "", ""
for index = 1, #members, 2 do
  looked, id, score = looked + 1, members[index], members[index + 1]
  local found = row(id)
  if fits(found) then table.insert(rows, found) end
  if #rows >= wanted then break end
end

local more = first + looked <= last
local reply = { now, more and "more" or "end", looked, score, id }
for _, found in ipairs(rows) do table.insert(reply, found) end
return reply
