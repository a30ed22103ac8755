--[[
  Keeps what is known of a token under its name. The token itself is never here, only its hash. Where there is no room,
  those go that ended long ago, each with its line in the audit.

  ARGV[2]  name              ARGV[3]  what is known of it, as JSON without its time
  ARGV[4]  actor             ARGV[5]  how long it is good for, in ms, or "" for ever

  Returns  {"added", created, expires | ""} | {"exists"} | {"full"}
]]
local now = clock.now(ARGV[1])
local name, known, by, good_for = ARGV[2], cjson.decode(ARGV[3]), ARGV[4], tonumber(ARGV[5])

-- One page of a list; every program and every job of a pipeline has its own long before that.
local TOKENS_MAX = 1000
-- Who looks for an ended token finds it for 90 days, and longer while there is room.
local ENDED_KEPT_MS = 7776000000
-- Ended ones that one call removes: as many as make room for a while.
local ENDED_MAX = 100
local tokens, used = P .. "tokens", P .. "tokens:used"

-- Names of tokens that ended long ago. What does not read stays.
local function ended_long_ago()
  local names, all = {}, redis.call("HGETALL", tokens)
  for index = 1, #all, 2 do
    local reads, of = pcall(cjson.decode, all[index + 1])
    local expires = reads and type(of) == "table" and tonumber(of.expires_ms)
    if expires and expires + ENDED_KEPT_MS <= now and #names < ENDED_MAX then names[#names + 1] = all[index] end
  end
  return names
end

job.expect(tokens, "hash")
job.expect(used, "hash")
audit.expect()
if redis.call("HEXISTS", tokens, name) == 1 then
  return { "exists" }
end
local ended = redis.call("HLEN", tokens) >= TOKENS_MAX and ended_long_ago()
if ended and #ended == 0 then
  return { "full" }
end

for _, old in ipairs(ended or {}) do
  redis.call("HDEL", tokens, old)
  redis.call("HDEL", used, old)
  audit.add(now, "janitor", "revoke_token", old, "ended 90 days ago or earlier", "revoked", "", "")
end

known.created_ms = int(now)
known.expires_ms = good_for and int(now + good_for) or ""
redis.call("HSET", tokens, name, cjson.encode(known))
audit.add(now, by, "add_token", name, "", "added", "", "")
clock.keep()
return { "added", known.created_ms, known.expires_ms }
