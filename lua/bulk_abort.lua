--[[
  Ends a bulk run where it is. What it did stays done; the rest is left alone.

  KEYS[1]  namespace prefix, "reprieve:{ns}:"
  ARGV[1]  now in ms, or "" for the server's clock
  ARGV[2]  run              ARGV[3]  actor           ARGV[4]  reason

  Returns  {"aborted"}    {"refused", state}    {"missing"}
  Events   none: no job changes
]]
local now = clock.now(ARGV[1])
local run, by, why = ARGV[2], ARGV[3], ARGV[4]

bulk.check(run)
local fields = bulk.load(run)
if not fields then
  return { "missing" }
end
if fields.state == "aborted" then
  return { "aborted" }
end
if fields.state == "done" then
  return { "refused", fields.state }
end
bulk.close(now, run, fields, "aborted", by, why)
clock.keep()
return { "aborted" }
