--[[
  Sets or removes what holds for all jobs of a kind (`core/constraints.lua` reads it).

  ARGV[2]  kind
  ARGV[3]  rule (JSON), or "" to remove it
  ARGV[4]  the rule that is to be there, "none", or "" for any: a refresh must not undo what a person did meanwhile
  ARGV[5]  actor, or "" for a refresh, which is not written into the audit
  ARGV[6]  reason            ARGV[7]  operation id, or ""

  Returns  {"set" | "removed" | "unchanged" | "changed"}, the last when another rule is there
           {"rules_full"}
]]
local now = clock.now(ARGV[1])
local kind, rule, seen, by, why, op = ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7]

-- A screen of them; each costs the forwarder something.
local RULES_MAX = 200

job.expect(P .. "rules", "hash")
audit.expect()
local answered = operation.answered("set_rule", kind, op)
if answered then
  return answered
end
local there = redis.call("HGET", P .. "rules", kind) or ""
if seen ~= "" and there ~= (seen == "none" and "" or seen) then
  return { "changed" }
end
if there == rule then
  return operation.answer("set_rule", kind, op, { "unchanged" })
end
if there == "" and redis.call("HLEN", P .. "rules") >= RULES_MAX then
  return { "rules_full" }
end

if rule == "" then redis.call("HDEL", P .. "rules", kind) else redis.call("HSET", P .. "rules", kind, rule) end
-- So that scripts need not look for rules where there are none.
local count = redis.call("HLEN", P .. "rules")
if count > 0 then redis.call("HSET", P .. "meta", "rules", count) else redis.call("HDEL", P .. "meta", "rules") end
local outcome = rule == "" and "removed" or "set"
if by ~= "" then audit.add(now, by, "set_rule", kind, why, outcome, "", "", { op = op }) end
job.finish(now)
return operation.answer("set_rule", kind, op, { outcome })
