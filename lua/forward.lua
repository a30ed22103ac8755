--[[
  Moves what is due from delayed and retrying to ready, over all queues. One of which a key is damaged is passed over.

  KEYS[1]  namespace prefix, "reprieve:{ns}:"
  ARGV[1]  now in ms, or "" for the server's clock
  ARGV[2]  most jobs to move
  ARGV[3]  a number that rotates which queue comes first, so that none starves

  Returns  {moved, lowest due time left or "", now, what is wrong with a queue that was passed over, where there is one}
  Events   delayed | retrying -> ready, or what the job's constraints or the rules of its kind make of it (`lib/constraints.lua`):
           -> held | cancelled | dead, or the same state with a later due time
]]
local STATES_TOUCHED = { "delayed", "retrying", "ready" }
local WAITING = { "delayed", "retrying" }
local load = job.loader({}, { "retention_ms" })

-- Each call:
local now = clock.now(ARGV[1])
local limit, turn = tonumber(ARGV[2]), tonumber(ARGV[3])
if clock.stands then return { 0, "", now } end

local queues = redis.call("SMEMBERS", P .. "queues")
table.sort(queues)

job.expect(P .. "meta", "hash")
local due, strays, heads, room = {}, {}, {}, limit
local is_routine = not clock.rules
-- By rules a job may go anywhere.
local touched = clock.rules and STATES or STATES_TOUCHED
local passed_over, damaged, is_whole = {}, nil, true
local function pass_over(queue, wrong)
  passed_over[queue] = true
  if not damaged or wrong < damaged then damaged = wrong end
end
-- The lowest due time of the sets of which nothing is due: most sets, which cost one read each. The others are read again.
local next_due, read_again = nil, {}
local function note_head(head)
  local at = tonumber(head[2])
  if at and (not next_due or at < next_due) then next_due = at end
end
for index = 1, #queues do
  local queue = queues[(index + turn) % #queues + 1]
  for _, state in ipairs(WAITING) do
    local head = redis.pcall("ZRANGE", job.set(queue, state), 0, 0, "WITHSCORES")
    local is_due = head.err or head[2] and tonumber(head[2]) <= now
    if is_due then read_again[#read_again + 1] = { queue = queue, state = state }
    else note_head(head) end
    if is_due and room > 0 and not passed_over[queue] then
      local ids = not head.err and redis.call("ZRANGE", job.set(queue, state), "-inf", now, "BYSCORE", "LIMIT", 0, room) or {}
      local wrong = job.damage_of_queue(queue, touched)
      if wrong then
        pass_over(queue, wrong)
        ids = {}
      end
      if #ids > 0 then job.check_queue(now, queue, STATES_TOUCHED) end
      record.fetch(ids)
      local rest = {}
      for _, id in ipairs(ids) do
        if not (is_routine and state == "delayed" and routine.due(id, queue)) then rest[#rest + 1] = id end
      end
      local jobs, lost = job.gather(now, queue, state, rest, load, STATES_TOUCHED)
      room = room - #ids
      for _, j in ipairs(jobs) do
        -- What a job waits for may send it anywhere too.
        local elsewhere = j.constraints ~= "" and job.damage_of_queue(queue)
        if elsewhere then
          pass_over(queue, elsewhere)
          is_whole, room = false, room + 1
        else
          due[#due + 1] = j
        end
      end
      for _, stray in ipairs(lost) do table.insert(strays, stray) end
      if #ids > 0 then table.insert(heads, { queue = queue, state = state, count = #ids }) end
    end
  end
end

local rules = clock.rules and job.constraints().prepare(due)
for _, j in ipairs(due) do
  if rules or j.constraints ~= "" then job.check_queue(now, j.queue) end
end

job.set_aside_all(now, strays)
is_whole = is_whole and #strays == 0
if is_whole then
  for _, head in ipairs(heads) do job.take_first(head.queue, head.state, head.count) end
end
local moved_count = routine.due_count() + #due
job.reserve(moved_count)
routine.forward(now, int(now), is_whole)
-- Whether a job may have come into a set of which nothing is due.
local goes_anywhere = #strays > 0
for _, j in ipairs(due) do
  j.taken = is_whole
  if rules or j.constraints ~= "" then
    goes_anywhere = true
    local to, why, changes = job.constraints().judge(now, j, "ready")
    job.move(now, j, to, "forwarder", why, changes)
  else
    job.move(now, j, "ready", "forwarder", "", {})
  end
end
redis.call("HSET", P .. "meta", "forwarded_ms", int(now))
job.finish(now)

if goes_anywhere then
  read_again = {}
  for _, queue in ipairs(queues) do
    for _, state in ipairs(WAITING) do read_again[#read_again + 1] = { queue = queue, state = state } end
  end
end
for _, set in ipairs(read_again) do
  -- What is due in one that was passed over is looked at again all the same, but not at once.
  if not passed_over[set.queue] then note_head(redis.pcall("ZRANGE", job.set(set.queue, set.state), 0, 0, "WITHSCORES")) end
end
return { moved_count, next_due or "", now, damaged }
