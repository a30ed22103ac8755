--[[
  Starts a frozen bulk run, or lets one go on that stopped itself. Where deleting needs two people, the first has a run
  that deletes wait, for a day, and somebody else starts it.

  ARGV[2]  run              ARGV[3]  actor           ARGV[4]  reason
  ARGV[5]  jobs a second over all shards, "" for as fast as it goes, "=" for what it had
  ARGV[6]  this shard's part of that, "" as above
  ARGV[7]  "1" when the actor is somebody who signed in, whose rights it needs as long as it runs; "" otherwise
  ARGV[8]  "1" where deleting needs two people who signed in; "" otherwise

  Returns  {"running"}    {"waiting"}    {"refused", state}    {"missing"}
           {"alone"}: deleting needs two people, and the actor is none, or the first of them
  Events   none: no job changes yet
]]
local now = clock.now(ARGV[1])
local run, by, why, rate, pace, of_person = ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7]
local two_people = ARGV[8] == "1"

bulk.check(run)
local fields = bulk.load(run)
if not fields then
  return { "missing" }
end
if fields.state == "running" then
  return { "running" }
end
if fields.state ~= "frozen" and fields.state ~= "waiting" and fields.state ~= "stopped" then
  return { "refused", fields.state }
end
if rate == "=" then rate, pace = fields.rate or "", fields.pace or "" end
-- One that stopped itself has had its two people.
local needs_two = two_people and fields.verb == "purge" and fields.state ~= "stopped"
if needs_two and (of_person ~= "1" or fields.asked_by == by) then
  return { "alone" }
end
-- A person looks at the dry run first, and says then why.
if (fields.why or "") == "" and why ~= "" then redis.call("HSET", bulk.key(run), "why", why) end
if needs_two and fields.state == "frozen" then
  redis.call("HSET", bulk.key(run), "state", "waiting", "asked_by", by, "asked_ms", now,
    "expires_ms", now + bulk.WAITING_KEPT_MS, "rate", rate, "pace", pace)
  redis.call("ZREMRANGEBYSCORE", P .. "bulk_waiting", "-inf", now)
  redis.call("ZADD", P .. "bulk_waiting", now + bulk.WAITING_KEPT_MS, run)
  redis.call("PEXPIRE", P .. "bulk_waiting", bulk.WAITING_KEPT_MS)
  bulk.keep_for(run, bulk.WAITING_KEPT_MS)
  audit.add(now, by, "bulk_" .. fields.verb, run, why, "waiting", fields.state, "waiting")
  clock.keep()
  return { "waiting" }
end
redis.call("HSET", bulk.key(run), "state", "running", "started_ms", fields.started_ms or now, "paced_ms", now,
  "started_by", by, "of_person", of_person, "rate", rate, "pace", pace, "recent", "", "ended_ms", "", "ended_by", "", "ended_why", "")
-- Whom it is about was for the first look at it: a customer who is erased must not stay here for a month.
redis.call("UNLINK", bulk.subjects(run))
redis.call("SADD", P .. "bulk_running", run)
redis.call("ZREM", P .. "bulk_waiting", run)
bulk.keep_for(run, bulk.RUNNING_KEPT_MS)
audit.add(now, by, "bulk_" .. fields.verb, run, why, "running", fields.state, "running")
clock.keep()
return { "running" }
