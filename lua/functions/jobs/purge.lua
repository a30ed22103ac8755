--[[
  Removes ended jobs whose retention is over, or those of a queue beyond the latest so many, with everything that
  belongs to them. A queue of which a key is damaged is passed over.

  A member of `expiring` is a job, or stands for all jobs of a queue that were done in one millisecond.

  ARGV[2]  most jobs to remove
  ARGV[3]  queue             ARGV[4]  "done" | "dead"   ARGV[5]  how many of the latest stay; all three "" for what is over

  Returns  {count, how many further entries were dealt with: without a job any more, or of damaged queues, what is wrong with
           one of these queues, where there is one}
  Events   done | dead | cancelled -> -
]]
local load = job.loader({}, { "kept_until_ms", "ended_ms" })
-- What a damaged queue keeps is looked at again after so long, 10 minutes: it must not stand before what is over elsewhere.
local PASSED_OVER_MS = 600000

-- Each call:
local now = clock.now(ARGV[1])
local limit = tonumber(ARGV[2])
if clock.stands then return { 0, 0 } end

job.expect(P .. "expiring", "zset")
local jobs, strays, over, passed_over, damaged = {}, {}, {}, {}, nil

-- Whether a queue has to be passed over; notes what is wrong with it.
local function is_damaged(queue)
  local wrong = job.damage_of_queue(queue)
  if wrong and (not damaged or wrong < damaged) then damaged = wrong end
  return wrong ~= nil
end

-- Jobs of a queue that were done at that time, apart from those that have an entry of their own.
local function done_at(queue, ended)
  local key, first = job.set(queue, "done"), 0
  while #jobs < limit do
    local ids = redis.call("ZRANGE", key, ended, ended, "BYSCORE", "LIMIT", first, limit)
    for _, id in ipairs(ids) do
      local j = load(id)
      if not (j and j.state == "done" and j.queue == queue) then
        table.insert(strays, { id = id, queue = queue, state = "done", j = j })
      elseif not j.kept_until_ms and #jobs < limit then
        table.insert(jobs, j)
      elseif not j.kept_until_ms then
        return false
      end
    end
    if #ids < limit then return true end
    first = first + #ids
  end
  return false
end

-- The oldest of a queue that ended so, beyond those that stay.
local function beyond(queue, state, stay)
  local key = job.set(queue, state)
  if is_damaged(queue) then return end
  job.check_queue(now, queue)
  local most = math.min(redis.call("ZCARD", key) - stay, limit)
  if most < 1 then return end
  for _, id in ipairs(redis.call("ZRANGE", key, 0, most - 1)) do
    local j = load(id)
    if j and j.state == state and j.queue == queue then
      table.insert(jobs, j)
    else
      table.insert(strays, { id = id, queue = queue, state = state, j = j })
    end
  end
end

-- What a member of `expiring` that is over stands for.
local function gather(member)
  local queue, ended = member:match("^done (%S+) (%d+)$")
  if queue then
    if is_damaged(queue) then
      table.insert(passed_over, member)
    else
      job.check_queue(now, queue)
      if done_at(queue, ended) then table.insert(over, member) end
    end
  else
    local j = load(member)
    if j and ENDED[j.state] then
      if is_damaged(j.queue) then
        table.insert(passed_over, member)
      else
        job.check_queue(now, j.queue)
        table.insert(jobs, j)
      end
    else
      table.insert(over, member)
      if not (j and LIVE[j.state]) then table.insert(strays, { id = member }) end
    end
  end
end

if (ARGV[3] or "") ~= "" then
  beyond(ARGV[3], ARGV[4], tonumber(ARGV[5]))
else
  for _, member in ipairs(redis.call("ZRANGE", P .. "expiring", "-inf", now, "BYSCORE", "LIMIT", 0, limit)) do
    if #jobs >= limit then break end
    gather(member)
  end
end
if #strays > 0 then job.check_quarantine() end
for _, stray in ipairs(strays) do
  if stray.j then
    stray.is_homeless = is_damaged(stray.j.queue)
    if not stray.is_homeless then job.check_queue(now, stray.j.queue) end
  end
end

for _, member in ipairs(passed_over) do redis.call("ZADD", P .. "expiring", int(now + PASSED_OVER_MS), member) end
for _, member in ipairs(over) do redis.call("ZREM", P .. "expiring", member) end
for _, stray in ipairs(strays) do
  if stray.queue then job.set_aside_all(now, { stray }) else job.quarantine(now, stray.id) end
end
for _, j in ipairs(jobs) do
  receipt.write(now, j)
  job.purge(now, j, "janitor")
end
job.finish(now)
return { #jobs, #passed_over + #over + #strays, damaged }
