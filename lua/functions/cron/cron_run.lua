--[[
  Enqueues a job of a cron entry out of turn. Its ticks stay as they are.

  ARGV[2]  name      ARGV[3]  version the person saw, or "" for any
  ARGV[4]  actor     ARGV[5]  reason      ARGV[6]  operation id or ""
  ARGV[7]  version whose definition the job comes from
  ARGV[8…] the values of the job (`core/intake.lua`)

  Returns  {"conflict", version}    {"missing"}    or the reply of `enqueue` for a job: {"duplicate", id, holder} where the
           entry has a live job and allows no second one
  Events   - -> ready
]]
local now = clock.now(ARGV[1])
local name, seen, by, why, op, read_version = ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7]

local entry, reply = cron.begin("cron_run", name, op, seen, read_version)
if not entry then
  return reply
end
local new = intake.read(now, ARGV, 8, by)
new.why = why
intake.check(now, { new })
reply = intake.take(now, new)
local taken = reply[1] == "ready"
local holder = reply[1] == "duplicate" and reply[3]
cron.line(now, name, now, taken and "run_now" or holder and "overlapped" or "refused", holder or new.id, by)
if taken then redis.call("HSET", cron.key(name), "run_job", new.id, "run_first", reply[5]) end
audit.add(now, by, "cron_run", name, why, reply[1], "", new.id)
job.finish(now)
operation.answer("cron_run", name, op, { reply, entry[1] })
return reply
