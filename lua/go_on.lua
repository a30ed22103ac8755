--[[
  Ends a standstill. From here on Redis's clock is believed as it is, unless a standstill ends by itself that was not
  about the clock.

  KEYS[1]  namespace prefix, "reprieve:{ns}:"
  ARGV[1]  now in ms, or "" for the server's clock
  ARGV[2]  which standstill, by its number, or "" for the present one. By its number it does not end before all
           processes had the time to say again what they acknowledged.
  ARGV[3]  actor                                   ARGV[4]  reason

  Returns  {"gone_on" | "unchanged"}
  Events   none: no job changes
]]
local now = clock.now(ARGV[1])
local which, by, why = ARGV[2], ARGV[3], ARGV[4]

standstill.check()
local kept = redis.call("HMGET", P .. "meta", "standstills", "clock_ms")
if not clock.standstill or (which ~= "" and (which ~= kept[1] or not standstill.is_settled())) then
  return { "unchanged" }
end
redis.call("HDEL", P .. "meta", "standstill")
redis.call("HSET", P .. "meta", "went_on_ms", int(clock.raw))
-- A person says that the clock is right, wherever it is; a process says that it is where it was.
if which == "" then
  redis.call("HSET", P .. "meta", "allowed", kept[1])
  if clock.standstill:find("^clock_") then standstill.agree_anew() end
end
-- A clock that went back would otherwise not be listened to until it comes to where it was. The end of a failover says
-- nothing about it.
local is_about_data = clock.standstill:find("^took_over ") or clock.standstill:find("^went_back ")
if (number(kept[2]) or 0) > clock.raw and not (is_about_data and which ~= "") then
  redis.call("HSET", P .. "meta", "clock_ms", int(clock.raw))
  -- Until now all leases were given by the time that it had come to.
  if which == "" then standstill.put_leases_right(clock.raw, number(kept[2]) - clock.raw, true) end
end
operation.audit(now, by, "go_on", "namespace", why, "gone_on", clock.standstill:match("^%S+"), "")
return { "gone_on" }
