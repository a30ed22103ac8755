--[[
  Stops a cron entry. Its ticks are passed over until it is resumed.

  ARGV[2]  name      ARGV[3]  version the person saw, or "" for any
  ARGV[4]  actor     ARGV[5]  reason      ARGV[6]  operation id or ""

  Returns  {"changed" | "unchanged" | "conflict", version}    {"missing"}
]]
local now = clock.now(ARGV[1])
local name, seen, by, why, op = ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]

local entry, reply = cron.begin("cron_pause", name, op, seen, "", "paused_ms")
if not entry then
  return reply
end
if entry[2] ~= "" then
  return operation.answer("cron_pause", name, op, { "unchanged", entry[1] })
end
local version = entry[1] + 1
redis.call("HSET", cron.key(name), "version", version, "paused_ms", now, "paused_by", by, "paused_why", why)
cron.place(name, "")
audit.add(now, by, "cron_pause", name, why, "paused", "", "")
clock.keep()
return operation.answer("cron_pause", name, op, { "changed", version })
