--[[
  Where somebody is signed in.

  ARGV[2]  name

  Returns  {now, hash, created, seen, address, agent, ...}
]]
local reply = { clock.now(ARGV[1]) }
for _, hash in ipairs(redis.call("SMEMBERS", person.sessions(ARGV[2]))) do
  local kept = redis.call("HMGET", person.session(hash), "created_ms", "seen_ms", "address", "agent")
  if kept[1] then
    for _, item in ipairs({ hash, kept[1], kept[2], kept[3], kept[4] }) do reply[#reply + 1] = item end
  end
end
return reply
