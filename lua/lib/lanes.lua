--[[
  Lanes: jobs of a queue that name the same lane (a tenant, say) share a limit, over all processes. With an
  ordered queue a job that is retried or put off keeps its slot, so that the later ones of its lane wait for it.

  A ready job of a full lane stands at the end of its queue's ready set, beyond every priority, and in the
  lane's own waiting set: a claim passes it once and then not again until a slot is free.

    q:<queue>:lanes        hash of lane -> slots taken
    q:<queue>:lane:<lane>  sorted set of waiting jobs, by their place among the ready ones
    job field lane_slot    there while the job has a slot

  Nothing here may stop a job: what cannot be written is counted as damage, and the job runs.
]]
local lanes = {}

-- Added to the place of a waiting job. The ten bands of priority end below it, and both are exact.
local WAITING = 1e15
-- Jobs that may start after one has ended, when the limit of their lane has been taken away. Each of them lets
-- as many follow.
local FREED_MAX = 100

function lanes.slots(queue) return P .. "q:" .. queue .. ":lanes" end
function lanes.waiting(queue, lane) return P .. "q:" .. queue .. ":lane:" .. lane end

local queue_rules = {}
fresh(function()
  if next(queue_rules) then queue_rules = {} end
end)

--- The rules of a queue as texts, read once a call: `concurrency`, `rate`, `period_ms`, `credit`, `filled_ms`,
--- `lane`, `ordered`.
function lanes.rules(queue)
  if not queue_rules[queue] then
    local names = { "concurrency", "rate", "period_ms", "credit", "filled_ms", "lane", "ordered" }
    local values = redis.pcall("HMGET", job.limits(queue), unpack(names))
    local of = {}
    for index, name in ipairs(names) do of[name] = not values.err and values[index] or nil end
    queue_rules[queue] = of
  end
  return queue_rules[queue]
end

--- Lets a job into its lane. False when the lane is full: the job waits, `place` being its score.
function lanes.enter(j, place)
  local most = number(lanes.rules(j.queue).lane)
  local taken = soft("HINCRBY", lanes.slots(j.queue), j.lane, 1)
  if taken and most and taken > most and soft("ZADD", lanes.waiting(j.queue, j.lane), place, j.id) then
    redis.call("HINCRBY", lanes.slots(j.queue), j.lane, -1)
    return false
  end
  return true
end

--- The score of a waiting job.
function lanes.behind(place)
  return int(tonumber(place) + WAITING)
end

-- Lets in those that waited for a slot, as many as there is room for. They take their slots when they are claimed.
local function let_in(j, taken)
  local most = number(lanes.rules(j.queue).lane)
  local room = most and most - taken or FREED_MAX
  if room <= 0 then return end
  -- Who began to wait in this very call stands in its set only now.
  job.settle()
  for _ = 1, FREED_MAX do
    local first = room > 0 and soft("ZPOPMIN", lanes.waiting(j.queue, j.lane)) or {}
    if not first[1] then return end
    if soft("ZSCORE", job.set(j.queue, "ready"), first[1]) then
      redis.call("ZADD", job.set(j.queue, "ready"), first[2], first[1])
      job.wakes(j.queue)
      room = room - 1
    end
  end
end

-- Gives a slot back.
local function leave_lane(j)
  local key = lanes.slots(j.queue)
  local taken = soft("HINCRBY", key, j.lane, -1)
  if not taken then return end
  if taken <= 0 then redis.call("HDEL", key, j.lane) end
  let_in(j, taken)
end

-- Takes a job out of those that wait. One that stood among the ready and has no slot may have been let in: without
-- it the next one has nobody to wait for.
local function stop_waiting(j)
  local waited = soft("ZREM", lanes.waiting(j.queue, j.lane), j.id)
  if waited == 0 and j.lane_slot == "" then
    let_in(j, number(soft("HGET", lanes.slots(j.queue), j.lane) or "") or 0)
  end
end

--- Takes a job out of its lane, before it gets another.
function lanes.forget(j)
  stop_waiting(j)
  if j.lane_slot ~= "" then leave_lane(j) end
  j.lane_slot = ""
end

--- Called by `move` for a job with a lane, before its fields are written.
function lanes.moved(j, from, to, changes)
  if to == "active" then
    soft("ZREM", lanes.waiting(j.queue, j.lane), j.id)
    changes.lane_slot = "1"
    return
  end
  if from == "ready" then stop_waiting(j) end
  if j.lane_slot ~= "" and (ENDED[to] or (from == "active" and lanes.rules(j.queue).ordered ~= "1")) then
    changes.lane_slot = false
    leave_lane(j)
  end
end
