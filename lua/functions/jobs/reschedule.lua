--[[
  Gives a waiting job another due time. A time in the past makes it due at once.

  ARGV[2]  job id
  ARGV[3]  expected version, or "" for any
  ARGV[4]  actor             ARGV[5]  reason
  ARGV[6]  operation id, or ""
  ARGV[7]  new due time in ms, or "+<ms>" from now

  Returns  {"delayed" | "held" | "retrying" | "wrong_state" | "conflict", id, state, version, due, …}    {"missing"}
  Events   delayed -> delayed, held -> held, retrying -> retrying
]]
return act.alone("reschedule", act.reschedule, ARGV, function(now) return clock.time(now, ARGV[7]) end)
