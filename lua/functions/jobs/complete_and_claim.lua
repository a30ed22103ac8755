--[[
  Complete and claim: ends jobs well and takes the next ones into the room they
  leave. It is `complete` and `claim` in one step, at the cost of one call.

  ARGV[2]  worker
  ARGV[3]  lease in ms
  ARGV[4]  most jobs to take in all
  ARGV[5]  how many jobs to end
  ARGV[6…] job id and token of each of these, in turn; then queue and most jobs to take from it, in turn

  Returns  {lease end, as `claim` says it; one word a job ended, as `complete` says it; job id, record …}
  Events   those of `complete`, then those of `claim`
]]
local now = clock.of_routine(ARGV[1])
local lease_until = now + tonumber(ARGV[3])
-- A loop up to it ends, whatever was said.
local last = math.min(5 + 2 * tonumber(ARGV[5]), #ARGV)
local reply = { int(lease_until) }

complete.read(now, ARGV, 6, last, reply)
claim.read(now, ARGV[2], lease_until, tonumber(ARGV[4]), ARGV, last + 1)
-- What a job that ends lets in comes before those that were read: then they are no longer the first.
local are_first = not complete.give_back()
claim.start(now, are_first, reply)
job.finish(now)
claim.call_others(now, reply)
return reply
