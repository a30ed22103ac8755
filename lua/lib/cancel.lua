--[[
  Calling one job off, shared by `cancel` and `cancel_subject`; and taking that back, shared by `reinstate` and bulk runs.
]]
local cancel = {}

--- The word for what was done: "cancelled", "requested" (it runs: its worker is told) or "already_finished"; and whether that
--- changed anything, which "already_finished" and a second request do not.
function cancel.one(now, j, by, why)
  if ENDED[j.state] then
    return "already_finished", false
  end
  -- Changes with what `move` adds to them: a table that grows costs as much as a small command.
  if j.state ~= "active" then
    job.move(now, j, "cancelled", by, why, {
      cancelled_from = j.state, by = by, why = why, ended_ms = now, kept_until_ms = false,
    })
    return "cancelled", true
  end
  if sink.recall(j) then
    -- Handed out, but in nobody's hands: as good as one that waits for a worker.
    job.move(now, j, "cancelled", by, why, {
      cancelled_from = "ready", attempt = math.max(j.attempt - 1, 0), lease_until_ms = false, cancel_ms = false,
    })
    return "cancelled", true
  end
  if j.cancel_ms then
    return "requested", false
  end
  sink.ask(j)
  job.move(now, j, "active", by, why, { cancel_ms = now })
  return "requested", true
end

--- Where a job goes whose cancel is taken back, what changes with that, and whether it waited for others. It is put back
--- as it was: what a person held is held. While its plan is held it is held with it, and no longer than that. A step has
--- moved along where its plan has: then its time is among the changes.
function cancel.way_back(j)
  local changes = { cancelled_from = false, due_ms = job.constraints().moved_ms(j) }
  -- One that was stopped in its last attempt gets another, or it would wait for nothing.
  if j.max_attempts and j.attempt >= j.max_attempts then changes.max_attempts = j.attempt + 1 end
  local was_held = j.cancelled_from == "held"
  local waited = was_held and j.gated ~= ""
  if was_held and not waited and not j.plan_held_ms then
    return "held", changes, false
  end
  local plan_held_ms = job.constraints().plan_held_ms(j)
  changes.gated, changes.plan_held_ms = false, plan_held_ms or false
  return plan_held_ms and "held" or "delayed", changes, waited
end

--- Whether a job, by its fields as texts, is held again by that way: a person held it by itself.
function cancel.holds_again(f)
  return f.state == "cancelled" and f.cancelled_from == "held" and f.gated == "" and f.plan_held_ms == ""
end
