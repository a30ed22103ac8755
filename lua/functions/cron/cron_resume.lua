--[[
  Starts a paused cron entry again, from its next tick on.

  ARGV[2]  name      ARGV[3]  version the person saw, or "" for any
  ARGV[4]  actor     ARGV[5]  reason      ARGV[6]  operation id or ""
  ARGV[7]  ticks up to here are dealt with, ms      ARGV[8]  next tick in ms or ""
  ARGV[9]  the version whose definition named that next tick

  Returns  {"changed" | "unchanged" | "conflict", version}    {"missing"}
]]
local now = clock.now(ARGV[1])
local name, seen, by, why, op = ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]
local from_ms, next_ms, read_version = ARGV[7], ARGV[8], ARGV[9]

cron.check_times(from_ms, next_ms)
local entry, reply = cron.begin("cron_resume", name, op, seen, read_version, "paused_ms")
if not entry then
  return reply
end
if entry[2] == "" then
  return operation.answer("cron_resume", name, op, { "unchanged", entry[1] })
end
local version = entry[1] + 1
redis.call("HDEL", cron.key(name), "paused_ms", "paused_by", "paused_why")
redis.call("HSET", cron.key(name), "version", version, "from_ms", from_ms)
cron.place(name, next_ms)
audit.add(now, by, "cron_resume", name, why, "resumed", "", "")
clock.keep()
return operation.answer("cron_resume", name, op, { "changed", version })
