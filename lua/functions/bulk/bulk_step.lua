--[[
  Takes a step of a running bulk run: does its verb to the next jobs and writes
  each one's outcome, in the same step in which it leaves the list of those to
  come. Any number of processes may take steps of one run.

  Jobs of a kind that a rule protects are skipped, unless the run undoes another.

  A run with a stop rule looks first at what became of the jobs it set going:
  when at least 20 have ended and more than half of the last 200 failed again,
  it stops. At most 200 of them are under way at a time.

  ARGV[2]  run              ARGV[3]  most jobs of this step

  Returns  {state, jobs of this step, jobs still to come, verb, actor, reason, {word, id, state, version, due, …} …}:
           the jobs that it changed and left there
           {state, 0, jobs still to come} of one that does not run    {"missing"}
  Events   those of the verb, one a job that changed
]]
local now = clock.now(ARGV[1])
local run, limit = ARGV[2], tonumber(ARGV[3])

-- The stop rule: how many of the latest ends count, from how many on, and how many may be under way.
local RECENT_MAX = 200
local RECENT_MIN = 20
local WATCHED_MAX = 200

bulk.check(run)
local fields = bulk.load(run)
if not fields then
  return { "missing" }
end
local left, undoes = redis.call("ZCARD", bulk.todo(run)), (fields.undo_of or "") ~= ""
if fields.state ~= "running" then
  return { fields.state, 0, left }
end

-- Each shard sees its own part of the jobs only.
local watched_max = math.ceil(WATCHED_MAX / math.max(bulk.number(fields, "shards"), 1))

-- What became of the jobs that were set going: a mark each in `recent`, "1" for those that failed again.
local recent, seen = fields.recent or "", {}
local good, bad = 0, 0
if fields.stops == "1" then
  for _, id in ipairs(redis.call("ZRANGE", bulk.watched(run), 0, watched_max - 1)) do
    local j = record.load(id)
    local state = j and j.state
    if state == "done" then
      good, recent = good + 1, recent .. "0"
    elseif state == "dead" or state == "retrying" then
      bad, recent = bad + 1, recent .. "1"
    end
    if state ~= "ready" and state ~= "active" then table.insert(seen, id) end
  end
  recent = recent:sub(-RECENT_MAX)
end
local _, failures = recent:gsub("1", "")
local stops = #recent >= RECENT_MIN and failures * 2 > #recent

-- How many now: as many as the rate has let through since the last step, a second's worth at most. What the step has no room
-- for is left to the next one.
local rate, paced = tonumber(fields.pace), bulk.number(fields, "paced_ms")
if rate then
  local allowed = math.floor((now - paced) * rate / 1000)
  local burst = math.max(math.ceil(rate), 1)
  if allowed > burst then
    allowed, paced = burst, now - math.floor(burst * 1000 / rate)
  end
  limit = math.min(limit, allowed)
  paced = paced + math.floor(limit * 1000 / rate)
end
if fields.stops == "1" then
  limit = math.min(limit, watched_max - redis.call("ZCARD", bulk.watched(run)) + #seen)
end
if stops then limit = 0 end

-- Everything is read and checked before the first write.
local load = job.loader({ "worker", "cancelled_from", "gated" }, {
  "started_ms", "ended_ms", "cancel_ms", "retention_ms", "max_attempts", "unique_ttl_ms", "lease_until_ms", "sequence",
})
local batch = {}
if limit > 0 then
  local members = redis.call("ZRANGE", bulk.todo(run), 0, limit - 1, "WITHSCORES")
  for index = 1, #members, 2 do
    local one = { id = members[index], seen = tonumber(members[index + 1]) }
    one.j = load(one.id)
    -- A damaged queue does not hold up the jobs of others.
    if one.j then one.usable = not job.damage_of_queue(one.j.queue) and job.usable(now, one.j) end
    if fields.verb == "reschedule" and undoes then one.due = number(redis.call("HGET", bulk.dues(run), one.id)) end
    table.insert(batch, one)
  end
end

-- What a run changed before its kind was protected goes back all the same.
local protects = clock.rules and not undoes
-- In the name of the person behind it: of two people the one who asked, whose reason it has, else the one who started it.
-- Who looked at it first has done nothing yet.
local by = (fields.asked_by or "") ~= "" and fields.asked_by or fields.started_by or fields.by
local why = "bulk run " .. run .. (fields.why ~= "" and ": " .. fields.why or "")
local spread, total = bulk.number(fields, "spread_ms"), math.max(bulk.number(fields, "total"), 1)
local reached = bulk.number(fields, "changed") + bulk.number(fields, "skipped") + bulk.number(fields, "failed")

-- What the run does to a job: see `act.lua`.
local acts = {}

function acts.cancel(j) return cancel.one(now, j, by, why) end
function acts.purge(j) return act.purge(now, j, by) end
-- Nobody expects a job to run at once because a run was undone.
function acts.reinstate(j) return act.reinstate(now, j, by, why, nil, true) end

function acts.retry_now(j)
  local word, is_changed = act.retry_now(now, j, by, why)
  if is_changed and fields.stops == "1" then redis.call("ZADD", bulk.watched(run), j.version, j.id) end
  return word, is_changed
end

function acts.reschedule(j, place, due)
  if undoes then
    if not due then return "wrong_state" end
    if due <= now and WAITING[j.state] then return "overdue" end
  else
    due = (fields.due_ms or "") ~= "" and tonumber(fields.due_ms) or j.due_ms + (tonumber(fields.shift_ms) or 0)
    -- The first of a spread comes at once and the last just before its end.
    due = math.max(due, 0) + math.floor(spread * place / total)
  end
  local before = int(j.due_ms)
  local word, is_changed = act.reschedule(now, j, by, why, due)
  if is_changed then redis.call("HSET", bulk.dues_before(run), j.id, before) end
  return word, is_changed
end

function acts.hold(j)
  local changes = nil
  -- What the undone run released waits for others again, or is held with its plan. Where nothing is left to wait for, nobody
  -- would let it go.
  if undoes and j.state == "delayed" then
    changes = {}
    if j.gated ~= "" then
      changes.gated = job.constraints().waits_again(j)
      if not changes.gated then return "free" end
    end
    if j.plan_held_ms and not job.constraints().plan_held_ms(j) then return "free" end
  end
  return act.hold(now, j, by, why, changes)
end

function acts.unhold(j)
  if undoes and j.state == "held" and j.due_ms <= now then return "overdue" end
  -- It keeps what held it: undone, it is held by that again.
  return act.unhold(now, j, by, why, {})
end

local sums, told = { changed = 0, skipped = 0, failed = 0 }, {}
for index, one in ipairs(batch) do
  local j, from = one.j, one.j and one.j.state or ""
  local word, class = nil, "skipped"
  if not j then
    word = "missing"
  elseif not one.usable then
    word, class = "damaged", "failed"
  elseif protects and job.constraints().protects(j) then
    word = "protected"
  elseif j.first > one.seen then
    -- Another job, which has the id since.
    word = "changed"
  elseif j.version ~= one.seen and j.state == "active" and fields.spare_started == "1" then
    word = "started"
  elseif j.version ~= one.seen and fields.if_changed ~= "act" then
    word = "changed"
  else
    local changed
    word, changed = acts[fields.verb](j, reached + index - 1, one.due)
    if changed then class = "changed" end
    if changed and word ~= "purged" then table.insert(told, job.standing(word, j, now)) end
    -- A running job that was asked to stop has nothing to go back to.
    if changed and bulk.UNDONE_BY[fields.verb] and word ~= "requested" then
      redis.call("ZADD", bulk.undoable(run), j.version, j.id)
    end
  end
  sums[class] = sums[class] + 1
  redis.call("HINCRBY", bulk.key(run), "word:" .. word, 1)
  redis.call("RPUSH", bulk.outcomes(run), table.concat({ one.id, word, from, j and int(j.version) or "" }, " "))
  redis.call("ZREM", bulk.todo(run), one.id)
end
if #seen > 0 then redis.call("ZREM", bulk.watched(run), unpack(seen)) end
for class, count in pairs(sums) do
  redis.call("HSET", bulk.key(run), class, bulk.number(fields, class) + count)
end
redis.call("HSET", bulk.key(run), "paced_ms", paced, "stepped_ms", now, "recent", recent,
  "good", bulk.number(fields, "good") + good, "bad", bulk.number(fields, "bad") + bad)

left = left - #batch
local state = "running"
if stops then
  state = "stopped"
  bulk.close(now, run, fields, state, "bulk",
    int(failures) .. " of the last " .. int(#recent) .. " failed again; find out why before the rest")
elseif left == 0 then
  state = "done"
  bulk.close(now, run, fields, state, by, fields.why)
elseif #batch > 0 then
  -- A run may outlast what was promised at its start.
  bulk.keep_for(run, bulk.RUNNING_KEPT_MS)
end
job.finish(now)
local reply = { state, #batch, left, fields.verb, by, why }
for _, one in ipairs(told) do table.insert(reply, one) end
return reply
