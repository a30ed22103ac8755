--[[
  Moves the anchor of a plan: every step that has not run yet moves along, to its time by the anchor or, where that is moved
  by so much, by as much from where it is. What runs, or has ended, stays; a step that is called off moves along when it is
  put back.

  ARGV[2]  plan id           ARGV[3]  expected version of the plan, or "" for any
  ARGV[4]  actor             ARGV[5]  reason            ARGV[6]  operation id, or ""
  ARGV[7]  what becomes of steps that would be in the past: "run" | "skip" | "refuse"
  ARGV[8]  new anchor: "" now, "+<ms>" from now, "<ms>", "by+<ms>" or "by-<ms>" from the old one

  Returns  {"moved" | "past" | "conflict", plan id, version, anchor, held or "", now, {step, word, job …} …}
           word: "moved" | "skipped" | "past" | "stays" | "gone"    {"missing"}
  Events   delayed | ready -> delayed, held -> held, retrying -> retrying, and -> cancelled for what is skipped
]]
return plan.act("reanchor", ARGV, function(now, p, by, why, policy, anchor)
  local before_ms, is_by = p.anchor_ms, anchor:sub(1, 2) == "by"
  p.anchor_ms = plan.time(now, anchor, before_ms)
  local past = {}
  for _, step in ipairs(p.steps) do
    step.due_ms = is_by and step.job and plan.due_by(p.anchor_ms - before_ms, step) or plan.due(p.anchor_ms, step)
    -- One that is held runs at no time, and asks again when it is released.
    step.is_past = plan.waits(step) and step.job.state ~= "held" and step.due_ms < now
    if step.is_past then table.insert(past, step) end
  end
  if #past > 0 and policy == "refuse" then return nil, plan.past(now, p, past) end

  local changes = { anchor_ms = int(p.anchor_ms) }
  local replies = plan.each(now, p, function(step, j)
    local word = "stays"
    if step.is_past and policy == "skip" then
      plan.skip(now, step, by, why)
      word = "skipped"
    elseif plan.waits(step) then
      -- A job that waits for others until after its new time looks again when that has come.
      local to = j.state
      if to == "ready" or to == "held" and j.gated ~= "" then to = "delayed" end
      local moved = { due_ms = step.due_ms }
      if j.gated ~= "" then moved.gated = false end
      job.move(now, j, to, by, why, moved)
      word = "moved"
    end
    if j and j.state == "cancelled" then
      changes["due:" .. step.name] = int(step.due_ms)
      job.keep_until_due(j, step.due_ms)
    end
    return word
  end)
  return "moved", replies, changes
end)
