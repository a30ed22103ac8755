--[[
  Makes or changes a cron entry. A paused one stays paused. Where schedule and zone stay, so do the ticks that are
  due or were missed: they are still to be judged.

  ARGV[2]  name                   ARGV[3]  version the person saw, "0" for a new one, or "" for any
  ARGV[4]  actor                  ARGV[5]  reason
  ARGV[6]  operation id or ""     ARGV[7]  definition
  ARGV[8]  payload                ARGV[9]  ticks up to here are dealt with, ms
  ARGV[10] next tick in ms or ""  ARGV[11] "declare" by a program, else ""

  A program's declaration changes an entry only when it differs from the program's last one: what a person
  changed since then stays.

  Returns  {"created" | "changed" | "unchanged" | "conflict", version}    {"full"}
]]
local now = clock.now(ARGV[1])
local name, seen, by, why, op = ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]
local definition, payload, from_ms, next_ms, declare = ARGV[7], ARGV[8], ARGV[9], ARGV[10], ARGV[11] == "declare"

cron.check(name)
cron.check_times(from_ms, next_ms)
local answered = cron.answered("cron_put", name, op)
if answered then
  return answered
end
local entry = cron.read(name, "definition", "payload", "paused_ms", "declared", "from_ms")
if seen ~= "" and tonumber(seen) ~= (entry and entry[1] or 0) then
  return { "conflict", entry and entry[1] or 0 }
end
if not entry and not cron.has_room() then
  return { "full" }
end

local whole = redis.sha1hex(definition .. payload)
local same = entry and entry[2] == definition and entry[3] == payload
if declare and entry and (same or entry[5] == whole) then
  redis.call("HSET", cron.key(name), "declared", whole, "declared_ms", now)
  clock.keep()
  return { "unchanged", entry[1] }
end
if same then
  return operation.answer("cron_put", name, op, { "unchanged", entry[1] })
end

local goes_on = entry and entry[4] == "" and cron.same_ticks(entry[2], definition)
  and number(entry[6]) and redis.call("ZSCORE", cron.directory(), name)
local version = entry and entry[1] + 1 or clock.first_version()
redis.call("HSET", cron.key(name), "version", version, "definition", definition, "payload", payload,
  "by", by, "why", why, "changed_ms", now)
if not entry then redis.call("HSET", cron.key(name), "first", version) end
if not goes_on then
  redis.call("HSET", cron.key(name), "from_ms", from_ms)
  cron.place(name, entry and entry[4] ~= "" and "" or next_ms)
end
if declare then redis.call("HSET", cron.key(name), "declared", whole, "declared_ms", now) end
local word = entry and "changed" or "created"
audit.add(now, by, "cron_put", name, why, word, "", "")
clock.keep()
return operation.answer("cron_put", name, op, { word, version })
