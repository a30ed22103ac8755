--[[
  Writes down that somebody takes a file away.

  KEYS[1]  namespace prefix, "reprieve:{ns}:"
  ARGV[1]  now in ms, or "" for the server's clock
  ARGV[2]  actor    ARGV[3]  what is in it: "jobs", "audit" or "outcomes"
  ARGV[4]  of which list or run    ARGV[5]  by what it is filtered: names only, for a subject may be forgotten

  Returns  {"noted"}
  Events   none: no job changes
]]
local now = clock.now(ARGV[1])
local by, what, which, filtered = ARGV[2], ARGV[3], ARGV[4], assert(ARGV[5], "nothing about the filter")

job.expect(P .. "meta", "hash")
job.expect(P .. "audit", "stream")
operation.audit(now, by, "export_" .. what, which, filtered, "exported", "", "")
clock.keep()
return { "noted" }
