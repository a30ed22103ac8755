--[[
  Ends a bulk run where it is. What it did stays done; the rest is left alone. What the undo of a run has not changed back
  can be undone again.

  ARGV[2]  run              ARGV[3]  actor           ARGV[4]  reason
  ARGV[5]  the state it has to be in still, or "" for any that is not over

  Returns  {"aborted"}    {"refused", state}    {"missing"}
]]
local now = clock.now(ARGV[1])
local run, by, why, seen = ARGV[2], ARGV[3], ARGV[4], assert(ARGV[5], "no state")

bulk.check(run)
local fields = bulk.load(run)
if not fields then
  return { "missing" }
end
if fields.state == "aborted" then
  return { "aborted" }
end
if fields.state == "done" or (seen ~= "" and fields.state ~= seen) then
  return { "refused", fields.state }
end
local undoes = fields.undo_of or ""
if undoes ~= "" then
  bulk.check(undoes)
  bulk.give_back(run, undoes)
end
bulk.close(now, run, fields, "aborted", by, why)
clock.keep()
return { "aborted" }
