--[[
  Ends a halt. From here on Redis's clock is believed as it is, unless a halt ends by itself that was not
  about the clock.

  ARGV[2]  which halt, by its number, or "" for the present one. By its number it does not end before all
           processes had the time to say again what they acknowledged.
  ARGV[3]  actor                                   ARGV[4]  reason
  ARGV[5]  operation id, or ""

  Returns  {"cleared" | "unchanged"}
]]
local now = clock.now(ARGV[1])
local which, by, why, op = ARGV[2], ARGV[3], ARGV[4], ARGV[5] or ""

local answered = operation.answered("clear_halt", "namespace", op)
if answered then
  return answered
end

halt.check()
local kept = redis.call("HMGET", P .. "meta", "halts", "clock_ms")
if not clock.halt or (which ~= "" and (which ~= kept[1] or not halt.is_settled())) then
  return operation.answer("clear_halt", "namespace", op, { "unchanged" })
end
redis.call("HDEL", P .. "meta", "halt")
redis.call("HSET", P .. "meta", "went_on_ms", int(clock.raw))
-- A person says that the clock is right, wherever it is; a process says that it is where it was.
if which == "" then
  redis.call("HSET", P .. "meta", "allowed", kept[1])
  if clock.halt:find("^clock_") then halt.agree_anew() end
end
-- A clock that went back would otherwise not be listened to until it comes to where it was. The end of a failover says
-- nothing about it.
local is_about_data = clock.halt:find("^took_over ") or clock.halt:find("^went_back ")
if (number(kept[2]) or 0) > clock.raw and not (is_about_data and which ~= "") then
  redis.call("HSET", P .. "meta", "clock_ms", int(clock.raw))
  -- Until now all leases were given by the time that it had come to.
  if which == "" then halt.put_leases_right(clock.raw, number(kept[2]) - clock.raw, true) end
end
audit.add(now, by, "clear_halt", "namespace", why, "cleared", clock.halt:match("^%S+"), "", { op = op })
return operation.answer("clear_halt", "namespace", op, { "cleared" })
