--[[
  Gives ready jobs to a worker under a lease. Queues are taken in the order
  given, a paused one yields nothing.

  KEYS[1]  namespace prefix, "reprieve:{ns}:"
  ARGV[1]  now in ms, or "" for the server's clock
  ARGV[2]  worker
  ARGV[3]  lease in ms
  ARGV[4]  most jobs to take in all
  ARGV[5…] queue and most jobs to take from it, in turn

  Returns  {lease end, or that and after how many ms a rate limit allows the next job; job id, record …}, the record
           as `lib/record.lua` writes it, with the values that are too long for it. The version is the token.
  Events   ready -> active, or -> delayed | cancelled | dead as the job's terms or the rules of its kind say
]]
local STATES_TOUCHED = { "ready", "active" }
local load = job.loader({}, { "token" })

-- Each call:
local now = clock.now(ARGV[1])
local worker, lease_until = ARGV[2], now + tonumber(ARGV[3])
local by = "worker:" .. worker

local now_text, lease_text = int(now), int(lease_until)
local ready, strays, served, asked, capped = {}, {}, {}, {}, {}
-- In their order: the ids of all jobs, and the records of those that have started.
local ids_in_turn, records, others, count = {}, {}, {}, 0
local room = tonumber(ARGV[4])
local is_routine = not clock.rules and not worker:find("%s")
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
    if #ids > 0 then job.check_queue(now, queue, STATES_TOUCHED) end
    record.fetch(ids)
    local rest, before = {}, count
    for _, id in ipairs(ids) do
      count = count + 1
      ids_in_turn[count] = id
      records[count] = is_routine and routine.start(now, now_text, id, queue, worker, by, lease_text) or false
      if not records[count] then rest[#rest + 1] = id end
    end
    local jobs, lost = job.gather(now, queue, "ready", rest, load, STATES_TOUCHED)
    for _, j in ipairs(jobs) do ready[#ready + 1], others[j.id] = j, j end
    for _, stray in ipairs(lost) do table.insert(strays, stray) end
    room = room - #ids + #lost
    if #ids > 0 then
      table.insert(served, {
        queue = queue, first = before + 1, last = count, limited = limited, started = #ids - #rest,
      })
    end
  end
end

local rules = clock.rules and job.terms().prepare(ready)
for _, j in ipairs(ready) do
  if rules or j.terms ~= "" then job.check_queue(now, j.queue) end
end

job.set_aside_all(now, strays)
if #strays == 0 then
  for _, of in ipairs(served) do job.take_first(of.queue, "ready", of.last - of.first + 1) end
else
  for _, of in ipairs(served) do
    for index = of.first, of.last do
      if records[index] then job.leave(of.queue, "ready", ids_in_turn[index]) end
    end
  end
end
local reply = { lease_until }
-- What its terms or the rules of its kind keep from starting goes where they say.
local started = {}
for _, of in ipairs(served) do started[of.queue] = of.started end
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
  j.lease_until_ms = lease_until
  job.move(now, j, "active", by, "", job.lease_ends(j, nil, {
    attempt = j.attempt + 1, worker = worker, started_ms = now,
  }))
  stats.count(j, "started")
  stats.took(j, "wait", now - (j.ready_ms or j.created_ms or j.due_ms))
  stats.took(j, "late", now - j.due_ms)
  reply[#reply + 1] = j.id
  reply[#reply + 1] = record.whole(j)
end
for index = 1, count do
  local id = ids_in_turn[index]
  if records[index] then
    local at = #reply
    reply[at + 1], reply[at + 2] = id, records[index]
  elseif others[id] then
    start(others[id])
  end
end
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
