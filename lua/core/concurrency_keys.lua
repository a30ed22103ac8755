--[[
  Concurrency keys: jobs of a queue that name the same concurrency key (a tenant, say) share a limit, over all processes. With an
  ordered queue a job that is retried or put off keeps its slot, so that the later ones of its concurrency key wait for it.

  A ready job of a full concurrency key stands at the end of its queue's ready set, beyond every priority, and in the
  concurrency key's own waiting set: a claim passes it once and then not again until a slot is free.

    q:<queue>:concurrency        hash of concurrency key -> slots taken
    q:<queue>:concurrency:<key>  sorted set of waiting jobs, by their place among the ready ones
    job field concurrency_slot    there while the job has a slot

  Nothing here may stop a job: what cannot be written is counted as damage, and the job runs.
]]
local concurrency_keys = {}
do

-- Added to the place of a waiting job. The ten bands of priority end below it, and both are exact.
local WAITING = 1e15
-- Jobs that may start after one has ended, when the limit of their concurrency key has been taken away. Each of them lets
-- as many follow.
local FREED_MAX = 100

function concurrency_keys.slots(queue) return P .. "q:" .. queue .. ":concurrency" end
function concurrency_keys.waiting(queue, concurrency_key) return P .. "q:" .. queue .. ":concurrency:" .. concurrency_key end

local queue_rules = {}
fresh(function()
  if next(queue_rules) then queue_rules = {} end
end)

--- The rules of a queue as texts, read once a call: `concurrency`, `rate`, `period_ms`, `credit`, `filled_ms`,
--- `concurrency_key`, `ordered`.
function concurrency_keys.rules(queue)
  if not queue_rules[queue] then
    local names = { "concurrency", "rate", "period_ms", "credit", "filled_ms", "concurrency_per_key", "ordered" }
    local values = redis.pcall("HMGET", job.limits(queue), unpack(names))
    local of = {}
    for index, name in ipairs(names) do of[name] = not values.err and values[index] or nil end
    queue_rules[queue] = of
  end
  return queue_rules[queue]
end

--- Takes a slot of its concurrency key for a job. False when none is free: the job waits, `place` being its score.
function concurrency_keys.enter(j, place)
  local most = number(concurrency_keys.rules(j.queue).concurrency_per_key)
  local taken = soft("HINCRBY", concurrency_keys.slots(j.queue), j.concurrency_key, 1)
  if taken and most and taken > most and soft("ZADD", concurrency_keys.waiting(j.queue, j.concurrency_key), place, j.id) then
    redis.call("HINCRBY", concurrency_keys.slots(j.queue), j.concurrency_key, -1)
    return false
  end
  return true
end

--- The score of a waiting job.
function concurrency_keys.behind(place)
  return int(tonumber(place) + WAITING)
end

-- Lets in those that waited for a slot, as many as there is room for. They take their slots when they are claimed.
local function let_in(j, taken)
  local most = number(concurrency_keys.rules(j.queue).concurrency_per_key)
  local room = most and most - taken or FREED_MAX
  if room <= 0 then return end
  -- Who began to wait in this very call stands in its set only now.
  job.settle()
  for _ = 1, FREED_MAX do
    local first = room > 0 and soft("ZPOPMIN", concurrency_keys.waiting(j.queue, j.concurrency_key)) or {}
    if not first[1] then return end
    if soft("ZSCORE", job.set(j.queue, "ready"), first[1]) then
      redis.call("ZADD", job.set(j.queue, "ready"), first[2], first[1])
      job.wakes(j.queue)
      room = room - 1
    end
  end
end

--- Gives the slot of a job back.
function concurrency_keys.leave(j)
  local key = concurrency_keys.slots(j.queue)
  local taken = soft("HINCRBY", key, j.concurrency_key, -1)
  if not taken then return end
  if taken <= 0 then redis.call("HDEL", key, j.concurrency_key) end
  let_in(j, taken)
end

-- Takes a job out of those that wait. One that stood among the ready and has no slot may have been let in: without
-- it the next one has nobody to wait for.
local function stop_waiting(j)
  local waited = soft("ZREM", concurrency_keys.waiting(j.queue, j.concurrency_key), j.id)
  if waited == 0 and j.concurrency_slot == "" then
    let_in(j, number(soft("HGET", concurrency_keys.slots(j.queue), j.concurrency_key) or "") or 0)
  end
end

--- Takes a job out of its concurrency key, before it gets another.
function concurrency_keys.forget(j)
  stop_waiting(j)
  if j.concurrency_slot ~= "" then concurrency_keys.leave(j) end
  j.concurrency_slot = ""
end

--- Takes a job out of its concurrency key that has ended; `had_slot` says whether it had one.
function concurrency_keys.ends(j, from, had_slot)
  j.concurrency_slot = had_slot and "1" or ""
  if from == "ready" then stop_waiting(j) end
  if had_slot then concurrency_keys.leave(j) end
  j.concurrency_slot = ""
end

--- Called by `move` for a job with a concurrency key, before its fields are written.
function concurrency_keys.moved(j, from, to, changes)
  if to == "active" then
    soft("ZREM", concurrency_keys.waiting(j.queue, j.concurrency_key), j.id)
    changes.concurrency_slot = "1"
    return
  end
  if from == "ready" then stop_waiting(j) end
  if j.concurrency_slot ~= "" and (ENDED[to] or (from == "active" and concurrency_keys.rules(j.queue).ordered ~= "1")) then
    changes.concurrency_slot = false
    concurrency_keys.leave(j)
  end
end
end
