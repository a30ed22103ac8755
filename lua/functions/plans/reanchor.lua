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
local now = clock.now(ARGV[1])
local id, seen, by, why, op, policy = ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7]

local p, reply = plan.begin(now, "reanchor", id, seen, op)
if not p then
  return reply
end
local before_ms = p.anchor_ms
p.anchor_ms = plan.time(now, ARGV[8], before_ms)
local is_by = ARGV[8]:sub(1, 2) == "by"

local past = {}
for _, step in ipairs(p.steps) do
  step.due_ms = is_by and step.job and plan.due_by(p.anchor_ms - before_ms, step) or plan.due(p.anchor_ms, step)
  -- One that is held runs at no time, and asks again when it is released.
  step.is_past = plan.waits(step) and step.job.state ~= "held" and step.due_ms < now
  if step.is_past then table.insert(past, step) end
end
if #past > 0 and policy == "refuse" then
  return plan.past(now, p, past)
end
local replies, changes = {}, { anchor_ms = int(p.anchor_ms) }
for _, step in ipairs(p.steps) do
  local word, j = "stays", step.job
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
  table.insert(replies, plan.told(step, word, now))
end
return plan.done(now, p, "reanchor", by, why, op, "moved", replies, changes)
