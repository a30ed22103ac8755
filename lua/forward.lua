--[[
  Moves what is due from delayed and retrying to ready, over all queues.

  KEYS[1]  namespace prefix, "reprieve:{ns}:"
  ARGV[1]  now in ms, or "" for the server's clock
  ARGV[2]  most jobs to move
  ARGV[3]  a number that rotates which queue comes first, so that none starves

  Returns  {moved, lowest due time left or "", now}
  Events   delayed | retrying -> ready
]]
local now = clock.now(ARGV[1])
local limit, turn = tonumber(ARGV[2]), tonumber(ARGV[3])

local queues = redis.call("SMEMBERS", P .. "queues")
table.sort(queues)

job.expect(P .. "meta", "hash")
local load = job.loader({}, {})
local due, strays, room = {}, {}, limit
for index = 1, #queues do
  local queue = queues[(index + turn) % #queues + 1]
  for _, state in ipairs({ "delayed", "retrying" }) do
    if room > 0 then
      local ids = redis.call("ZRANGE", job.set(queue, state), "-inf", now, "BYSCORE", "LIMIT", 0, room)
      local jobs, lost = job.gather(now, queue, state, ids, load)
      for _, j in ipairs(jobs) do table.insert(due, j) end
      for _, stray in ipairs(lost) do table.insert(strays, stray) end
      room = room - #ids
    end
  end
end

job.set_aside_all(now, strays)
for _, j in ipairs(due) do
  job.move(now, j, "ready", "forwarder", "", {})
end

local next_due
for _, queue in ipairs(queues) do
  for _, state in ipairs({ "delayed", "retrying" }) do
    local head = redis.call("ZRANGE", job.set(queue, state), 0, 0, "WITHSCORES")
    local at = tonumber(head[2])
    if at and (not next_due or at < next_due) then next_due = at end
  end
end
redis.call("HSET", P .. "meta", "forwarded_ms", now)
job.finish(now)
return { #due, next_due or "", now }
