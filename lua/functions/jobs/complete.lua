--[[
  Ends jobs well, one or a batch.

  ARGV[2…] job id and token, in turn

  Returns  one word a job: "done" | "lost" | "missing". A repeat with the same token gets the first word.
  Events   active -> done
]]
local now = clock.of_routine(ARGV[1])

local words = {}
complete.read(now, ARGV, 2, #ARGV, words)
complete.give_back()
job.finish(now)
return words
