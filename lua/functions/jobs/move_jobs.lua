--[[
  Puts some jobs of a subject back, releases or postpones them, in one step.

  ARGV[2]  subject           ARGV[3]  "reinstate" | "unhold" | "reschedule"
  ARGV[4]  actor             ARGV[5]  reason
  ARGV[6]  operation id, or ""
  ARGV[7]  what becomes of those whose time would have passed: "run" | "skip" | "refuse" (then nothing changes)
  ARGV[8]  how many ms later, for "reschedule"; else ""
  ARGV[9…] job id, the version that was seen

  Returns  {"done" | "past" | "conflict", now, {queue, word, id, state, version, due, …} …}: those that are there and of the
           subject; for "past" those whose time would have passed, for "conflict" none. Nothing changed for both.
           word: "delayed" | "held" | "retrying" | "ready" | "past" | "stays" | "duplicate" | "subject_full"
  Events   as reinstate.lua, retry_now.lua, unhold.lua and reschedule.lua, one a job
]]
return act.together(ARGV)
