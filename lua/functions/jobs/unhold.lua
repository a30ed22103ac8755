--[[
  Lets a held job run again at its due time, at once if that has passed.

  ARGV[2]  job id
  ARGV[3]  expected version, or "" for any
  ARGV[4]  actor             ARGV[5]  reason
  ARGV[6]  operation id, or ""

  Returns  {"delayed" | "wrong_state" | "conflict", id, state, version, due, …}    {"missing"}
  Events   held -> delayed
]]
return act.alone("unhold", act.unhold, ARGV)
