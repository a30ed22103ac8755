--[[
  Signs somebody in: a new session, and the one the browser had before ends. A code that was part of the proof is used up
  in the same step, so that it opens one session at most. It runs on a full Redis: what is kept of the person stays as long
  as it was but for a few bytes.

  ARGV[2]  name               ARGV[3]  the revision of the person whose proof was checked
  ARGV[4]  hash of the new id ARGV[5]  hash of the id to end, or ""
  ARGV[6]  from where         ARGV[7]  which browser
  ARGV[8]  how long it may last, in ms
  ARGV[9]  when they proved who they are, in ms, or "" for now
  ARGV[10] who vouches for them, or "" for a proof of their own
  ARGV[11] what the proof changes of the person, as JSON: texts under names, "" forgets one; "" for nothing

  Returns  {"opened"}    {"changed"} when the person is not what was checked any more
]]
local now = clock.now(ARGV[1])
local name, revision, hash, replaced, address, agent, lasts_ms =
  ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7], clock.given(ARGV[8])
local proved = ARGV[9] == "" and now or math.min(now, clock.given(ARGV[9]))
local why, patch = ARGV[10], assert(ARGV[11], "nothing about what changes")
patch = patch ~= "" and cjson.decode(patch)
local index = person.sessions(name)

job.expect(person.key(), "hash")
job.expect(index, "set")
job.expect(person.session(hash), "hash")
audit.expect()
local known = person.load(name)
if not known or known.disabled == "1" or known.revision ~= revision then
  return { "changed" }
end
local live, idlest, idlest_seen = 0, nil, math.huge
local gone = {}
for _, other in ipairs(redis.call("SMEMBERS", index)) do
  local seen = tonumber(redis.call("HGET", person.session(other), "seen_ms") or "")
  if not seen then
    gone[#gone + 1] = other
  elseif other ~= replaced then
    live = live + 1
    if seen < idlest_seen then idlest, idlest_seen = other, seen end
  end
end
if live >= person.SESSIONS_MAX then gone[#gone + 1] = idlest end
if replaced ~= "" then gone[#gone + 1] = replaced end

if patch then
  person.change(known, patch)
  person.keep(name, known)
  audit.add(now, name, "use_second_factor", name, "", "saved", "", "")
end
for _, other in ipairs(gone) do
  -- Only one's own: what another person's browser holds is not ended by showing its id here.
  if redis.call("SREM", index, other) == 1 then redis.call("DEL", person.session(other)) end
end
redis.call("HSET", person.session(hash), "name", name, "created_ms", int(now), "seen_ms", int(now),
  "proved_ms", int(proved), "address", address, "agent", agent)
redis.call("PEXPIRE", person.session(hash), lasts_ms)
redis.call("SADD", index, hash)
redis.call("PEXPIRE", index, lasts_ms)
audit.add(now, name, "sign_in", name, why, "opened", "", address)
clock.keep()
return { "opened" }
