--[[
  Moves what is due from delayed and retrying to ready, over all queues. It looks at those alone in which something may be due:
  `due` has each queue by its lowest due time, or an earlier one. One of which a key is damaged is passed over.

  ARGV[2]  most jobs to move
  ARGV[3]  a number that rotates which queue comes first of those with due jobs, so that none starves

  Returns  {moved, lowest due time left or "", now, what is wrong with a queue that was passed over, where there is one}
  Events   delayed | retrying -> ready, or what the job's constraints or the rules of its kind make of it (`core/constraints.lua`):
           -> held | cancelled | dead, or the same state with a later due time
]]
local STATES_TOUCHED = { "delayed", "retrying", "ready" }
local STATES_OF_WAITING = { "delayed", "retrying" }
local load = job.loader({}, { "retention_ms" })

-- state version attempt ready sequence started worker ended queue kind due subject ahead created_by first
local WAITS = "^(%l+) (%d+) ([^ \n]*) [^ \n]* [^ \n]* ([^ \n]* [^ \n]* [^ \n]* )()([^ \n]+) ([^ \n]+) (%d+) ([^ \n]*) [^ \n]* [^ \n]* ?%d*\n()"

-- What jobs of a queue, state and kind that follow each other share.
local run_queue, run_state, run_kind, joining, told, counts

-- Notes that a job of a queue becomes ready. Returns "ready"; or "constraints", and its sequence number, where these are to be asked
-- first; nil for what is no such job. One that was asked comes again with that number.
local function begin_job(now, now_text, id, queue, state, sequence, text, key)
  text = record.newest(id) or text
  if not text then
    return nil
  end
  local found_state, version, attempt, behind, rest, found, kind, due, subject, ends = text:match(WAITS)
  if found ~= queue or found_state ~= state or #version > 15 or #due > 15 then
    return nil
  end
  local priority, has_constraints
  local late_since = due
  if text:byte(ends) ~= 10 then
    local lines = record.lines(text, ends)
    if not lines then
      return nil
    end
    has_constraints, priority = lines.constraints, number(lines.priority)
    local freed = number(lines.freed_ms)
    if freed and freed > tonumber(due) then late_since = lines.freed_ms end
  end
  if not sequence then
    sequence = job.next_sequence()
    if has_constraints or clock.rules and job.constraints().has_rule(kind) then return "constraints", sequence end
  end
  if queue ~= run_queue or state ~= run_state or kind ~= run_kind or #told >= JOBS_MAX then
    joining, told = job.joining(queue, "ready"), events.open(now, state, "ready", queue, kind, "forwarder", "")
    run_queue, run_state, run_kind, counts = queue, state, kind, stats.of(queue)
    job.wakes(queue)
    job.notes()
  end
  version = following_of(version)
  record.write(id, "ready " .. version .. " " .. attempt .. " " .. now_text .. " " .. int(sequence) .. " " .. behind .. text:sub(rest), key)
  local count = #joining
  joining[count + 1], joining[count + 2] = job.ready_place(priority, sequence), id
  told[#told + 1] = id .. " " .. version .. " " .. due .. " " .. subject
  local late = stats.since("late", now, late_since)
  counts[late] = (counts[late] or 0) + 1
  return "ready"
end

-- What is due in the sets of a queue, by due time: { score, id, state } each, at most so many.
local function due_in(now, queue, most)
  local found, has_both = {}, false
  for _, state in ipairs(STATES_OF_WAITING) do
    local members = redis.call("ZRANGE", job.set(queue, state), "-inf", now, "BYSCORE", "LIMIT", 0, most, "WITHSCORES")
    has_both = #found > 0 and #members > 0
    for at = 1, #members, 2 do found[#found + 1] = { score = tonumber(members[at + 1]), id = members[at], state = state } end
  end
  if has_both then
    table.sort(found, function(a, b) return keyset.before(a.score, a.id, b.score, b.id) end)
    while #found > most do found[#found] = nil end
  end
  return found
end

-- Each call:
local now = clock.of_routine(ARGV[1])
local limit, turn = tonumber(ARGV[2]), tonumber(ARGV[3])
if clock.stands then return { 0, "", now } end

job.expect(P .. "meta", "hash", true)
job.expect(job.due(), "zset", true)
local queues = due_queues.due_by(now)
-- What this call puts off needs nobody to be told.
clock.next_look, run_queue = nil, nil
-- Jobs by queue, in the order of their due times; those of which constraints or rules are to be asked.
local served, asks, strays, room, now_text = {}, {}, {}, limit, int(now)
local passed_over, passed_count, damaged, is_whole, moved_count = {}, 0, nil, true, 0
local function pass_over(queue, wrong)
  if not passed_over[queue] then passed_over[queue], passed_count = true, passed_count + 1 end
  if not damaged or wrong < damaged then damaged = wrong end
end

-- Queues that were read and not passed over: their lowest due times are other ones.
local seen = {}

-- Reads what is due in a queue and notes what becomes ready.
local function read_queue(queue)
  local wrong = job.damage_of_queue(queue, STATES_TOUCHED)
  if wrong then return pass_over(queue, wrong) end
  seen[#seen + 1] = queue
  local due, ids = due_in(now, queue, room), {}
  if #due == 0 then return end
  job.check_queue(now, queue, STATES_TOUCHED)
  for index, one in ipairs(due) do ids[index] = one.id end
  local texts, keys = record.read(ids)
  local lost, counts = {}, {}
  for index, one in ipairs(due) do
    local word, sequence = begin_job(now, now_text, one.id, queue, one.state, nil, texts[index], keys[index])
    counts[one.state] = (counts[one.state] or 0) + 1
    -- What a job waits for, and a rule of its kind, may send it anywhere.
    local elsewhere = word == "constraints" and job.damage_of_queue(queue)
    if elsewhere then
      pass_over(queue, elsewhere)
      is_whole, one.stays = false, true
    else
      room = room - 1
      if word == "ready" then
        moved_count = moved_count + 1
      elseif word == "constraints" then
        job.check_queue(now, queue)
        one.queue, one.sequence, one.asks = queue, sequence, true
        asks[#asks + 1], moved_count = one, moved_count + 1
      else
        lost[one.state] = lost[one.state] or {}
        table.insert(lost[one.state], one.id)
        one.stays = true
      end
    end
  end
  for state, of in pairs(lost) do
    local _, found = job.gather(now, queue, state, of, load, STATES_TOUCHED)
    for _, stray in ipairs(found) do strays[#strays + 1] = stray end
  end
  served[#served + 1] = { queue = queue, due = due, counts = counts }
end

for index = 1, #queues do
  if room <= 0 then break end
  read_queue(queues[(index + turn) % #queues + 1])
end

job.set_aside_all(now, strays)
is_whole = is_whole and #strays == 0
for _, of in ipairs(served) do
  if is_whole then
    for state, count in pairs(of.counts) do job.take_first(of.queue, state, count) end
  else
    for _, one in ipairs(of.due) do
      if not (one.stays or one.asks) then table.insert(job.leaving(of.queue, one.state), one.id) end
    end
  end
end
run_queue = nil
for _, one in ipairs(asks) do
  local j = load(one.id)
  local to, why, changes = job.constraints().judge(now, j, "ready")
  if to == "ready" then
    if not is_whole then table.insert(job.leaving(one.queue, one.state), one.id) end
    begin_job(now, now_text, one.id, one.queue, one.state, one.sequence)
  else
    j.taken, run_queue = is_whole, nil
    job.move(now, j, to, "forwarder", why, changes)
  end
end
job.finish(now)

due_queues.put_right(seen)
-- What is due in those is looked at again all the same, but not at once.
local next_due = due_queues.lowest(passed_over, passed_count)
redis.call("HSET", P .. "meta", "forwarded_ms", now_text, "next_look_ms", int(math.min(next_due or math.huge, now + constants.FORWARDER_SLEEP_MAX_MS)))
return { moved_count, next_due or "", now, damaged }
