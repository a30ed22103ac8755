--[[
  Calling one job off, shared by `cancel` and `cancel_subject`.
]]
local cancel = {}

--- The word for what was done: "cancelled", "requested" (it runs: its worker is told) or "final"; and whether that
--- changed anything, which "final" and a second request do not.
function cancel.one(now, j, by, why)
  if ENDED[j.state] then
    return "final", false
  end
  -- Changes with what `move` adds to them: a table that grows costs as much as a small command.
  if j.state ~= "active" then
    job.move(now, j, "cancelled", by, why, {
      cancelled_from = j.state, by = by, why = why, ended_ms = now, kept_until_ms = false,
    })
    return "cancelled", true
  end
  if outlet.recall(j) then
    -- Handed out, but in nobody's hands: as good as one that waits for a worker.
    job.move(now, j, "cancelled", by, why, {
      cancelled_from = "ready", attempt = math.max(j.attempt - 1, 0), lease_until_ms = false, cancel_ms = false,
    })
    return "cancelled", true
  end
  if j.cancel_ms then
    return "requested", false
  end
  outlet.ask(j)
  job.move(now, j, "active", by, why, { cancel_ms = now })
  return "requested", true
end
