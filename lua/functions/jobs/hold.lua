--[[
  Keeps a delayed job from running. It keeps its due time.

  ARGV[2]  job id
  ARGV[3]  expected version, or "" for any
  ARGV[4]  actor             ARGV[5]  reason
  ARGV[6]  operation id, or ""

  Returns  {"held" | "wrong_state" | "conflict", id, state, version, due, …}    {"missing"}
  Events   delayed -> held
]]
return act.alone("hold", act.hold, ARGV)
