--[[
  What else is to know about a queue of asynq.

  KEYS[1]  prefix of the queue's keys, "asynq:{queue}:"

  Returns  {Unix second since which it is paused or "", groups}
]]
local function count(command, key)
  local number = redis.pcall(command, key)
  return type(number) == "number" and tostring(number) or "0"
end

local paused = redis.pcall("GET", KEYS[1] .. "paused")
return {
  type(paused) == "string" and paused or redis.call("EXISTS", KEYS[1] .. "paused") == 1 and "?" or "",
  count("SCARD", KEYS[1] .. "groups"),
}
