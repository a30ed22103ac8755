--[[
  What is kept of somebody.

  ARGV[2]  name

  Returns  {now, what is kept as JSON, or "", how many people there are}
]]
return { clock.now(ARGV[1]), redis.call("HGET", person.key(), ARGV[2]) or "", redis.call("HLEN", person.key()) }
