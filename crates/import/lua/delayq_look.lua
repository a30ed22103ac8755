--[[
  Reads a page of a topic of delayq.

  KEYS[1]  the place: the delay set, the ready list or the set of what is worked on
  KEYS[2]  the job pool (hash)    KEYS[3]  the delay set
  ARGV[1]  zset | list | set    ARGV[2]  items to skip    ARGV[3]  most items

  Returns  {"rows", {id, score in the delay set or "", "1" with a body else "", body, ""}, …}    {"wrong", what}
]]
local place, pool, delay = KEYS[1], KEYS[2], KEYS[3]

local rows, wrong = page(place, ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]))
if not rows then
  return { "wrong", wrong }
end
for key, shape in pairs({ [pool] = "hash", [delay] = "zset" }) do
  local found = redis.call("TYPE", key).ok
  if found ~= "none" and found ~= shape then
    return { "wrong", key .. " holds a " .. found .. ", not a " .. shape }
  end
end
for _, row in ipairs(rows) do
  local body = redis.call("HGET", pool, row[1])
  if place ~= delay then row[2] = redis.call("ZSCORE", delay, row[1]) or "" end
  row[3], row[4], row[5] = body and "1" or "", body or "", ""
end
return { "rows", unpack(rows) }
