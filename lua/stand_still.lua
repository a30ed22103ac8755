--[[
  Begins a standstill: a process found that Redis's clock jumped.

  KEYS[1]  namespace prefix, "reprieve:{ns}:"
  ARGV[1]  now in ms, or "" for the server's clock
  ARGV[2]  why: "clock_ahead" or "clock_back"      ARGV[3]  by how much, in ms

  Returns  {"standing" | "unchanged"}
  Events   none: no job changes
]]
local now = clock.now(ARGV[1])
local why, by = ARGV[2], clock.given(ARGV[3])

standstill.check()
-- Whoever was held up between look and call tells of a clock that is right by now.
if why == "clock_ahead" and ARGV[1]:find(";", 1, true) and clock.is_possible then
  return { "unchanged" }
end
return { standstill.begin(now, why, by, 0) and "standing" or "unchanged" }
