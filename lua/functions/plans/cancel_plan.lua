--[[
  Calls off every live job of a plan in one step. A plan that is held stays it: put back, it is held as before.

  ARGV[2]  plan id           ARGV[3]  expected version of the plan, or "" for any
  ARGV[4]  actor             ARGV[5]  reason            ARGV[6]  operation id, or ""

  Returns  {"cancelled" | "conflict", plan id, version, anchor, held or "", now, {step, word, job …} …}
           word: "cancelled" | "requested" | "already_finished" as in cancel.lua, or "gone"    {"missing"}
  Events   as cancel.lua, one a job
]]
return plan.act("cancel_plan", ARGV, function(now, p, by, why)
  local off, is_changed = {}, false
  local replies = plan.each(now, p, function(step, j)
    if not j then return "gone" end
    -- What somebody has called off by itself stays so when the plan is put back.
    if plan.is_off_by_itself(p, step) then table.insert(off, step.name) end
    local word, changes = cancel.one(now, j, by, why)
    is_changed = is_changed or changes
    return word
  end)
  return "cancelled", replies, is_changed and { off = table.concat(off, " "), off_ms = int(now) } or {}
end)
