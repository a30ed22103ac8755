--[[
  Takes jobs back whose lease has run out: their worker died or lost touch.
  Stalls are counted apart from attempts, and too many of them end the job.
  A lease of which nothing was ever heard is no stall: the reply to the claim
  may never have arrived. It is counted by itself, and bounded too. Where its
  worker dies the next time as well, and was heard of then, it is a stall after
  all: from the second time on workers tell before they begin.
  A step whose plan is held by now is held with it. What was handed to
  consumers outside is taken out of its place, where nobody looks after it any
  more. A queue of which a key is damaged is passed over.

  ARGV[2]  most jobs to take
  ARGV[3]  wait before the next attempt in ms
  ARGV[4]  stalls after which a job is dead

  Returns  {count, what is wrong with a queue that was passed over, where there is one}
  Events   active -> retrying | held | dead | cancelled
]]
local now = clock.now(ARGV[1])
local limit, wait, stalls_max = clock.given(ARGV[2]), clock.given(ARGV[3]), clock.given(ARGV[4])
-- By a clock that jumped all leases are over, and not one worker has died. Where time stood still none was extended beyond
-- it, and where Redis was away none at all: a live worker has its next heartbeat to do so and half of that for the way.
local HEARTBEAT_AFTER_MS = 1.5 * constants.HEARTBEAT_MS
local went_on = number(redis.call("HGET", P .. "meta", "went_on_ms"))
if clock.stands or went_on and math.abs(clock.raw - went_on) < HEARTBEAT_AFTER_MS then return { 0 } end

local load = job.lease_loader()
local stalled, strays, room, damaged = {}, {}, limit, nil
for _, queue in ipairs(redis.call("SMEMBERS", P .. "queues")) do
  if room > 0 then
    local ids = redis.pcall("ZRANGE", job.set(queue, "active"), "-inf", "(" .. int(now), "BYSCORE", "LIMIT", 0, room)
    local wrong = (ids.err or #ids > 0) and job.damage_of_queue(queue)
    if wrong then
      ids = {}
      if not damaged or wrong < damaged then damaged = wrong end
    end
    local jobs, lost = job.gather(now, queue, "active", ids, load)
    for _, j in ipairs(jobs) do table.insert(stalled, j) end
    for _, stray in ipairs(lost) do table.insert(strays, stray) end
    room = room - #ids
  end
end

job.set_aside_all(now, strays)
for _, j in ipairs(stalled) do
  local handed = sink.load(j.id)
  local is_handed = handed and sink.holds(handed)
  local is_heard = j.heard == j.token or is_handed and handed.publication.taken_by ~= ""
  local to, why, changes = "retrying", nil, { attempt = math.max(j.attempt - 1, 0) }
  if is_heard then
    local stalls = (j.stalls or 0) + 1
    if stalls == 1 and (j.unheard or 0) > 0 then stalls = 2 end
    changes.stalls, changes.unheard = stalls, false
    why = "worker " .. j.worker .. " lost its lease"
    if stalls >= stalls_max and not j.cancel_ms then
      to, why = "dead", "killed its worker " .. int(stalls) .. " times"
    end
  else
    to, why = job.unheard(j, to, "was handed to " .. j.worker .. " and never heard of again", changes)
  end
  if j.cancel_ms then to = "cancelled" end
  if to == "retrying" then changes.due_ms = now + wait end
  changes.last_error = why
  if is_handed then sink.kinds[handed.publication.kind].remove(handed) end
  stats.count(j, "failed")
  job.end_lease(now, j, to, why, is_heard and "stalled" or "unheard", why, changes, "recoverer")
end
job.finish(now)
return { #stalled, damaged }
