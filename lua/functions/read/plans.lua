--[[
  The ids of a subject's plans, newest first.

  ARGV[1]  unused            ARGV[2]  subject           ARGV[3]  most

  Returns  {plan id …}
]]
return redis.call("ZRANGE", P .. "plans:" .. ARGV[2], 0, tonumber(ARGV[3]) - 1, "REV")
