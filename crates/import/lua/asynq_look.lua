--[[
  Reads a page of a queue of asynq.

  KEYS[1]  the place: the list of what is pending, or a sorted set
  ARGV[1]  prefix of the queue's task hashes    ARGV[2]  zset | list
  ARGV[3]  tasks to skip                        ARGV[4]  most tasks

  Returns  {"rows", {id, score, "1" with a message else "", message, ms that the lock lives on or "", field, value …}, …}
           {"wrong", what}
]]
local prefix = ARGV[1]
local FIELDS = { "state", "pending_since", "unique_key", "group", "result", "x-reprieve" }

local rows, wrong = page(KEYS[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]))
if not rows then
  return { "wrong", wrong }
end
for _, row in ipairs(rows) do
  local task = prefix .. row[1]
  local message, lock_ms = false, ""
  local values = redis.pcall("HMGET", task, "msg", unpack(FIELDS))
  if not values.err then
    message = values[1]
    local lock = values[4]
    if lock then
      local holder = redis.pcall("GET", lock)
      if holder == row[1] then lock_ms = tostring(redis.call("PTTL", lock)) end
    end
  end
  row[3], row[4], row[5] = message and "1" or "", message or "", lock_ms
  if message then
    for index, field in ipairs(FIELDS) do
      if values[index + 1] then
        table.insert(row, field)
        table.insert(row, values[index + 1])
      end
    end
  end
end
return { "rows", unpack(rows) }
