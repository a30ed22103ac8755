--[[
  Gives ready jobs to a worker under a lease. Queues are taken in the order
  given, a paused one yields nothing.

  KEYS[1]  namespace prefix, "reprieve:{ns}:"
  ARGV[1]  now in ms, or "" for the server's clock
  ARGV[2]  worker
  ARGV[3]  lease in ms
  ARGV[4]  most jobs to take in all
  ARGV[5…] queue and most jobs to take from it, in turn

  Returns  {lease end, job, job …}, a job being
           {id, token, queue, kind, subject, payload, headers, attempt, max_attempts, due_ms, created_ms, timeout_ms}
  Events   ready -> active
]]
local now = clock.now(ARGV[1])
local worker, lease_until = ARGV[2], now + tonumber(ARGV[3])

local ready, strays, served, asked = {}, {}, {}, {}
local room = tonumber(ARGV[4])
local load = job.loader({ "payload", "headers" }, { "ready_ms", "created_ms", "timeout_ms", "max_attempts" })
for first = 5, #ARGV, 2 do
  local queue, most = ARGV[first], math.min(tonumber(ARGV[first + 1]), room)
  -- A queue named twice would give each of its jobs twice.
  if most > 0 and not asked[queue] and redis.call("EXISTS", job.paused(queue)) == 0 then
    asked[queue] = true
    local ids = redis.call("ZRANGE", job.set(queue, "ready"), 0, most - 1)
    local jobs, lost = job.gather(now, queue, "ready", ids, load)
    for _, j in ipairs(jobs) do table.insert(ready, j) end
    for _, stray in ipairs(lost) do table.insert(strays, stray) end
    room = room - #jobs
    table.insert(served, queue)
  end
end

job.set_aside_all(now, strays)
local reply = { lease_until }
for _, j in ipairs(ready) do
  local waited_since = j.ready_ms or now
  job.move(now, j, "active", "worker:" .. worker, "", {
    attempt = j.attempt + 1, token = j.version + 1, worker = worker, started_ms = now,
    lease_until_ms = lease_until, cancel_ms = false,
  })
  stats.count(j, "started")
  stats.took(j, "wait", now - waited_since)
  stats.took(j, "late", now - j.due_ms)
  table.insert(reply, {
    j.id, j.token, j.queue, j.kind, j.subject, j.payload, j.headers, j.attempt,
    j.max_attempts or "", j.due_ms, j.created_ms or now, j.timeout_ms or "",
  })
end
for _, queue in ipairs(served) do
  if redis.call("ZCARD", job.set(queue, "ready")) > 0 then job.leave_wake(queue) end
end
job.finish(now)
return reply
