--[[
  Plans: several jobs of one subject, each so long before or after one anchor.
  The record `plan:<id>` holds what the plan is; where its steps stand is with
  their jobs, whose ids are `<plan>/<step>`.

    id, subject, name, anchor_ms, version, first (the version it began with), created_ms, created_by
    steps               JSON: a list of {name, offset_ms, after (a list of names), unmet}, every value a text
    held_ms, held_by, held_why    while the plan is held
    end:<step>          how a step ended, while it is ended; outlives its job
    off, off_ms         names of the steps that were called off before the plan was, and when it was; while any is called off
    due:<step>          when a cancelled step would be due, where the anchor has been moved since
    waiting             ids of jobs held until others are done
    kept                how many of its jobs are there; the record goes with the last
]]
local plan = {}
do

-- The latest instant: the year 9999.
local TIME_MS_MAX = 253402300799999
local WAITS = { delayed = true, held = true, ready = true, retrying = true }

function plan.key(id) return P .. "plan:" .. id end
--- The plans of a subject, by when they were made.
function plan.index(subject) return P .. "plans:" .. subject end
function plan.job_id(id, step) return id .. "/" .. step end

--- An instant as for `clock.time`; and, for a plan that is there, "by+<ms>" and "by-<ms>" from what it was.
function plan.time(now, text, before)
  if text:sub(1, 2) == "by" then return math.max(before + tonumber(text:sub(3)), 0) end
  return clock.time(now, text)
end

local function within(ms) return math.min(math.max(ms, 0), TIME_MS_MAX) end

function plan.due(anchor_ms, step) return within(anchor_ms + tonumber(step.offset_ms)) end

--- Where a step goes that moves by so much: from the time of its job, for somebody may have moved it by itself, or it waits
--- for another try; or, called off, from where it has been moved along since.
function plan.due_by(by_ms, step) return within((job.constraints().moved_ms(step.job) or step.job.due_ms) + by_ms) end

--- A plan, or nil when there is none that reads.
function plan.read(id)
  job.expect(plan.key(id), "hash")
  local found = redis.call("HMGET", plan.key(id), "version", "subject", "anchor_ms", "steps", "held_ms", "off", "off_ms",
    "first")
  local reads, steps = pcall(cjson.decode, found[4] or "")
  if not (reads and type(steps) == "table" and number(found[1]) and number(found[3])) then
    return nil
  end
  local off = found[6] and {}
  for name in (found[6] or ""):gmatch("%S+") do off[name] = true end
  return {
    id = id, version = number(found[1]), subject = found[2] or "", anchor_ms = number(found[3]), steps = steps,
    held_ms = number(found[5]), off = off or nil, off_ms = number(found[7]), first = number(found[8]) or 1,
  }
end

--- Whether a step is called off by itself and not with its plan: before that, or since. One that ran when the plan was
--- called off has ended later; one that runs yet is called off when it was asked to stop.
function plan.is_off_by_itself(p, step)
  local j, since = step.job, nil
  if j.state == "active" then
    since = j.cancel_ms
  elseif j.state == "cancelled" then
    since = (j.cancelled_from == "active" and j.started_ms or j.ended_ms) or 0
  end
  if not since then return false end
  return not p.off or p.off[step.name] or since > (p.off_ms or 0)
end

--- The head of every reply about a plan.
function plan.head(word, p, now)
  return { word, p.id, p.version, p.anchor_ms, p.held_ms or "", now }
end

--- Loads the jobs of the steps and checks them: each step gets its `job`, nil when there is none.
function plan.load(now, p)
  local load = job.loader({ "worker", "gated", "cancelled_from" }, {
    "started_ms", "ended_ms", "cancel_ms", "retention_ms", "max_attempts", "token", "sequence", "plan_held_ms",
  })
  for _, step in ipairs(p.steps) do
    local j = load(plan.job_id(p.id, step.name))
    -- Once its job was removed, another may have the id.
    step.job = j and job.constraints().of(j).plan == p.id and j or nil
    if step.job then job.check(now, step.job) end
  end
end

--- What became of one step, for a reply.
function plan.told(step, word, now)
  local standing = step.job and job.standing(word, step.job, now) or { "gone" }
  table.insert(standing, 1, step.name)
  return standing
end

--- What became of each step of a plan, by what `does` says of it.
function plan.each(now, p, does)
  local replies = {}
  for _, step in ipairs(p.steps) do table.insert(replies, plan.told(step, does(step, step.job), now)) end
  return replies
end

--- Whether the step has a job that waits for its time or for a worker.
function plan.waits(step) return step.job ~= nil and WAITS[step.job.state] == true end

--- The answer when steps would fall into the past and the caller wants none to: nothing has changed.
function plan.past(now, p, past)
  local reply = plan.head("past", p, now)
  for _, step in ipairs(past) do table.insert(reply, plan.told(step, "past", now)) end
  return reply
end

--- Calls a step off that would be in the past, as the caller chose.
function plan.skip(now, step, by, why)
  local j = step.job
  job.move(now, j, "cancelled", by, why ~= "" and why or "its time had passed", { cancelled_from = j.state })
end

--- The whole of a verb on a plan. `args` begin with the time, its id, the version that was seen, actor, reason and operation
--- id; the next two go to `does` as they are. It returns a word, what became of each step and which fields of the record
--- change, `false` for one that goes; or nil and what to reply, where it has changed nothing.
function plan.act(verb, args, does)
  local now = clock.now(args[1])
  local id, seen, by, why, op = args[2], args[3], args[4], args[5], args[6]
  local answered, p = operation.answered(verb, id, op), plan.read(id)
  local version = answered and number(answered[3])
  -- As for a job: see `operation.repeated`.
  if answered and p and version < p.first then
    return plan.head("conflict", p, now)
  end
  if answered and not (p and version > p.version) then
    return answered
  end
  if not p then
    return { "missing" }
  end
  if seen ~= "" and tonumber(seen) ~= p.version then
    return plan.head("conflict", p, now)
  end
  plan.load(now, p)
  job.expect(P .. "audit", "stream", true)
  local word, replies, changes = does(now, p, by, why, args[7], args[8])
  if not word then
    return replies
  end
  p.version = p.version + 1
  changes.version = int(p.version)
  local gone = {}
  for name, value in pairs(changes) do
    if value then redis.call("HSET", plan.key(p.id), name, value) else table.insert(gone, name) end
  end
  if #gone > 0 then redis.call("HDEL", plan.key(p.id), unpack(gone)) end
  audit.add(now, by, verb, p.id, why, word, "", "")
  job.finish(now)
  local reply = plan.head(word, p, now)
  for _, told in ipairs(replies) do table.insert(reply, told) end
  return operation.answer(verb, p.id, op, reply)
end
end
