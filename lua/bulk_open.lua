--[[
  Begins a bulk run: what is to be done to which jobs. No job changes before it is started.

  KEYS[1]  namespace prefix, "reprieve:{ns}:"
  ARGV[1]  now in ms, or "" for the server's clock
  ARGV[2]  run              ARGV[3]  verb            ARGV[4]  actor      ARGV[5]  reason
  ARGV[6…] names and values of what else is to be known of it, in turn

  Returns  {"opened" | "exists"}
  Events   none: no job changes
]]
local now = clock.now(ARGV[1])
local run, verb, by, why = ARGV[2], ARGV[3], ARGV[4], ARGV[5]

-- More than a page of them nobody reads; what became of each job goes with its run.
local RUNS_MAX = 500
-- Forgotten runs taken off the list in one call.
local FORGET_MAX = 20

bulk.check(run)
if bulk.load(run) then
  return { "exists" }
end

-- Runs that Redis has forgotten leave the list; so do the oldest beyond its length.
local first = redis.call("ZRANGE", P .. "bulk", 0, FORGET_MAX - 1)
local over = redis.call("ZCARD", P .. "bulk") + 1 - RUNS_MAX
for index, old in ipairs(first) do
  local running = redis.call("SISMEMBER", P .. "bulk_running", old) == 1
  if redis.call("EXISTS", bulk.key(old)) == 0 or (index <= over and not running) then
    redis.call("ZREM", P .. "bulk", old)
    redis.call("SREM", P .. "bulk_running", old)
    redis.call("UNLINK", bulk.key(old), bulk.todo(old), bulk.outcomes(old), bulk.split(old), bulk.undoable(old),
      bulk.subjects(old), bulk.watched(old))
  end
end

redis.call("HSET", bulk.key(run), "verb", verb, "by", by, "why", why, "state", "collecting", "created_ms", now,
  "total", 0, "looked_at", 0, unpack(ARGV, 6))
redis.call("ZADD", P .. "bulk", now, run)
bulk.keep_for(run, bulk.COLLECTING_KEPT_MS)
clock.keep()
return { "opened" }
