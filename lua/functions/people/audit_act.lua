--[[
  Writes down an act that changes no job by itself: that somebody takes a file away, or begins to take a foreign queue
  over or to put it back. It is written before the first of it is done.

  ARGV[2]  actor    ARGV[3]  the act    ARGV[4]  on what: the list, the run, the importer
  ARGV[5]  what else there is to say; of a filter names only, for a subject may be forgotten
  ARGV[6]  what came of it in a word

  Returns  {"noted"}
]]
local now = clock.now(ARGV[1])
local by, verb, target, why, outcome = ARGV[2], ARGV[3], ARGV[4], ARGV[5], assert(ARGV[6], "no outcome")

audit.expect()
audit.add(now, by, verb, target, why, outcome, "", "")
clock.keep()
return { "noted" }
