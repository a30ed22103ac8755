--[[
  Makes a plan: several jobs of one subject, each so long before or after one anchor, in one step.

  ARGV[2]  actor
  ARGV[3]  plan id           ARGV[4]  subject          ARGV[5]  name, or ""
  ARGV[6]  anchor ("" now, "+<ms>" from now, "<ms>")
  ARGV[7]  what becomes of steps that would be in the past: "run" | "skip" | "refuse"
  ARGV[8]  steps: JSON as in `core/plan.lua`
  ARGV[9…] the values of each step's job, in the order of the steps, see `core/intake.lua`; their due times are not read

  Returns  {"planned" | "exists" | "past", plan id, version, anchor, held or "", now, {step, word, job …} …}
           word: "delayed" | "ready" | "skipped", when "past": "past", when "exists": the state; then as `job.standing`
           {"taken", job id}    {"subject_full", live jobs}    {"plans_full", plans}
  Events   - -> delayed | ready, delayed -> cancelled for a step that is skipped
]]
local now = clock.now(ARGV[1])
local actor, id, subject, name, policy, steps = ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[7], ARGV[8]
local FIRST = 9

local PLANS_MAX = constants.PLANS_MAX

local function exists(p)
  plan.load(now, p)
  local reply = plan.head("exists", p, now)
  for _, step in ipairs(p.steps) do
    table.insert(reply, plan.told(step, step.job and step.job.state or "gone", now))
  end
  return reply
end

local there = plan.read(id)
if there then
  return exists(there)
end
local p = { id = id, version = clock.first_version(), subject = subject, anchor_ms = plan.time(now, ARGV[6]), steps = cjson.decode(steps) }
job.expect(plan.index(subject), "zset")
local plans = redis.call("ZCARD", plan.index(subject))
if plans >= PLANS_MAX then
  return { "plans_full", plans }
end

local batch, past = {}, {}
for index, step in ipairs(p.steps) do
  local new = intake.read(now, ARGV, FIRST + (index - 1) * intake.VALUES, actor)
  new.due_ms = plan.due(p.anchor_ms, step)
  if redis.call("EXISTS", record.key(new.id)) == 1 then
    return { "taken", new.id }
  end
  step.new = new
  if new.due_ms < now then table.insert(past, step) end
  table.insert(batch, new)
end
intake.check(now, batch)
for _, new in ipairs(batch) do job.check(now, new) end
local live = redis.call("ZCOUNT", job.subject(subject), 0, 0)
if live + #batch > constants.SUBJECT_LIVE_MAX then
  return { "subject_full", live }
end
if #past > 0 and policy == "refuse" then
  local reply = plan.head("past", p, now)
  for _, step in ipairs(past) do
    table.insert(reply, { step.name, "past", step.new.id, "delayed", 0, step.new.due_ms, "", "", "", now })
  end
  return reply
end

redis.call("HSET", plan.key(id), "id", id, "subject", subject, "name", name, "anchor_ms", int(p.anchor_ms),
  "version", int(p.version), "created_ms", int(now), "created_by", actor, "steps", steps, "kept", #batch)
if p.version > 1 then redis.call("HSET", plan.key(id), "first", int(p.version)) end
redis.call("ZADD", plan.index(subject), now, id)
local replies = plan.head("planned", p, now)
for _, step in ipairs(p.steps) do
  local new = step.new
  local is_past, gated = new.due_ms < now, step.after and #step.after > 0
  -- Whether it may run is judged when it is forwarded.
  if gated or is_past and policy == "skip" then new.to = "delayed" end
  local word = intake.take(now, new)[1]
  step.job = record.load(new.id)
  if is_past and policy == "skip" then
    plan.skip(now, step, actor, "")
    word = "skipped"
  end
  table.insert(replies, plan.told(step, word, now))
end
job.finish(now)
return replies
