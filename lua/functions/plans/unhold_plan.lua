--[[
  Releases a held plan: the steps that were held with it wait for their times again. What somebody held by itself
  stays held.

  ARGV[2]  plan id           ARGV[3]  expected version of the plan, or "" for any
  ARGV[4]  actor             ARGV[5]  reason            ARGV[6]  operation id, or ""
  ARGV[7]  what becomes of steps whose time has passed: "run" | "skip" | "refuse"

  Returns  {"released" | "past" | "unchanged" (it was not held) | "conflict", plan id, version, anchor, held or "", now,
           {step, word, job …} …}    word: "released" | "skipped" | "past" | "stays" | "gone"    {"missing"}
  Events   held -> delayed | cancelled
]]
local now = clock.now(ARGV[1])
local id, seen, by, why, op, policy = ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7]

local p, reply = plan.begin(now, "unhold_plan", id, seen, op)
if not p then
  return reply
end
if not p.held_ms then
  return plan.head("unchanged", p, now)
end

local past = {}
local function held_with_it(step) return step.job and step.job.state == "held" and step.job.plan_held_ms end
for _, step in ipairs(p.steps) do
  step.is_past = held_with_it(step) and step.job.due_ms < now
  if step.is_past then table.insert(past, step) end
end
if #past > 0 and policy == "refuse" then
  return plan.past(now, p, past)
end

local replies = {}
for _, step in ipairs(p.steps) do
  local word = "stays"
  if step.is_past and policy == "skip" then
    plan.skip(now, step, by, why)
    word = "skipped"
  elseif held_with_it(step) then
    job.move(now, step.job, "delayed", by, why, { plan_held_ms = false })
    word = "released"
  end
  table.insert(replies, plan.told(step, word, now))
end
p.held_ms = nil
return plan.done(now, p, "unhold_plan", by, why, op, "released", replies, {
  held_ms = false, held_by = false, held_why = false,
})
