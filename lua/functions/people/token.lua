--[[
  What is known of the token of that name.

  ARGV[2]  name

  Returns  {now, what is known of it as JSON, or ""}
]]
return { clock.now(ARGV[1]), redis.call("HGET", P .. "tokens", ARGV[2]) or "" }
