--[[
  Removes one ended job for a person, before its retention is over, with everything that belongs to it.

  ARGV[2]  job id            ARGV[3]  expected version, or "" for any
  ARGV[4]  actor             ARGV[5]  reason            ARGV[6]  operation id, or ""

  Returns  {"purged" | "wrong_state" | "conflict", id, state, version, due, …}    {"missing"}
  Events   done | dead | cancelled -> -
]]
return act.alone("purge", act.purge, ARGV)
