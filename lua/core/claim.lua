--[[
  Giving ready jobs to a worker, shared by `claim` and `complete_and_claim`. In this order: what may start is read and checked, and what
  starts without a question is noted (`read`); jobs with constraints, rules of their kind or a concurrency key are asked, and start or go
  elsewhere (`start`); after `job.finish` others are called for what is left (`call_others`).
]]
local claim = {}
do

-- state version attempt ready sequence started worker ended queue kind due subject ahead created_by first
local READY = "^ready (%d+) ([^ \n]*) ([^ \n]*) ([^ \n]* )[^ \n]* [^ \n]* [^ \n]* ()([^ \n]+) ([^ \n]+) (%d+) ([^ \n]*) ([^ \n]*) [^ \n]* ?%d*\n()"

-- Ready sets need no type check: reading them is the check.
local STATES_TOUCHED = { "active" }
local load = job.loader({}, {})

-- Who starts them, until when, and how the records say that.
local by, lease_text, now_text, worker_word, worker_line
-- What the queues gave: `served` in their order; ids of all jobs in theirs, and what became of each: the record for the
-- worker, "asked" while that is open, or "" where it does not start; ids that do not belong there.
local served, ids_in_turn, given, strays, count
-- Queues with limits, and those that were asked.
local capped, asked
-- Queues with a damaged set, of which jobs that might have to go there stay where they are.
local holding_back
-- What jobs of a queue and kind that start one after the other share.
local run_queue, run_kind, joining, told, counts

--- How many jobs a queue may give, and whether limits say so; nil when it may not be asked.
local function room_of(now, queue, most)
  -- A queue named twice would give each of its jobs twice.
  if most <= 0 or asked[queue] then
    return nil
  end
  if job.is_open(queue) then
    return most, false
  end
  if redis.call("EXISTS", job.paused(queue)) == 1 then
    return nil
  end
  if job.damage(job.limits(queue), "hash", true) then
    return nil
  end
  capped[#capped + 1] = queue
  most = limits.room(now, queue, most)
  if most <= 0 then
    return nil
  end
  return most, true
end

-- Notes that a ready job of a queue starts. Returns its record as the worker gets it; or nil, and "constraints" or "concurrency_key" where
-- these are to be asked first, unless that `is_let`. Nil alone is for what is no ready job of that queue.
local function begin_job(now, id, queue, is_let, text, key)
  text = record.newest(id) or text
  if not text then
    return nil
  end
  local version, attempt, ready, sequence, rest, found, kind, due, subject, ahead, ends = text:match(READY)
  if found ~= queue or #version > 15 or #due > 15 then
    return nil
  end
  local lines, payload_at
  if text:byte(ends) ~= 10 then
    lines, payload_at = record.lines(text, ends)
    if not lines then
      return nil
    end
  end
  if not is_let then
    if lines and lines.constraints or clock.rules and job.constraints().has_rule(kind) then return nil, "constraints" end
    if lines and lines.concurrency_key then return nil, "concurrency_key" end
  end
  version = clock.epoch == 0 and following_of(version) or int(clock.token(tonumber(version)))
  local head = "active " .. version .. " " .. following_of(attempt) .. " " .. ready .. " " .. sequence .. now_text .. " "
    .. worker_word .. "  "
  local started, whole
  if worker_line or lines and (lines.token or lines.cancel_ms or lines.heard or lines.worker or lines.concurrency_key) then
    if not lines then lines, payload_at = {}, ends + 1 end
    lines.token, lines.cancel_ms, lines.heard, lines.worker = nil, nil, nil, worker_line
    lines.concurrency_slot = lines.concurrency_key and "1"
    started = head .. text:sub(rest, ends - 1) .. record.in_lines(lines) .. text:sub(payload_at)
  else
    started = head .. text:sub(rest)
  end
  if lines and lines.long then
    whole = record.whole(id, head .. text:sub(rest, ends - 1), lines, text:sub(payload_at))
  end
  if queue ~= run_queue or kind ~= run_kind or #told >= JOBS_MAX then
    joining, told = job.joining(queue, "active"), events.open(now, "ready", "active", queue, kind, by, "")
    counts, run_queue, run_kind = stats.of(queue), queue, kind
    job.notes()
  end
  record.write(id, started, key)
  local length = #joining
  joining[length + 1], joining[length + 2] = lease_text, id
  told[#told + 1] = id .. " " .. version .. " " .. due .. " " .. subject
  if ready == "" then ready = record.created(due, ahead) end
  local wait = stats.since("wait", now, ready)
  counts[wait] = (counts[wait] or 0) + 1
  return whole or started
end

-- Reads the first jobs of a queue. Returns how many of its places are taken.
local function read_queue(now, queue, most, limited)
  -- Behind these stand the jobs whose concurrency key is full. The one more tells that some are left.
  local ids = redis.pcall("ZRANGE", job.set(queue, "ready"), "-inf", "(" .. int(WAITS_FOR_SLOT), "BYSCORE", "LIMIT", 0, most + 1)
  -- A queue of which a key is damaged gives nothing, and holds up no other.
  if ids.err or #ids == 0 or job.damage_of_queue(queue, STATES_TOUCHED) then
    return 0
  end
  local leaves_some = #ids > most
  ids[most + 1] = nil
  job.check_queue(now, queue, STATES_TOUCHED)
  local texts, keys = record.read(ids)
  local of = { queue = queue, first = count + 1, last = count + #ids, limited = limited, started = 0, stay = 0, is_sure = true }
  local lost = {}
  for index = 1, #ids do
    local id = ids[index]
    local whole, why = begin_job(now, id, queue, false, texts[index], keys[index])
    if whole then
      of.started = of.started + 1
    else
      of.is_sure = false
      if not why then
        whole, lost[#lost + 1] = "", id
      elseif why == "constraints" and job.damage_of_queue(queue) then
        whole, of.stay, holding_back[queue] = "", of.stay + 1, true
      else
        -- By its constraints it may go anywhere.
        if why == "constraints" then job.check_queue(now, queue) end
        whole = "asked"
      end
    end
    ids_in_turn[of.first + index - 1], given[of.first + index - 1] = id, whole
  end
  if #lost > 0 then
    local _, found = job.gather(now, queue, "ready", lost, load, STATES_TOUCHED)
    for _, stray in ipairs(found) do strays[#strays + 1] = stray end
  end
  of.leaves_some, count = leaves_some, of.last
  served[#served + 1] = of
  return #ids - #lost - of.stay
end

--- Reads and checks what may start. `values` are from `first` on a queue and the most to take from it, in turn.
function claim.read(now, worker, until_ms, room, values, first)
  served, ids_in_turn, given, strays, count = {}, {}, {}, {}, 0
  capped, asked, holding_back, run_queue = {}, {}, {}, nil
  if clock.stands then return end
  by, lease_text, now_text = "worker:" .. worker, int(until_ms), int(now)
  worker_word, worker_line = worker, nil
  if worker:find("%s") then worker_word, worker_line = "", worker end
  for at = first, #values, 2 do
    local queue = values[at]
    local most, limited = room_of(now, queue, math.min(tonumber(values[at + 1]), room))
    if most then
      asked[queue] = true
      room = room - read_queue(now, queue, most, limited)
    end
  end
end

-- Asks a job for its constraints, the rules of its kind and its concurrency key, and starts it or lets it go where these say. Returns its
-- record when it started.
local function ask(now, id, of, is_taken)
  local j = load(id)
  if j.constraints ~= "" or clock.rules and job.constraints().has_rule(j.kind) then
    local to, why, changes = job.constraints().judge(now, j, "active")
    if to ~= "active" then
      j.taken, run_queue = is_taken, nil
      job.move(now, j, to, by, why, changes)
      return nil
    end
  end
  if j.concurrency_key ~= "" then
    if j.concurrency_slot == "" and not concurrency_keys.enter(j, job.place(j)) then
      job.wait_for_slot(j, job.place(j))
      return nil
    end
    soft("ZREM", concurrency_keys.waiting(of.queue, j.concurrency_key), id)
  end
  if not is_taken then table.insert(job.leaving(of.queue, "ready"), id) end
  of.started = of.started + 1
  return (begin_job(now, id, of.queue, true))
end

--- Starts what was read and adds id and record of each job to the reply. `are_first` tells that nothing has come
--- before them since.
function claim.start(now, are_first, reply)
  job.set_aside_all(now, strays)
  are_first, run_queue = are_first and #strays == 0 and not next(holding_back), nil
  for _, of in ipairs(served) do
    if are_first then job.take_first(of.queue, "ready", of.last - of.first + 1) end
    for at = of.first, of.last do
      local id, whole = ids_in_turn[at], given[at]
      if whole == "asked" then
        whole = ask(now, id, of, are_first)
      elseif whole ~= "" and not are_first then
        table.insert(job.leaving(of.queue, "ready"), id)
      end
      if whole and whole ~= "" then
        local length = #reply
        reply[length + 1], reply[length + 2] = id, whole
      end
    end
    if of.started > 0 then
      local of_queue = stats.of(of.queue)
      of_queue.started = (of_queue.started or 0) + of.started
    end
    if of.limited then limits.spend(now, of.queue, of.started) end
  end
end

local function leaves_some(of)
  -- A worker that was called for what stays would come back for it at once, again and again.
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
  -- At its limit a queue has nothing to give: the end of a job of it leaves the next token, or the caller comes
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
end
