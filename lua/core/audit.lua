--[[
  The audit: who did what, when and why, written by the same script as the change. Each entry names the hash of the one
  before it.
]]
local audit = {}
do

-- How lengths are told, up to what names and reasons mostly have; the same in every call.
local LENGTHS_MAX = 256
local lengths = {}

--- The length of a text and what ends it: behind it a text is told from what follows.
function audit.length_of(text)
  local length = lengths[#text]
  if not length then
    length = #text .. ":"
    if #text < LENGTHS_MAX then lengths[#text] = length end
  end
  return length
end

-- The head of the chain, once a call has read it, and up to when entries are dropped; what several entries of a call that
-- follow each other have in common: all that they say but for the target and the chain.
local head, oldest, common
fresh(function() head, oldest, common = nil, nil, nil end)

-- A part of what a hash takes: each text behind its length, so that no end of one can be taken for the beginning of the next.
local function part(text) return audit.length_of(text) .. text .. "\n" end

local function has_in_common(by, verb, why, outcome, from, to, more)
  local c = common
  return c and c.by == by and c.verb == verb and c.why == why and c.outcome == outcome and c.from == from and c.to == to
    and c.queue == more.queue and c.op == more.op and c.due_from == more.due_from and c.due_to == more.due_to
end

local TARGET_AT, BEFORE_AT, HASH_AT = 8, 18, 20
local function find_in_common(now, by, verb, why, outcome, from, to, more)
  local at, queue, op = int(now), more.queue or "", more.op or ""
  local due_from, due_to = more.due_from or "", more.due_to or ""
  common = {
    by = by, verb = verb, why = why, outcome = outcome, from = from, to = to, queue = more.queue, op = more.op,
    due_from = more.due_from, due_to = more.due_to,
    head = part(at) .. part(by) .. part(verb),
    middle = "\n" .. part(queue) .. part(why) .. part(outcome) .. part(from) .. part(to) .. part(due_from) .. part(due_to)
      .. part(op),
    tail = "",
    fields = {
      "at", at, "by", by, "verb", verb, "target", "", "why", why, "outcome", outcome, "from", from, "to", to,
      "before", "", "hash", "",
    },
  }
  local fields = common.fields
  local function say(name, value)
    if value ~= "" then
      fields[#fields + 1] = name
      fields[#fields + 1] = value
    end
  end
  say("queue", queue)
  say("due_from", due_from)
  say("due_to", due_to)
  say("op", op)
  if caller and caller.by == by then
    local role, address, request = caller.role, caller.address, caller.request
    common.tail = "\n" .. part(role) .. part(address) .. audit.length_of(request) .. request
    say("role", role)
    say("address", address)
    say("request", request)
  end
end

--- Fails, before anything is written, when an entry and its chain could not be.
function audit.expect()
  expect(P .. "meta", "hash")
  expect(P .. "audit", "stream", true)
end

local NOTHING_MORE = {}

--- Writes who did what, when and why. Each entry names the hash of the one before it, and carries a hash of all that
--- it says: to change, remove or put in one breaks the chain there. `more` may have `queue`, `op` (the
--- operation id), and `due_from` with `due_to` where a due time changed, in ms. It never has a subject, which people
--- may ask to be forgotten. What is known of the caller - role, address, request - belongs to what was done in the
--- caller's own name alone, and stands behind the rest in the hash. A script that writes many entries writes the head of the
--- chain once, with `keep_head`.
function audit.link(now, by, verb, target, why, outcome, from, to, more)
  -- What a caller left out is empty: nothing may fail here, behind the first write.
  by, target, why, outcome, from, to = by or "", target or "", why or "", outcome or "", from or "", to or ""
  more = more or NOTHING_MORE
  if not has_in_common(by, verb, why, outcome, from, to, more) then
    find_in_common(now, by, verb, why, outcome, from, to, more)
  end
  head = head or redis.call("HGET", P .. "meta", "audit_hash") or ""
  oldest = oldest or int(math.max(now - constants.AUDIT_KEPT_MS, 0))
  local hash = redis.sha1hex(
    common.head .. audit.length_of(target) .. target .. common.middle .. audit.length_of(head) .. head .. common.tail)
  local fields = common.fields
  fields[TARGET_AT], fields[BEFORE_AT], fields[HASH_AT] = target, head, hash
  redis.call("XADD", P .. "audit", "MINID", "~", oldest, "*", unpack(fields))
  head = hash
end

--- Writes the head of the chain.
function audit.keep_head()
  if head then redis.call("HSET", P .. "meta", "audit_hash", head) end
end

--- Writes one entry and the head of the chain.
function audit.add(...)
  audit.link(...)
  audit.keep_head()
end
end
