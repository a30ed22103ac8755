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
return plan.act("reinstate_plan", ARGV, function(now, p, by, why, policy)
  local past, count = {}, 0
  for _, step in ipairs(p.steps) do
    if step.job and step.job.state == "cancelled" and not (p.off and plan.is_off_by_itself(p, step)) then
      step.to, step.changes = cancel.way_back(step.job)
      step.due_ms, count = step.changes.due_ms or step.job.due_ms, count + 1
      if step.due_ms < now and step.to ~= "held" then table.insert(past, step) end
    end
  end
  if #past > 0 and policy == "refuse" then return nil, plan.past(now, p, past) end
  local live = redis.call("ZCOUNT", job.subject(p.subject), 0, 0)
  if live + count > constants.SUBJECT_LIVE_MAX then return nil, { "subject_full", live } end

  local stays_off = false
  local replies = plan.each(now, p, function(step, j)
    local word = "stays"
    if step.due_ms and (step.to == "held" or step.due_ms >= now or policy == "run") then
      step.changes.due_ms = step.due_ms
      job.move(now, j, step.to, by, why, step.changes)
      word = "reinstated"
    elseif step.due_ms then
      word = "past"
    end
    stays_off = stays_off or j and (j.state == "cancelled" or j.state == "active" and j.cancel_ms)
    return word
  end)
  -- Those that are left because their time has passed may be put back yet, those that run and were asked to stop once they
  -- have, and no others.
  return "reinstated", replies, stays_off and {} or { off = false, off_ms = false }
end)
