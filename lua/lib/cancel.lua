--[[
  Calling one job off, shared by `cancel` and `cancel_subject`.
]]
local cancel = {}

--- The word for what was done: "cancelled", "requested" (it runs: its worker is told) or "final".
function cancel.one(now, j, by, why)
  if ENDED[j.state] then
    return "final"
  end
  if j.state ~= "active" then
    job.move(now, j, "cancelled", by, why, { cancelled_from = j.state })
    return "cancelled"
  end
  if not j.cancel_ms then
    job.move(now, j, "active", by, why, { cancel_ms = now })
  end
  return "requested"
end
