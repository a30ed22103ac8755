--[[
  Gives ready jobs to a worker under a lease. Queues are taken in the order
  given, a paused one yields nothing.

  ARGV[2]  worker
  ARGV[3]  lease in ms
  ARGV[4]  most jobs to take in all
  ARGV[5…] queue and most jobs to take from it, in turn

  Returns  {head; job id, record …}. The head is the lease end; behind it, where there is one of them, after how many ms a
           rate limit allows the next job, or "-", and how many jobs were passed over. The record is as `core/record.lua`
           writes it, with the values that are too long for it. The version is the token.
  Events   ready -> active, or -> delayed | cancelled | dead as the job's constraints or the rules of its kind say
]]
local now = clock.of_routine(ARGV[1])
local lease_until = now + tonumber(ARGV[3])
local reply = { int(lease_until) }

claim.read(now, ARGV[2], lease_until, tonumber(ARGV[4]), ARGV, 5)
claim.start(now, true, reply)
job.finish(now)
claim.call_others(now, reply)
return reply
