--[[
  Begins a bulk run: what is to be done to which jobs. No job changes before it is started.

  ARGV[2]  run              ARGV[3]  verb            ARGV[4]  actor      ARGV[5]  reason
  ARGV[6…] names and values of what else is to be known of it, in turn

  Returns  {"opened" | "exists"}
]]
local now = clock.now(ARGV[1])
local run, verb, by, why = ARGV[2], ARGV[3], ARGV[4], ARGV[5]

-- More than a page of them nobody reads; what became of each job goes with its run.
local RUNS_MAX = 500
-- Names looked at for forgotten runs while there is room.
local FORGOTTEN_MAX = 20

bulk.check(run)
if bulk.load(run) then
  return { "exists" }
end

-- Where there is no room, runs that Redis has forgotten leave the list, then snapshots that were never started, the oldest
-- first, and only then what may still be undone. What was asked for, and the undo of a run, is no mere snapshot.
local over = redis.call("ZCARD", P .. "bulk") + 1 - RUNS_MAX
local names = redis.call("ZRANGE", P .. "bulk", 0, (over > 0 and RUNS_MAX or 0) + FORGOTTEN_MAX - 1)
local forgotten, snapshots, others = {}, {}, {}
for _, old in ipairs(names) do
  local kind = redis.call("TYPE", bulk.key(old)).ok
  if kind == "none" then
    table.insert(forgotten, old)
  elseif redis.call("SISMEMBER", P .. "bulk_running", old) == 0 then
    local state, started, undo_of
    if kind == "hash" then state, started, undo_of = unpack(redis.call("HMGET", bulk.key(old), "state", "started_ms", "undo_of")) end
    local is_snapshot = state and state ~= "waiting" and not started and (undo_of or "") == ""
    table.insert(is_snapshot and snapshots or others, old)
  end
end
for _, old in ipairs(forgotten) do bulk.forget(old) end
over = over - #forgotten
for _, list in ipairs({ snapshots, others }) do
  for index = 1, math.min(over, #list) do bulk.forget(list[index]) end
  over = over - #list
end

redis.call("HSET", bulk.key(run), "verb", verb, "by", by, "why", why, "state", "collecting", "created_ms", now,
  "total", 0, "looked_at", 0, unpack(ARGV, 6))
redis.call("ZADD", P .. "bulk", now, run)
bulk.keep_for(run, bulk.COLLECTING_KEPT_MS)
clock.keep()
return { "opened" }
