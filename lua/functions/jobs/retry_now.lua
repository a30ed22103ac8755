--[[
  Makes a job ready at once, with at least one attempt: run a waiting one now,
  retry a dead one, run a cancelled one after all.

  ARGV[2]  job id
  ARGV[3]  expected version, or "" for any
  ARGV[4]  actor             ARGV[5]  reason
  ARGV[6]  operation id, or ""

  Returns  {"ready" | "wrong_state" | "conflict", id, state, version, due, …}    {"duplicate", holder}
           {"subject_full"}    {"missing"}
  Events   delayed | held | retrying | dead | cancelled -> ready
]]
return act.alone("retry_now", act.retry_now, ARGV)
