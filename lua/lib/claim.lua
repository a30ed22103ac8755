--[[
  Giving ready jobs to a worker, shared by `claim` and `complete_and_claim`. In this order:
  what may start is read and checked (`read`), started (`start`), and after
  `job.finish` others are called for what is left (`call_others`).
]]
local claim = {}

-- The ready ones are proved by being read.
local STATES_TOUCHED = { "active" }
local load = job.loader({}, { "token" })

local worker, by, lease_until, lease_text, rules
-- What the queues gave: `served` in their order; ids of all jobs in theirs, the records of those that have started by
-- the routine way, the other jobs by id; ids that do not belong there.
local served, ids_in_turn, records, others, ready, strays, count
-- Queues with limits, and those that were asked.
local capped, asked
-- Queues with a damaged set, of which jobs that might have to go there stay where they are.
local holding_back

--- How many jobs a queue may give, and whether limits say so; nil when it may not be asked.
local function room_of(now, queue, most)
  -- A queue named twice would give each of its jobs twice.
  if most <= 0 or asked[queue] then
    return nil
  end
  if redis.call("EXISTS", job.paused(queue), job.limits(queue)) == 0 then
    job.is_free(queue)
    return most, false
  end
  if redis.call("EXISTS", job.paused(queue)) == 1 then
    return nil
  end
  if job.damage(job.limits(queue), "hash") then
    return nil
  end
  capped[#capped + 1] = queue
  most = limits.room(now, queue, most)
  if most <= 0 then
    return nil
  end
  return most, true
end

--- Reads and checks what may start. `values` are from `first` on a queue and the most to take from it, in turn.
function claim.read(now, of_worker, until_ms, room, values, first)
  served, ids_in_turn, records, others, ready, strays, count = {}, {}, {}, {}, {}, {}, 0
  capped, asked, holding_back = {}, {}, {}
  if clock.stands then return end
  worker, by, lease_until, lease_text = of_worker, "worker:" .. of_worker, until_ms, int(until_ms)
  local rules_stand = clock.rules
  local now_text, is_routine = int(now), not rules_stand and not worker:find("%s")
  for at = first, #values, 2 do
    local queue = values[at]
    local most, limited = room_of(now, queue, math.min(tonumber(values[at + 1]), room))
    if most then
      asked[queue] = true
      -- Behind these stand the jobs whose concurrency key is full. The one more tells that some are left.
      local ids = redis.pcall("ZRANGE", job.set(queue, "ready"), "-inf", "(" .. int(WAITS_FOR_SLOT), "BYSCORE", "LIMIT", 0, most + 1)
      -- A queue of which a key is damaged gives nothing, and holds up no other.
      if ids.err or #ids > 0 and job.damage_of_queue(queue, rules_stand and STATES or STATES_TOUCHED) then ids = {} end
      local leaves_some = #ids > most
      ids[most + 1] = nil
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
      local stay = 0
      for _, j in ipairs(jobs) do
        if j.constraints ~= "" and job.damage_of_queue(queue) then
          stay, holding_back[queue] = stay + 1, true
        else
          ready[#ready + 1], others[j.id] = j, j
        end
      end
      for _, stray in ipairs(lost) do strays[#strays + 1] = stray end
      room = room - #ids + #lost + stay
      if #ids > 0 then
        served[#served + 1] = {
          queue = queue, first = before + 1, last = count, limited = limited, started = #ids - #rest,
          -- What goes another way may move those behind it.
          leaves_some = leaves_some, is_sure = #rest == 0, stay = stay,
        }
      end
    end
  end
  rules = rules_stand and job.constraints().prepare(ready)
  for _, j in ipairs(ready) do
    if rules or j.constraints ~= "" then job.check_queue(now, j.queue) end
  end
end

--- Starts a job by the general way, unless its constraints, the rules of its kind or its concurrency key say otherwise. Whether it did.
local function start_other(now, j, is_taken, reply)
  j.taken = is_taken
  if rules or j.constraints ~= "" then
    local to, why, changes = job.constraints().judge(now, j, "active")
    if to ~= "active" then
      job.move(now, j, to, by, why, changes)
      return false
    end
  end
  if j.concurrency_key ~= "" and j.concurrency_slot == "" and not concurrency_keys.enter(j, job.place(j)) then
    job.wait_for_slot(j, job.place(j))
    return false
  end
  j.lease_until_ms = lease_until
  job.move(now, j, "active", by, "", job.lease_ends(j, nil, {
    attempt = j.attempt + 1, worker = worker, started_ms = now,
  }))
  stats.count(j, "started")
  stats.took(j, "wait", now - (j.ready_ms or j.created_ms or j.due_ms))
  if j.kind ~= stats.ALERT_KIND then stats.took(j, "late", now - j.due_ms) end
  reply[#reply + 1] = j.id
  reply[#reply + 1] = record.whole(j)
  return true
end

--- Starts what was read and adds id and record of each job to the reply. `are_first` tells that nothing has come
--- before them since.
function claim.start(now, are_first, reply)
  job.set_aside_all(now, strays)
  are_first = are_first and #strays == 0 and not next(holding_back)
  if are_first then
    for _, of in ipairs(served) do job.take_first(of.queue, "ready", of.last - of.first + 1) end
  end
  for _, of in ipairs(served) do
    for at = of.first, of.last do
      local id = ids_in_turn[at]
      if records[at] then
        if not are_first then job.leave(of.queue, "ready", id) end
        local length = #reply
        reply[length + 1], reply[length + 2] = id, records[at]
      elseif others[id] and start_other(now, others[id], are_first, reply) then
        of.started = of.started + 1
      end
    end
    if of.limited then limits.spend(now, of.queue, of.started) end
  end
end

local function leaves_some(of)
  -- Whoever was called for what stays would come back for it at once, again and again.
  if holding_back[of.queue] then return false end
  if of.is_sure then return of.leaves_some end
  return job.claimable(of.queue)
end

--- How many of the jobs that were read have not started: they went where their constraints, rules or concurrency keys say.
local function passed_over()
  local passed = 0
  for _, of in ipairs(served) do passed = passed + of.last - of.first + 1 - of.started - of.stay end
  return passed
end

--- Leaves wake tokens where jobs are left, and adds to the head of the reply after how many ms a rate allows the next,
--- and how many jobs were passed over.
function claim.call_others(now, reply)
  for _, of in ipairs(served) do
    if not of.limited and leaves_some(of) then job.leave_wake(of.queue) end
  end
  -- At its limit a queue has nothing to give: whoever ends a job of it leaves the next token, or the caller comes
  -- back when the rate allows.
  limits.wait_ms = nil
  limits.settled()
  for _, queue in ipairs(capped) do
    limits.put_right(now, queue)
    if not holding_back[queue] and job.claimable(queue) and limits.room(now, queue, 1) > 0 then job.leave_wake(queue) end
  end
  local passed = passed_over()
  if limits.wait_ms or passed > 0 then
    reply[1] = reply[1] .. " " .. (limits.wait_ms and int(limits.wait_ms) or "-")
  end
  if passed > 0 then reply[1] = reply[1] .. " " .. int(passed) end
end
