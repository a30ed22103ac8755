--[[
  Sets how long ended jobs are kept, and how many of a queue, of the namespace or
  of one queue. Times count for jobs that end from now on.

  ARGV[2]  actor             ARGV[3]  reason
  ARGV[4]  operation id, or ""
  ARGV[5]  queue, or "" for the namespace
  ARGV[6…] "done", "dead", "cancelled", "receipts", "undo_window" and a time in ms, or "done_most", "dead_most" and a
           number of jobs, in turn; "" for no rule of its own

  Returns  {"set"}
]]
local now = clock.now(ARGV[1])
local by, why, op, queue = ARGV[2], ARGV[3], ARGV[4], ARGV[5]

local answered = operation.answered("set_retention", queue, op)
if answered then
  return answered
end

audit.expect()
local NAMES = {
  receipts = "receipts_ms", undo_window = "undo_window_ms",
  done_most = "retention_done_most", dead_most = "retention_dead_most",
}
local names, said, had, told = {}, {}, {}, {}
for index = 6, #ARGV, 2 do
  local of, value = ARGV[index], ARGV[index + 1]
  if value ~= "" then clock.given(value) end
  local name = NAMES[of] or "retention_" .. of .. "_ms"
  if queue ~= "" then name = name .. ":" .. queue end
  names[index] = name
  local there = redis.call("HGET", P .. "meta", name)
  if there then table.insert(had, of .. " " .. there) end
  if value ~= "" then table.insert(told, of .. " " .. value) end
  table.insert(said, of .. " " .. value)
end
for index = 6, #ARGV, 2 do
  if ARGV[index + 1] == "" then
    redis.call("HDEL", P .. "meta", names[index])
  else
    redis.call("HSET", P .. "meta", names[index], ARGV[index + 1])
  end
end
local before, after = table.concat(had, ", "), table.concat(told, ", ")
audit.add(now, by, "set_retention", queue, why, table.concat(said, ", "), before, after, { queue = queue, op = op })
clock.keep()
return operation.answer("set_retention", queue, op, { "set" })
