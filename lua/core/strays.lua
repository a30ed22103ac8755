--[[
  Ids in a set that their record does not confirm. The record is the truth: a
  job that is elsewhere goes back into the set its record names; an id without
  a usable record is set aside and counted.
]]
do

-- Ids set aside; enough to see a pattern, too few to fill Redis.
local QUARANTINE_MAX = 1000

--- Makes sure that ids can be set aside.
function job.check_quarantine()
  expect(P .. "quarantine", "zset")
  expect(P .. "meta", "hash")
  expect_number(P .. "meta", redis.call("HGET", P .. "meta", "quarantined"))
end

--- Sets an id aside that no script can use, and counts it.
function job.quarantine(now, id)
  redis.call("ZADD", P .. "quarantine", int(now), id)
  redis.call("ZREMRANGEBYRANK", P .. "quarantine", 0, -QUARANTINE_MAX - 1)
  redis.call("HINCRBY", P .. "meta", "quarantined", 1)
end

local function set_aside(now, stray)
  local id, j = stray.id, stray.j
  redis.call("ZREM", job.set(stray.queue, stray.state), id)
  if not j then
    return job.quarantine(now, id)
  end
  -- Once its set can be written the round through all keys names it there.
  if stray.is_homeless then return end
  if j.state == "active" then
    -- Where it stands in its own set, its lease has its end.
    return redis.call("ZADD", job.set(j.queue, "active"), "NX", 0, id)
  end
  redis.call("ZADD", job.set(j.queue, j.state), score(j), id)
  if WAITING[j.state] then due_queues.note(j.queue, j.due_ms) end
end

--- Splits ids of one set into jobs that belong there, checked and ready to move, and ids that do not.
--- `states` are the sets that the script may touch.
function job.gather(now, queue, state, ids, load, states)
  local jobs, strays = {}, {}
  record.fetch(ids)
  for _, id in ipairs(ids) do
    local j = load(id)
    if j and j.state == state and j.queue == queue then
      check_queue(now, queue, states)
      jobs[#jobs + 1] = j
    else
      local is_homeless = j and job.damage_of_queue(j.queue) ~= nil
      if j and not is_homeless then check_queue(now, j.queue) end
      table.insert(strays, { queue = queue, state = state, id = id, j = j, is_homeless = is_homeless })
    end
  end
  if #strays > 0 then job.check_quarantine() end
  return jobs, strays
end

--- Deals with what `gather` found to be stray.
function job.set_aside_all(now, strays)
  for _, stray in ipairs(strays) do set_aside(now, stray) end
end
end
