--[[
  A process's look at the namespace, about once a second: whether this is still the data that it knew. Where it is
  other data, or the same as it was before the latest look, the namespace stands still (`lib/standstill.lua`).

  KEYS[1]  namespace prefix, "reprieve:{ns}:"
  ARGV[1]  now in ms, or "" for the server's clock
  ARGV[2]  the generation that the caller knows, or "" at its first look
  ARGV[3]  the beat it saw last                    ARGV[4]  Redis's time then, in ms
  ARGV[5]  a name for the generation, should the namespace have none

  Returns  {generation, beat, Redis's time, standstills so far, the standstill as `meta` keeps it or ""}
  Events   none: no job changes
]]
-- So much is lost when a replica takes over, or with the power of a machine that syncs every second. More than that
-- is a backup, and whether its jobs may run again only a person knows.
local LOST_BY_ITSELF_MS = 30000
-- Time for all processes to look, each once a second, and to say again what they had acknowledged.
local SETTLES_MS = 4000

-- Each call:
local now = clock.now(ARGV[1])
local knows, beat, seen, name = ARGV[2], clock.given(ARGV[3]), clock.given(ARGV[4]), ARGV[5]

standstill.check()
local kept = redis.call("HMGET", P .. "meta", "generation", "beat", "beat_ms")
local generation, count, at = kept[1] or name, number(kept[2]) or 0, number(kept[3]) or 0

redis.call("HSET", P .. "meta", "generation", generation)
if knows ~= "" and knows ~= generation then
  standstill.begin(now, "replaced", 0, 0)
elseif knows ~= "" and count < beat then
  local lost = math.max(seen - at, 0)
  standstill.begin(now, "went_back", lost, lost <= LOST_BY_ITSELF_MS and clock.raw + SETTLES_MS or 0)
end
count = math.max(count, knows == generation and beat or 0) + 1
redis.call("HSET", P .. "meta", "beat", int(count), "beat_ms", int(clock.raw))
local stands = redis.call("HMGET", P .. "meta", "standstills", "standstill")
return { generation, count, clock.raw, number(stands[1]) or 0, stands[2] or "" }
