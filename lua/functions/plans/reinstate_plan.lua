--[[
  Undoes the cancel of a plan: every step that is cancelled waits again, for the time it had, moved along where the anchor
  has been moved since. One that had been called off before the plan stays so, until it is put back by itself. While the
  plan is held they are held with it, whatever their time, until it is released. What somebody held by itself is held again.

  ARGV[2]  plan id           ARGV[3]  expected version of the plan, or "" for any
  ARGV[4]  actor             ARGV[5]  reason            ARGV[6]  operation id, or ""
  ARGV[7]  what becomes of steps whose time has passed: "run" | "skip" (they stay cancelled) | "refuse"

  Returns  {"reinstated" | "past" | "conflict", plan id, version, anchor, held or "", now, {step, word, job …} …}
           word: "reinstated" | "past" | "stays" | "gone"    {"subject_full", live jobs}    {"missing"}
  Events   cancelled -> delayed | held
]]
local now = clock.now(ARGV[1])
local id, seen, by, why, op, policy = ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7]

local p, reply = plan.begin(now, "reinstate_plan", id, seen, op)
if not p then
  return reply
end
local past, count = {}, 0
for _, step in ipairs(p.steps) do
  if step.job and step.job.state == "cancelled" and not (p.off and plan.is_off_by_itself(p, step)) then
    step.to, step.changes = cancel.way_back(step.job)
    step.due_ms, count = step.changes.due_ms or step.job.due_ms, count + 1
    if step.due_ms < now and step.to ~= "held" then table.insert(past, step) end
  end
end
if #past > 0 and policy == "refuse" then
  return plan.past(now, p, past)
end
local live = redis.call("ZCOUNT", job.subject(p.subject), 0, 0)
if live + count > constants.SUBJECT_LIVE_MAX then
  return { "subject_full", live }
end

local replies, stays_off = {}, false
for _, step in ipairs(p.steps) do
  local word, j = "stays", step.job
  if step.due_ms and (step.to == "held" or step.due_ms >= now or policy == "run") then
    step.changes.due_ms = step.due_ms
    job.move(now, j, step.to, by, why, step.changes)
    word = "reinstated"
  end
  stays_off = stays_off or j and (j.state == "cancelled" or j.state == "active" and j.cancel_ms)
  table.insert(replies, plan.told(step, word, now))
end
local changes = {}
-- Those that are left because their time has passed may be put back yet, those that run and were asked to stop once they
-- have, and no others.
if not stays_off then changes.off, changes.off_ms = false, false end
return plan.done(now, p, "reinstate_plan", by, why, op, "reinstated", replies, changes)
