--[[
  What is known of the token of that name.

  KEYS[1]  namespace prefix, "reprieve:{ns}:"
  ARGV[1]  now in ms, or "" for the server's clock      ARGV[2]  name

  Returns  {now, what is known of it as JSON, or ""}
]]
return { clock.now(ARGV[1]), redis.call("HGET", P .. "tokens", ARGV[2]) or "" }
