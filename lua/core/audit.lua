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

-- Ids that one entry names at most, in bytes: a node of the stream holds it, by which the size of the audit is counted.
local TARGETS_BYTES = 2048

-- The head of the chain, once a call has read it, and up to when entries are dropped; the entry that acts are being
-- gathered for: what it says but for its targets and the chain, and its targets.
local head, oldest, open
fresh(function() head, oldest, open = nil, nil, nil end)

-- A part of what a hash takes: each text behind its length, so that no end of one can be taken for the beginning of the next.
local function part(text) return audit.length_of(text) .. text .. "\n" end

local function belongs(by, verb, target, why, outcome, from, to, more)
  local o = open
  return o and o.by == by and o.verb == verb and o.why == why and o.outcome == outcome and o.from == from and o.to == to
    and o.queue == more.queue and o.op == more.op and o.due_from == more.due_from and o.due_to == more.due_to
    and o.bytes + #target < TARGETS_BYTES
end

local TARGET_NAME_AT, TARGET_AT, BEFORE_AT, HASH_AT = 7, 8, 18, 20
local function open_entry(now, by, verb, why, outcome, from, to, more)
  local at, queue, op = int(now), more.queue or "", more.op or ""
  local due_from, due_to = more.due_from or "", more.due_to or ""
  open = {
    by = by, verb = verb, why = why, outcome = outcome, from = from, to = to, queue = more.queue, op = more.op,
    due_from = more.due_from, due_to = more.due_to, now = now, targets = {}, bytes = 0,
    head = part(at) .. part(by) .. part(verb),
    middle = "\n" .. part(queue) .. part(why) .. part(outcome) .. part(from) .. part(to) .. part(due_from) .. part(due_to)
      .. part(op),
    tail = "",
    fields = {
      "at", at, "by", by, "verb", verb, "target", "", "why", why, "outcome", outcome, "from", from, "to", to,
      "before", "", "hash", "",
    },
  }
  local fields = open.fields
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
    open.tail = "\n" .. part(role) .. part(address) .. audit.length_of(request) .. request
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

-- Writes the entry that is open. One that names several jobs has `targets`, with a space between two, in place of `target`;
-- its hash takes no target, and them behind all else.
local function write_entry()
  local o = open
  if not o then return end
  open = nil
  head = head or redis.call("HGET", P .. "meta", "audit_hash") or ""
  oldest = oldest or int(math.max(o.now - constants.AUDIT_KEPT_MS, 0))
  local fields, target, tail = o.fields, o.targets[1], o.tail
  fields[TARGET_AT] = target
  if #o.targets > 1 then
    local targets = table.concat(o.targets, " ")
    fields[TARGET_NAME_AT], fields[TARGET_AT] = "targets", targets
    target, tail = "", tail .. "\n" .. audit.length_of(targets) .. targets
  end
  local hash = redis.sha1hex(o.head .. audit.length_of(target) .. target .. o.middle .. audit.length_of(head) .. head .. tail)
  fields[BEFORE_AT], fields[HASH_AT] = head, hash
  redis.call("XADD", P .. "audit", "MINID", "~", oldest, "*", unpack(fields))
  head = hash
end

--- Notes who did what, when and why. Acts that follow each other in a call and say the same but for the job are one entry.
--- Each entry names the hash of the one before it, and carries a hash of all that it says: to change, remove or put in one
--- breaks the chain there. `more` may have `queue`, `op` (the operation id), and `due_from` with `due_to` where a due time
--- changed, in ms. It never has a subject, which people may ask to be forgotten. What is known of the caller - role,
--- address, request - belongs to what was done in the caller's own name alone, and stands behind the rest in the hash. What
--- was noted is written with `audit.write`, at the latest; several are noted of jobs alone, whose ids have no spaces.
function audit.note(now, by, verb, target, why, outcome, from, to, more)
  -- What a caller left out is empty: nothing may fail here, behind the first write.
  by, target, why, outcome, from, to = by or "", target or "", why or "", outcome or "", from or "", to or ""
  more = more or NOTHING_MORE
  if not belongs(by, verb, target, why, outcome, from, to, more) then
    write_entry()
    open_entry(now, by, verb, why, outcome, from, to, more)
  end
  local o = open
  o.targets[#o.targets + 1], o.bytes = target, o.bytes + #target + 1
end

--- Writes what was noted, and the head of the chain.
function audit.write()
  write_entry()
  if head then redis.call("HSET", P .. "meta", "audit_hash", head) end
end

--- Writes one entry and the head of the chain.
function audit.add(...)
  audit.note(...)
  audit.write()
end
end
