--[[
  Sets one setting of the namespace.

  ARGV[2]  name              ARGV[3]  value (JSON), or "" for its default
  ARGV[4]  the value that is to be there, "-" for none, "" for any: two people must not overwrite each other unseen
  ARGV[5]  actor             ARGV[6]  reason            ARGV[7]  operation id, or ""

  Returns  {"set" | "unchanged" | "changed"}, the last when another value is there
]]
local now = clock.now(ARGV[1])
local name, value, seen, by, why, op = ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7]

job.expect(P .. "settings", "hash")
audit.expect()
local answered = operation.answered("set_setting", name, op)
if answered then
  return answered
end
local there = redis.call("HGET", P .. "settings", name) or ""
if there == value then
  return operation.answer("set_setting", name, op, { "unchanged" })
end
if seen ~= "" and there ~= (seen == "-" and "" or seen) then
  return { "changed" }
end

if value == "" then redis.call("HDEL", P .. "settings", name) else redis.call("HSET", P .. "settings", name, value) end
audit.add(now, by, "set_" .. name, name, why, "set", there, value, { op = op })
clock.keep()
return operation.answer("set_setting", name, op, { "set" })
