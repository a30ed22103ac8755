--[[
  Notes that the engine has the jobs of parked items.

  KEYS[1]  journal prefix
  ARGV     3 values a record: number, job id, "replaced" or ""

  A job that replaced an earlier one of the same id makes the earlier record
  pointless: the source would hold the later item only. Its number is kept, for
  the engine still knows what became of it.

  While a roll back has closed the door, it alone says what is parked no longer:
  it may be about to put this very record back.

  Returns  a word for each: "moved" | "missing"
]]
local ids = {}
for index = 1, #ARGV, 3 do table.insert(ids, ARGV[index + 1]) end
local newest = {}
for index, number in ipairs(redis.call("HMGET", journal.newest, unpack(ids))) do newest[ids[index]] = number or nil end

local reply, moved, pairs_of_newest = {}, {}, {}
for index = 1, #ARGV, 3 do
  local number, id, replaced = ARGV[index], ARGV[index + 1], ARGV[index + 2] == "replaced"
  if redis.call("EXISTS", journal.record(number)) == 0 then
    table.insert(reply, "missing")
  else
    local before = newest[id]
    redis.call("HSET", journal.record(number), "job", id)
    if before and before ~= number and replaced then
      journal.close_early(before)
    end
    newest[id] = number
    table.insert(moved, number)
    table.insert(pairs_of_newest, id)
    table.insert(pairs_of_newest, number)
    table.insert(reply, "moved")
  end
end
if #moved > 0 then
  redis.call("HSET", journal.newest, unpack(pairs_of_newest))
  if not journal.is_closed() then redis.call("ZREM", journal.parked, unpack(moved)) end
end
journal.flush()
return reply
