--[[
  Removes a cron entry and its history. Jobs that it has enqueued stay.

  ARGV[2]  name      ARGV[3]  version the person saw, or "" for any
  ARGV[4]  actor     ARGV[5]  reason      ARGV[6]  operation id or ""

  Returns  {"changed" | "conflict", version}    {"missing"}
]]
local now = clock.now(ARGV[1])
local name, seen, by, why, op = ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]

local entry, reply = cron.begin("cron_remove", name, op, seen, "")
if not entry then
  return reply
end
redis.call("ZREM", cron.directory(), name)
redis.call("DEL", cron.key(name), cron.history(name))
clock.note_removed(entry[1])
audit.add(now, by, "cron_remove", name, why, "removed", "", "")
clock.keep_removed()
clock.keep()
return operation.answer("cron_remove", name, op, { "changed", entry[1] })
