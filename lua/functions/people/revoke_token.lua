--[[
  Forgets a token: from now on it opens nothing.

  ARGV[2]  name              ARGV[3]  actor             ARGV[4]  reason

  Returns  {"revoked" | "missing"}
]]
local now = clock.now(ARGV[1])
local name, by, why = ARGV[2], ARGV[3], ARGV[4]
local tokens, used = P .. "tokens", P .. "tokens:used"

job.expect(tokens, "hash")
job.expect(used, "hash")
audit.expect()
if redis.call("HDEL", tokens, name) == 0 then
  return { "missing" }
end
redis.call("HDEL", used, name)
audit.add(now, by, "revoke_token", name, why, "revoked", "", "")
clock.keep()
return { "revoked" }
