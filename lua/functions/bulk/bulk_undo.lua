--[[
  Makes a frozen run that changes back what an ended run changed: the same
  jobs, where they are still as that run left them. A run can be undone once,
  and again for the jobs that an aborted undo did not reach; the run that undoes
  it is a run like any other, and can be undone itself.

  ARGV[2]  run to undo      ARGV[3]  run that undoes it
  ARGV[4]  actor            ARGV[5]  reason

  Returns  {"frozen", jobs}    {"exists"}    {"refused", state}    {"missing"}
  Events   none: no job changes before the new run is started
]]
local now = clock.now(ARGV[1])
local run, undo, by, why = ARGV[2], ARGV[3], ARGV[4], assert(ARGV[5], "no reason")

bulk.check(run)
bulk.check(undo)
local fields = bulk.load(run)
if not fields then
  return { "missing" }
end
if bulk.load(undo) then
  return { "exists" }
end
local verb = bulk.UNDONE_BY[fields.verb]
local ended = fields.state == "done" or fields.state == "aborted" or fields.state == "stopped"
local jobs = redis.call("ZCARD", bulk.undoable(run))
if not ended or not verb or jobs == 0 then
  return { "refused", fields.state }
end
redis.call("RENAME", bulk.undoable(run), bulk.todo(undo))
if redis.call("EXISTS", bulk.dues_before(run)) == 1 then
  redis.call("RENAME", bulk.dues_before(run), bulk.dues(undo))
end
redis.call("HSET", bulk.key(undo), "verb", verb, "by", by, "why", why, "state", "frozen", "created_ms", now,
  "frozen_ms", now, "expires_ms", now + constants.BULK_ENDED_KEPT_MS, "total", jobs, "looked_at", jobs, "undo_of", run,
  "only_in", fields.only_in or "")
redis.call("HSET", bulk.key(run), "undone_by", undo)
redis.call("ZADD", P .. "bulk", now, undo)
bulk.keep_for(undo, constants.BULK_ENDED_KEPT_MS)
audit.add(now, by, "bulk_undo", run, why, undo, fields.state, fields.state)
clock.keep()
return { "frozen", jobs }
