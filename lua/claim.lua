--[[
  Gives ready jobs to a worker under a lease. Queues are taken in the order
  given, a paused one yields nothing.

  KEYS[1]  namespace prefix, "reprieve:{ns}:"
  ARGV[1]  now in ms, or "" for the server's clock
  ARGV[2]  worker
  ARGV[3]  lease in ms
  ARGV[4]  most jobs to take in all
  ARGV[5…] queue and most jobs to take from it, in turn

  Returns  {lease end, job, payload, job, payload …}, a job being a text of lines: id, token, queue, kind, subject,
           attempt, max_attempts, due_ms, created_ms, timeout_ms, headers
  Events   ready -> active, or -> delayed | cancelled | dead as the job's terms or the rules of its kind say
]]
local now = clock.now(ARGV[1])
local worker, lease_until = ARGV[2], now + tonumber(ARGV[3])
local by = "worker:" .. worker
local STATES_TOUCHED = { "ready", "active" }

local ready, strays, served, asked = {}, {}, {}, {}
local room = tonumber(ARGV[4])
local load = job.loader({ "payload", "payload_2", "headers" }, { "ready_ms", "created_ms", "timeout_ms", "max_attempts", "token", "cancel_ms", "retention_ms" })
for first = 5, #ARGV, 2 do
  local queue, most = ARGV[first], math.min(tonumber(ARGV[first + 1]), room)
  -- A queue named twice would give each of its jobs twice.
  if most > 0 and not asked[queue] and redis.call("EXISTS", job.paused(queue)) == 0 then
    asked[queue] = true
    local ids = redis.call("ZRANGE", job.set(queue, "ready"), 0, most - 1)
    local jobs, lost = job.gather(now, queue, "ready", ids, load, STATES_TOUCHED)
    for _, j in ipairs(jobs) do ready[#ready + 1] = j end
    for _, stray in ipairs(lost) do table.insert(strays, stray) end
    room = room - #jobs
    if #ids > 0 then table.insert(served, { queue = queue, count = #ids }) end
  end
end

local rules = clock.rules and job.terms().prepare(ready)
for _, j in ipairs(ready) do
  if rules or j.terms ~= "" then job.check_queue(now, j.queue) end
end

job.set_aside_all(now, strays)
if #strays == 0 then
  for _, of in ipairs(served) do job.take_first(of.queue, "ready", of.count) end
end
local reply = { lease_until }
-- What its terms or the rules of its kind keep from starting goes where they say.
local function start(j)
  j.taken = #strays == 0
  if rules or j.terms ~= "" then
    local to, why, changes = job.terms().judge(now, j, "active")
    if to ~= "active" then
      job.move(now, j, to, by, why, changes)
      return
    end
  end
  local created_ms = j.created_ms or j.due_ms
  j.lease_until_ms = lease_until
  job.move(now, j, "active", by, "", job.lease_ends(j, nil, {
    attempt = j.attempt + 1, worker = worker, started_ms = now,
  }))
  stats.count(j, "started")
  stats.took(j, "wait", now - (j.ready_ms or created_ms))
  stats.took(j, "late", now - j.due_ms)
  reply[#reply + 1] = j.id .. "\n" .. int(j.version) .. "\n" .. j.queue .. "\n" .. j.kind .. "\n" .. j.subject .. "\n"
    .. int(j.attempt) .. "\n" .. (j.max_attempts and int(j.max_attempts) or "") .. "\n" .. int(j.due_ms) .. "\n"
    .. int(created_ms) .. "\n" .. (j.timeout_ms and int(j.timeout_ms) or "") .. "\n" .. j.headers
  reply[#reply + 1] = job.payload(j.id, j.payload, j.payload_2)
end
for _, j in ipairs(ready) do start(j) end
job.finish(now)
for _, of in ipairs(served) do
  if redis.call("ZCARD", job.set(of.queue, "ready")) > 0 then job.leave_wake(of.queue) end
end
return reply
