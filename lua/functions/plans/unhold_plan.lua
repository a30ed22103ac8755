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
local function is_held_with_it(j) return j and j.state == "held" and j.plan_held_ms end

return plan.act("unhold_plan", ARGV, function(now, p, by, why, policy)
  if not p.held_ms then return nil, plan.head("unchanged", p, now) end
  local past = {}
  for _, step in ipairs(p.steps) do
    step.is_past = is_held_with_it(step.job) and step.job.due_ms < now
    if step.is_past then table.insert(past, step) end
  end
  if #past > 0 and policy == "refuse" then return nil, plan.past(now, p, past) end

  p.held_ms = nil
  local replies = plan.each(now, p, function(step, j)
    if step.is_past and policy == "skip" then
      plan.skip(now, step, by, why)
      return "skipped"
    end
    if not is_held_with_it(j) then return "stays" end
    job.move(now, j, "delayed", by, why, { plan_held_ms = false })
    return "released"
  end)
  return "released", replies, { held_ms = false, held_by = false, held_why = false }
end)
