--[[
  Holds every step of a plan that waits: none of them runs before the plan is released. One that runs already goes on, and is
  held when it would be tried again, by the script that ends its attempt.

  ARGV[2]  plan id           ARGV[3]  expected version of the plan, or "" for any
  ARGV[4]  actor             ARGV[5]  reason            ARGV[6]  operation id, or ""

  Returns  {"held" | "unchanged" (it was held) | "conflict", plan id, version, anchor, held or "", now, {step, word, job …} …}
           word: "held" | "stays" | "gone"    {"missing"}
  Events   delayed | ready | retrying -> held
]]
local now = clock.now(ARGV[1])
local id, seen, by, why, op = ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]

local p, reply = plan.begin(now, "hold_plan", id, seen, op)
if not p then
  return reply
end
if p.held_ms then
  return plan.head("unchanged", p, now)
end

local replies = {}
for _, step in ipairs(p.steps) do
  local word, j = "stays", step.job
  if plan.waits(step) and (j.state ~= "held" or j.gated ~= "") then
    -- One that waited for others asks again once it is released.
    job.move(now, j, "held", by, why, { plan_held_ms = now, gated = false })
    word = "held"
  end
  table.insert(replies, plan.told(step, word, now))
end
p.held_ms = now
return plan.done(now, p, "hold_plan", by, why, op, "held", replies, {
  held_ms = int(now), held_by = by, held_why = why,
})
