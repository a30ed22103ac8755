--[[
  Calls some jobs of a subject off, or holds them, in one step.

  ARGV[2]  subject           ARGV[3]  "cancel" | "hold"
  ARGV[4]  actor             ARGV[5]  reason
  ARGV[6]  operation id, or ""
  ARGV[7]  what becomes of those whose time would have passed: "run" | "skip" | "refuse" (then nothing changes)
  ARGV[8]  how many ms later, for "reschedule"; else ""
  ARGV[9…] job id, the version that was seen

  Returns  {"done" | "past" | "conflict", now, {queue, word, id, state, version, due, …} …}: those that are there and of the
           subject; for "past" those whose time would have passed, for "conflict" none. Nothing changed for both.
           word: "cancelled" | "requested" | "already_finished" | "held" | "stays"
  Events   as cancel.lua and hold.lua, one a job
]]
return act.together(ARGV)
