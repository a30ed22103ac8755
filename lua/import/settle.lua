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
local is_closed = journal.is_closed()
local reply = {}
for index = 1, #ARGV, 3 do
  local number, id, replaced = ARGV[index], ARGV[index + 1], ARGV[index + 2] == "replaced"
  if redis.call("EXISTS", journal.record(number)) == 0 then
    table.insert(reply, "missing")
  else
    local before = redis.call("HGET", journal.newest, id)
    redis.call("HSET", journal.record(number), "job", id)
    redis.call("HSET", journal.newest, id, number)
    if not is_closed then redis.call("ZREM", journal.parked, number) end
    if before and before ~= number and replaced then
      journal.close_early(before)
    end
    table.insert(reply, "moved")
  end
end
return reply
