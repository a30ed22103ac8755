--[[
  Calls off every live job of a plan in one step. A plan that is held stays it: put back, it is held as before.

  ARGV[2]  plan id           ARGV[3]  expected version of the plan, or "" for any
  ARGV[4]  actor             ARGV[5]  reason            ARGV[6]  operation id, or ""

  Returns  {"cancelled" | "conflict", plan id, version, anchor, held or "", now, {step, word, job …} …}
           word: "cancelled" | "requested" | "already_finished" as in cancel.lua, or "gone"    {"missing"}
  Events   as cancel.lua, one a job
]]
local now = clock.now(ARGV[1])
local id, seen, by, why, op = ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]

local p, reply = plan.begin(now, "cancel_plan", id, seen, op)
if not p then
  return reply
end
local replies, off, is_changed = {}, {}, false
for _, step in ipairs(p.steps) do
  local word, changes = "gone", false
  if step.job then
    -- What somebody has called off by itself stays so when the plan is put back.
    if plan.is_off_by_itself(p, step) then table.insert(off, step.name) end
    word, changes = cancel.one(now, step.job, by, why)
  end
  is_changed = is_changed or changes
  table.insert(replies, plan.told(step, word, now))
end
return plan.done(now, p, "cancel_plan", by, why, op, "cancelled", replies, {
  off = is_changed and table.concat(off, " ") or nil,
  off_ms = is_changed and int(now) or nil,
})
