--[[
  A standstill: the namespace starts nothing until somebody, or the end of a while, lets it go on. Jobs can be added,
  called off and put back meanwhile, and what runs goes on and reports.

  `meta` keeps it as "why at_ms by_ms until_ms": until is 0 when a person has to look; and how many there were.
]]
local standstill = {}

--- Begins one, and says so, unless the namespace stands still already. `by` is how far a clock jumped, or how much was
--- lost, in ms.
function standstill.begin(now, why, by, until_ms)
  if clock.standstill then
    return false
  end
  redis.call("HINCRBY", P .. "meta", "standstills", 1)
  redis.call("HSET", P .. "meta", "standstill", table.concat({ why, int(clock.raw), int(by), int(until_ms) }, " "))
  -- Changes of the last second were made at a time that is not there yet.
  if why == "clock_ahead" and clock.read then
    redis.call("HSET", P .. "meta", "clock_ms", int(math.min(clock.read, clock.raw - by)))
  end
  operation.audit(now, "reprieve", "stand_still", "namespace", why, "standing", "", int(by))
  return true
end

--- What is to be checked before one is begun or ended.
function standstill.check()
  job.expect(P .. "meta", "hash")
  job.expect(P .. "audit", "stream")
end
