--[[
  How many jobs become due in each of the coming spans of time.

  KEYS[1]  namespace prefix, "reprieve:{ns}:"
  ARGV[1]  now in ms, or "" for the server's clock
  ARGV[2]  span in ms        ARGV[3]  number of spans   ARGV[4]  queue, or "" for all

  Returns  {now, count …}; the first span holds what is overdue as well
]]
-- A chart has no more.
local SPANS_MAX = 1000

-- Each call:
local now = clock.now(ARGV[1])
local span, spans, only = number(ARGV[2]), number(ARGV[3]), ARGV[4]
assert(span and spans and spans <= SPANS_MAX, "no such spans")

local counts = {}
for index = 1, spans do counts[index] = 0 end
for _, queue in ipairs(only ~= "" and { only } or redis.call("SMEMBERS", P .. "queues")) do
  for _, state in ipairs({ "delayed", "retrying" }) do
    local key = job.set(queue, state)
    if redis.call("EXISTS", key) == 1 then
      local from = "-inf"
      for index = 1, spans do
        local to = int(now + span * index)
        counts[index] = counts[index] + redis.call("ZCOUNT", key, from, "(" .. to)
        from = to
      end
    end
  end
end
local reply = { now }
for index = 1, spans do table.insert(reply, counts[index]) end
return reply
