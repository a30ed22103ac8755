--[[
  Keeps what is known of a token under its name. The token itself is never here, only its hash.

  KEYS[1]  namespace prefix, "reprieve:{ns}:"
  ARGV[1]  now in ms, or "" for the server's clock
  ARGV[2]  name              ARGV[3]  what is known of it, as JSON without its time
  ARGV[4]  actor             ARGV[5]  how long it is good for, in ms, or "" for ever

  Returns  {"added", created, expires | ""} | {"exists"} | {"full"}
  Events   none: no job changes
]]
local now = clock.now(ARGV[1])
local name, known, by, good_for = ARGV[2], cjson.decode(ARGV[3]), ARGV[4], tonumber(ARGV[5])

-- One page of a list; every program and every job of a pipeline has its own long before that.
local TOKENS_MAX = 1000
local tokens = P .. "tokens"

job.expect(tokens, "hash")
job.expect(P .. "meta", "hash")
job.expect(P .. "audit", "stream")
if redis.call("HEXISTS", tokens, name) == 1 then
  return { "exists" }
end
if redis.call("HLEN", tokens) >= TOKENS_MAX then
  return { "full" }
end

known.created_ms = int(now)
known.expires_ms = good_for and int(now + good_for) or ""
redis.call("HSET", tokens, name, cjson.encode(known))
operation.audit(now, by, "add_token", name, "", "added", "", "")
clock.keep()
return { "added", known.created_ms, known.expires_ms }
