--[[
  Begins a halt: a process found that Redis's clock jumped, or that it was given the data of a backup.

  ARGV[2]  why: "clock_ahead", "clock_back" or "restored"      ARGV[3]  by how much, in ms, or 0

  Returns  {"standing" | "unchanged"}
]]
local now = clock.now(ARGV[1])
local why, by = ARGV[2], clock.given(ARGV[3])

halt.check()
-- A caller that was held up between look and call tells of a clock that is right by now: it would be put right to a time
-- before that at which the caller asked.
local asked = clock.possible and clock.possible - constants.TOLERANCE_MS
if why == "clock_ahead" and asked and (clock.is_possible or clock.raw - by < asked - constants.TOLERANCE_MS) then
  return { "unchanged" }
end
-- Where the clocks disagree already, nothing starts until they agree: a clock that is set right is no other jump.
if why == "clock_back" and (clock.halt or ""):find("^clock_apart ") then return { "unchanged" } end
if not halt.begin(now, why, by, 0) then return { "unchanged" } end
if why == "clock_ahead" then halt.put_leases_right(clock.raw - by, by) end
return { "standing" }
