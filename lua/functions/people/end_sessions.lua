--[[
  Ends one session of somebody, or all of them but for one.

  ARGV[2]  name     ARGV[3]  how the hash of the one begins, or "" for all
  ARGV[4]  hash of the one that goes on, or ""
  ARGV[5]  actor    ARGV[6]  reason

  Returns  {how many ended}
]]
local now = clock.now(ARGV[1])
local name, begins, keep, by, why = ARGV[2], ARGV[3], ARGV[4], ARGV[5], assert(ARGV[6], "no reason")
local index = person.sessions(name)

job.expect(index, "set")
audit.expect()
local ended = 0
if begins == "" then
  ended = person.end_sessions(name, keep)
else
  for _, hash in ipairs(redis.call("SMEMBERS", index)) do
    if hash:sub(1, #begins) == begins and hash ~= keep then
      redis.call("DEL", person.session(hash))
      redis.call("SREM", index, hash)
      ended = ended + 1
    end
  end
end
if ended > 0 then
  audit.add(now, by, "end_sessions", name, why, "ended", tostring(ended), "")
  clock.keep()
end
return { ended }
