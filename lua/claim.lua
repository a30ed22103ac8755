--[[
  Gives ready jobs to a worker under a lease. Queues are taken in the order
  given, a paused one yields nothing.

  KEYS[1]  namespace prefix, "reprieve:{ns}:"
  ARGV[1]  now in ms, or "" for the server's clock
  ARGV[2]  worker
  ARGV[3]  lease in ms
  ARGV[4]  most jobs to take in all
  ARGV[5…] queue and most jobs to take from it, in turn

  Returns  {lease end, or that and after how many ms a rate limit allows the next job; job, payload, job, payload …}, a job being a text of lines: id, token, queue, kind, subject,
           attempt, max_attempts, due_ms, created_ms, timeout_ms, headers
  Events   ready -> active, or -> delayed | cancelled | dead as the job's terms or the rules of its kind say
]]
local now = clock.now(ARGV[1])
local worker, lease_until = ARGV[2], now + tonumber(ARGV[3])
local by = "worker:" .. worker
local STATES_TOUCHED = { "ready", "active" }

local ready, strays, served, asked, capped = {}, {}, {}, {}, {}
local room = tonumber(ARGV[4])
local load = job.loader({ "headers" }, { "ready_ms", "created_ms", "timeout_ms", "max_attempts", "token", "cancel_ms", "retention_ms", "sequence" })
for first = 5, #ARGV, 2 do
  local queue, most = ARGV[first], math.min(tonumber(ARGV[first + 1]), room)
  -- A queue named twice would give each of its jobs twice.
  local held_up = most > 0 and not asked[queue] and redis.call("EXISTS", job.paused(queue), job.limits(queue)) or 0
  local limited = held_up > 0 and redis.call("EXISTS", job.paused(queue)) == 0
  if limited then
    job.expect(job.limits(queue), "hash")
    table.insert(capped, queue)
    most = limits.room(now, queue, most)
  end
  if most > 0 and not asked[queue] and (held_up == 0 or limited) then
    asked[queue] = true
    -- Behind these stand the jobs whose lane is full.
    local ids = redis.call("ZRANGE", job.set(queue, "ready"), "-inf", "(" .. int(LANE_WAITING), "BYSCORE", "LIMIT", 0, most)
    local jobs, lost = job.gather(now, queue, "ready", ids, load, STATES_TOUCHED)
    for _, j in ipairs(jobs) do ready[#ready + 1] = j end
    for _, stray in ipairs(lost) do table.insert(strays, stray) end
    room = room - #jobs
    if #ids > 0 then table.insert(served, { queue = queue, count = #ids, limited = limited }) end
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
local started = {}
local function start(j)
  j.taken = #strays == 0
  if rules or j.terms ~= "" then
    local to, why, changes = job.terms().judge(now, j, "active")
    if to ~= "active" then
      job.move(now, j, to, by, why, changes)
      return
    end
  end
  if j.lane ~= "" and j.lane_slot == "" and not lanes.enter(j, job.place(j)) then
    job.wait_for_lane(j, job.place(j))
    return
  end
  started[j.queue] = (started[j.queue] or 0) + 1
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
  reply[#reply + 1] = record.text(j, "payload")
end
for _, j in ipairs(ready) do start(j) end
for _, of in ipairs(served) do
  if of.limited then limits.spend(now, of.queue, started[of.queue] or 0) end
end
job.finish(now)
for _, of in ipairs(served) do
  if not of.limited and job.claimable(of.queue) then job.leave_wake(of.queue) end
end
-- At its limit a queue has nothing to give: whoever ends a job of it leaves the next token, or the caller comes
-- back when the rate allows.
limits.wait_ms = nil
for _, queue in ipairs(capped) do
  if job.claimable(queue) and limits.room(now, queue, 1) > 0 then job.leave_wake(queue) end
end
if limits.wait_ms then reply[1] = int(lease_until) .. " " .. int(limits.wait_ms) end
return reply
