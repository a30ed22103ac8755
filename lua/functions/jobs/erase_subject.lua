--[[
  Erases what is kept about a subject whose jobs have all ended: payloads,
  errors, logs, results, histories, what was answered when it was called off, and
  of its receipts whatever is personal.
  What stays is a skeleton (kind, queue, state, when) under a salted token of
  the subject, and an audit entry with that token.

  ARGV[2]  subject           ARGV[3]  actor             ARGV[4]  reason
  ARGV[5]  most jobs of this call        ARGV[6]  salt for the token, kept when there is none yet
  ARGV[7]  "1" when the audit has it already, by an earlier step, else ""

  Returns  {"erased" | "more", jobs, receipts, token, 1 when the audit has it, else 0}
           {"live", live jobs}: nothing changed
  Events   done | dead | cancelled -> -, without the subject
]]
local now = clock.now(ARGV[1])
local subject, by, why, most, salt = ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5]), ARGV[6]
local written = ARGV[7] == "1"

audit.expect()
job.expect(job.subject(subject), "zset")
job.expect(receipt.key(subject), "list")
job.expect(operation.of_subject(subject), "list")
local live = redis.call("ZCOUNT", job.subject(subject), 0, 0)
if live > 0 then
  return { "live", live }
end
local kept_salt = redis.call("HGET", P .. "meta", "erase_salt")
local token = redis.sha1hex((kept_salt or salt) .. subject)
job.expect(receipt.erased(token), "list")

local load = job.loader({}, { "kept_until_ms", "ended_ms" })
local jobs, strays = {}, {}
for _, id in ipairs(redis.call("ZRANGE", job.subject(subject), "(0", "+inf", "BYSCORE", "LIMIT", 0, most)) do
  local j = load(id)
  if j and ENDED[j.state] and j.subject == subject and job.usable(now, j) then
    table.insert(jobs, j)
  else
    table.insert(strays, id)
  end
end

if not kept_salt then redis.call("HSET", P .. "meta", "erase_salt", salt) end
for _, id in ipairs(strays) do redis.call("ZREM", job.subject(subject), id) end
for _, j in ipairs(jobs) do
  receipt.write_skeleton(now, token, j)
  redis.call("ZREM", job.subject(subject), j.id)
  -- So that the event of its end does not name the subject either.
  j.subject = ""
  job.purge(now, j, by)
end
local left = redis.call("ZCARD", job.subject(subject)) > 0
local receipts = 0
if not left then
  receipts = receipt.erase(now, subject, token)
  operation.forget_subject(subject)
end
-- With the first that goes: a later step may be refused, or never come.
if not written and (#jobs > 0 or not left) then
  audit.add(now, by, "erase_subject", "erased:" .. token, why, "erased", "", "")
  written = true
end
job.finish(now)
return { left and "more" or "erased", #jobs, receipts, token, written and 1 or 0 }
