--[[
  Puts some jobs of a subject back, releases or postpones them, in one step.

  ARGV     as stop_jobs.lua, with ARGV[3] "reinstate" | "unhold" | "reschedule"

  Returns  as stop_jobs.lua
           word: "delayed" | "held" | "retrying" | "ready" | "past" | "stays" | "duplicate" | "subject_full"
  Events   as reinstate.lua, retry_now.lua, unhold.lua and reschedule.lua, one a job
]]
return act.together(ARGV)
