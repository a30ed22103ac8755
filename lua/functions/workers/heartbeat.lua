--[[
  A worker's sign of life: what it is and what it does. Says goodbye with an empty description.

  ARGV[2]  worker            ARGV[3]  description (JSON), or "" to leave

  Returns  {now, order}, the order being "quiet", "stop" or "" (`order_worker.lua`)
]]
local now = clock.of_routine(ARGV[1])
local worker, description = ARGV[2], assert(ARGV[3], "no description")

fleet.check(worker)
fleet.forget(now)
if description == "" then
  fleet.leave(worker)
else
  fleet.keep(now, worker, description)
end
return { now, fleet.order(worker) }
