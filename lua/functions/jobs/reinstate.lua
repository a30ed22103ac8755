--[[
  Undoes a cancel: the job is put back as it was. One that somebody held is
  held, and one whose plan is held is held with it: nothing runs, so its due
  time may have passed. Any other waits for its original due time again, moved
  along where its plan has been re-anchored since. When
  that has passed, nothing changes and the caller asks the person, unless it
  waits for others still; a new due time may be given instead.

  ARGV[2]  job id
  ARGV[3]  expected version, or "" for any
  ARGV[4]  actor             ARGV[5]  reason
  ARGV[6]  operation id, or ""
  ARGV[7]  new due time in ms, or "" for the original

  Returns  {"delayed" | "held" | "overdue" | "wrong_state" | "conflict", id, state, version, due, …}
           {"duplicate", holder}    {"subject_full"}    {"missing"}
  Events   cancelled -> delayed | held
]]
return act.alone("reinstate", act.reinstate, ARGV, function() return ARGV[7] ~= "" and clock.given(ARGV[7]) or nil end)
