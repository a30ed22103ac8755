--[[
  Has new jobs of this shard begin above a version: that of a job which another shard has removed, and whose id one of
  them may have.

  ARGV[2]  version

  Returns  {"above"}
]]
clock.now(ARGV[1])
expect_number(P .. "meta", clock.removed_text)
clock.note_removed(clock.given(ARGV[2]))
clock.keep_removed()
return { "above" }
