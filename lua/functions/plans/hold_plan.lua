--[[
  Holds every step of a plan that waits: none of them runs before the plan is released. One that runs already goes on, and is
  held when it would be tried again, by the script that ends its attempt.

  ARGV[2]  plan id           ARGV[3]  expected version of the plan, or "" for any
  ARGV[4]  actor             ARGV[5]  reason            ARGV[6]  operation id, or ""

  Returns  {"held" | "unchanged" (it was held) | "conflict", plan id, version, anchor, held or "", now, {step, word, job …} …}
           word: "held" | "stays" | "gone"    {"missing"}
  Events   delayed | ready | retrying -> held
]]
return plan.act("hold_plan", ARGV, function(now, p, by, why)
  if p.held_ms then return nil, plan.head("unchanged", p, now) end
  p.held_ms = now
  local replies = plan.each(now, p, function(step, j)
    if not (plan.waits(step) and (j.state ~= "held" or j.gated ~= "")) then return "stays" end
    -- One that waited for others asks again once it is released.
    job.move(now, j, "held", by, why, { plan_held_ms = now, gated = false })
    return "held"
  end)
  return "held", replies, { held_ms = int(now), held_by = by, held_why = why }
end)
