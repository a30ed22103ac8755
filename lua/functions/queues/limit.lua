--[[
  Sets the limits of a queue, in place of those it had; none at all removes them.

  ARGV[2]  queue             ARGV[3]  actor             ARGV[4]  reason
  ARGV[5]  most jobs active at once, or ""
  ARGV[6]  most jobs started in a span of time, or ""   ARGV[7]  that span in ms, or ""
  ARGV[8]  most jobs active at once in a concurrency key, or ""
  ARGV[9]  "1" when a job that is retried holds back the later ones of its concurrency key, else ""
  ARGV[10] what ARGV[5] is a share of, ARGV[11] what ARGV[6] is a share of: the limits of all shards together, which the
           audit tells; "" where they are the same
  ARGV[12] "1" when another shard has told the audit of this change, else ""
  ARGV[13] what is to be there, the five values as above with commas between, "" for any: two people must not overwrite
           each other unseen
  ARGV[14] operation id, or ""

  Returns  {"limited" | "removed" | "unchanged" | "changed"}, the last when something else is there
]]
local now = clock.now(ARGV[1])
local queue, by, why, seen = ARGV[2], ARGV[3], ARGV[4], ARGV[13] or ""
local op = ARGV[14]
local names = { "concurrency", "rate", "period_ms", "concurrency_per_key", "ordered" }
local wholes, is_told = { concurrency = ARGV[10], rate = ARGV[11] }, ARGV[12] == "1"
local key = job.limits(queue)

local answered = operation.answered("limit", queue, op)
if answered then
  return answered
end

audit.expect()
job.expect(key, "hash")
job.expect(job.wake(queue), "list")
job.expect(job.set(queue, "ready"), "zset")
job.expect(job.configured(), "set")

local before = redis.call("HMGET", key, unpack(names))
local whole_before = redis.call("HMGET", key, "whole_concurrency", "whole_rate")
local had_whole = { concurrency = whole_before[1], rate = whole_before[2] }
local changed, any, written, told, had, there = false, false, {}, {}, {}, {}
for index, name in ipairs(names) do
  local value = ARGV[4 + index]
  there[index] = before[index] or ""
  changed = changed or value ~= (before[index] or "")
  if before[index] then table.insert(had, name .. " " .. (had_whole[name] or before[index])) end
  if value ~= "" then
    any = true
    table.insert(written, name)
    table.insert(written, value)
    local whole = wholes[name] or ""
    if whole ~= "" then
      table.insert(written, "whole_" .. name)
      table.insert(written, whole)
    end
    table.insert(told, name .. " " .. (whole ~= "" and whole or value))
  end
end
if not changed then
  -- A share may stay what it is while the whole becomes another, from which the next change is told.
  for _, name in ipairs(any and { "concurrency", "rate" } or {}) do
    local whole = wholes[name] or ""
    if whole ~= (had_whole[name] or "") then
      if whole ~= "" then redis.call("HSET", key, "whole_" .. name, whole) else redis.call("HDEL", key, "whole_" .. name) end
    end
  end
  return operation.answer("limit", queue, op, { "unchanged" })
end
if seen ~= "" and seen ~= table.concat(there, ",") then
  return { "changed" }
end
for _, of in ipairs(limits.credit_under(now, queue, tonumber(ARGV[6]), tonumber(ARGV[7]))) do table.insert(written, of) end
redis.call("DEL", key)
if any then redis.call("HSET", key, "at_ms", int(now), "by", by, "why", why, unpack(written)) end
local outcome = any and "limited" or "removed"
operation.list_configured(queue)
if not is_told then
  audit.add(now, by, "limit", queue, why, outcome, table.concat(had, ", "), table.concat(told, ", "),
    { queue = queue, op = op })
end
if job.claimable(queue) then job.leave_wake(queue) end
clock.keep()
return operation.answer("limit", queue, op, { outcome })
