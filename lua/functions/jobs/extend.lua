--[[
  Extends the leases a worker holds.

  ARGV[2]  lease in ms
  ARGV[3…] job id and token, in turn

  Returns  one word a job: "held" | "cancel" (held, and asked to stop) | "lost" | "missing"
  Events   none: nothing changes but the end of the lease; the first time it is noted that the worker was heard of, and a
           start that lies ahead is put right
]]
local load = job.loader({}, { "token", "cancel_ms", "started_ms" })

-- Each call:
local now = clock.of_routine(ARGV[1])
local lease_until = now + tonumber(ARGV[2])

local ids, held, words = {}, {}, {}
for first = 3, #ARGV, 2 do ids[#ids + 1] = ARGV[first] end
record.fetch(ids)
for first = 3, #ARGV, 2 do
  local j = load(ARGV[first])
  local word = j and job.lease(j, ARGV[first + 1]) or "missing"
  if word == "held" then
    local key = job.set(j.queue, "active")
    -- Of a queue whose leases are damaged nobody takes jobs back. It must not cost the worker those of the others.
    if not job.damage(key, "zset", true) then
      held[key] = held[key] or {}
      table.insert(held[key], int(lease_until))
      table.insert(held[key], j.id)
    end
    if j.cancel_ms then word = "cancel" end
    local is_changed = job.hear(j)
    -- Claimed by a clock that was ahead for a moment that nobody saw.
    if j.started_ms and j.started_ms > now + constants.TOLERANCE_MS then
      record.set(j, "started_ms", now)
      is_changed = true
    end
    if is_changed then record.put(j) end
  end
  table.insert(words, word)
end

-- The end of a lease is its score alone.
for key, members in pairs(held) do redis.call("ZADD", key, unpack(members)) end
record.flush()
return words
