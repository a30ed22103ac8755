--[[
  Has new jobs of this shard begin above a version: that of a job which another shard has removed, and whose id one of
  them may have.

  KEYS[1]  namespace prefix, "reprieve:{ns}:"
  ARGV[1]  now in ms, or "" for the server's clock
  ARGV[2]  version

  Returns  {"above"}
  Events   none: no job changes
]]
clock.now(ARGV[1])
expect_number(P .. "meta", clock.removed_text)
clock.note_removed(clock.given(ARGV[2]))
clock.keep_removed()
return { "above" }
