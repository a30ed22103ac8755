--[[
  Begins a standstill: a process found that Redis's clock jumped.

  KEYS[1]  namespace prefix, "reprieve:{ns}:"
  ARGV[1]  now in ms, or "" for the server's clock
  ARGV[2]  why: "clock_ahead" or "clock_back"      ARGV[3]  by how much, in ms

  Returns  {"standing" | "unchanged"}
  Events   none: no job changes
]]
-- At most that many leases of a queue are looked at. They were given in about a second.
local LEASES_MAX = 1000
-- Nobody may have a longer lease: `LEASE_MAX` in src/worker/claimant.rs.
local LEASE_MAX_MS = 3600000

local load = job.loader({}, { "started_ms" })

-- Whoever claimed by the clock that was ahead, and does not look itself, has a lease that begins and ends by it, and the
-- job of a worker that died would wait for hours. It lasts as long as it should have.
local function put_leases_right(by)
  -- The standstill has begun: what cannot be read is left as it is.
  for _, queue in ipairs(redis.pcall("SMEMBERS", P .. "queues")) do
    local key = job.set(queue, "active")
    local found = redis.pcall("ZRANGE", key, int(clock.raw), "+inf", "BYSCORE", "LIMIT", 0, LEASES_MAX, "WITHSCORES")
    for at = 1, #found, 2 do
      local j, ends, right = load(found[at]), tonumber(found[at + 1]), clock.raw - by
      local is_begun_by_it = j and j.started_ms and j.started_ms > right + clock.TOLERANCE_MS
      if is_begun_by_it then
        record.set(j, "started_ms", j.started_ms - by)
        record.put(j)
      end
      -- One that was only extended by it is known where it is longer than any may be.
      if j and (is_begun_by_it or ends > right + LEASE_MAX_MS + clock.TOLERANCE_MS) then
        redis.call("ZADD", key, "XX", int(ends - by), j.id)
      end
    end
  end
  record.flush()
end

-- Each call:
local now = clock.now(ARGV[1])
local why, by = ARGV[2], clock.given(ARGV[3])

standstill.check()
-- Whoever was held up between look and call tells of a clock that is right by now: it would be put right to a time before
-- that at which the caller asked.
local asked = clock.possible and clock.possible - clock.TOLERANCE_MS
if why == "clock_ahead" and asked and (clock.is_possible or clock.raw - by < asked - clock.TOLERANCE_MS) then
  return { "unchanged" }
end
if not standstill.begin(now, why, by, 0) then return { "unchanged" } end
if why == "clock_ahead" then put_leases_right(by) end
return { "standing" }
