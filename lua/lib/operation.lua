--[[
  What every verb of a person shares: the operation id, under which a repeat
  gets the first answer; the version the person saw; the audit entry, written
  by the same script as the change and chained by hash.
]]
local operation = {}

-- A day: longer than any retry of a browser or a shell script.
local ANSWER_KEPT_MS = 86400000
-- 400 days: a year and the month in which somebody asks about it.
local AUDIT_KEPT_MS = 34560000000

-- Due times of jobs as this call met them.
local due_before
fresh(function() due_before = {} end)

local function answer_key(verb, target, op)
  return P .. "operation:" .. verb .. ":" .. target .. ":" .. op
end

--- The answer this operation got before, or nil.
function operation.answered(verb, target, op)
  if op == "" then
    return nil
  end
  local answer = redis.call("GET", answer_key(verb, target, op))
  return answer and cjson.decode(answer)
end

--- The same reply with its numbers as texts, for JSON.
local function in_texts(reply)
  local texts = {}
  for index, item in ipairs(reply) do
    local is = type(item)
    texts[index] = is == "table" and in_texts(item) or is == "number" and int(item) or item
  end
  return texts
end

--- Keeps the answer of an operation and returns it.
function operation.answer(verb, target, op, reply)
  if op ~= "" then
    redis.call("SET", answer_key(verb, target, op), cjson.encode(in_texts(reply)), "PX", ANSWER_KEPT_MS)
  end
  return reply
end

--- The job to act on, checked; or nil and the reply that says why not.
function operation.target(now, id, seen)
  local j = job.standing_loader()(id)
  if not j then
    return nil, { "missing" }
  end
  if seen ~= "" and tonumber(seen) ~= j.version then
    return nil, job.standing("conflict", j, now)
  end
  job.check(now, j)
  expect(P .. "audit", "stream")
  due_before[id] = j.due_ms
  return j
end

-- The head of the chain, once a call has read it.
local head
fresh(function() head = nil end)

-- What an entry says, in the order in which its hash takes it.
local SAID = {
  "at", "by", "verb", "target", "queue", "why", "outcome", "from", "to", "due_from", "due_to", "op", "before",
}
-- What it says besides of whoever called; its hash takes these behind the others, where there is any of them.
local SAID_OF_CALLER = { "role", "address", "request" }

--- Writes who did what, when and why. Each entry names the hash of the one before it, and carries a hash of all that
--- it says: whoever changes, removes or puts in one breaks the chain there. `more` may have `queue`, `op` (the
--- operation id), and `due_from` with `due_to` where a due time changed, in ms. It never has a subject, which people
--- may ask to be forgotten. What is known of the caller belongs to what was done in the caller's own name alone.
function operation.audit(now, by, verb, target, why, outcome, from, to, more)
  local entry = { at = int(now), by = by, verb = verb, target = target, why = why, outcome = outcome, from = from, to = to }
  for name, value in pairs(more or {}) do entry[name] = value end
  head = head or redis.call("HGET", P .. "meta", "audit_hash") or ""
  entry.before = head
  local hashed, fields = {}, {}
  local function say(names, from_whom)
    for _, name in ipairs(names) do
      local value = tostring(from_whom[name] or "")
      -- Each text with its length: no end of one can be taken for the beginning of the next.
      table.insert(hashed, #value .. ":" .. value)
      if value ~= "" or name == "before" or name == "why" or name == "from" or name == "to" then
        table.insert(fields, name)
        table.insert(fields, value)
      end
    end
  end
  say(SAID, entry)
  if caller and caller.by == by then say(SAID_OF_CALLER, caller) end
  local hash = redis.sha1hex(table.concat(hashed, "\n"))
  table.insert(fields, "hash")
  table.insert(fields, hash)
  redis.call("XADD", P .. "audit", "MINID", "~", math.max(now - AUDIT_KEPT_MS, 0), "*", unpack(fields))
  redis.call("HSET", P .. "meta", "audit_hash", hash)
  head = hash
end

--- What an entry says beside the verb's own: where the job is, and its due time where that changed.
function operation.more(j, op)
  local more = { queue = j.queue, op = op }
  local before = due_before[j.id]
  if before and before ~= j.due_ms then
    more.due_from, more.due_to = int(before), int(j.due_ms)
  end
  return more
end

--- Ends a verb on one job: audit entry, kept answer, wake tokens and clock.
function operation.done(now, j, verb, by, why, op, outcome, from)
  operation.audit(now, by, verb, j.id, why, outcome, from, j.state, operation.more(j, op))
  local reply = operation.answer(verb, j.id, op, job.standing(outcome, j, now))
  job.finish(now)
  return reply
end

--- The id of another job that holds this job's unique key, or nil. Asked before a job comes to life again.
function operation.unique_holder(j)
  if j.unique_key == "" then
    return nil
  end
  local holder = redis.call("GET", job.unique(j.unique_key))
  return holder and holder ~= j.id and holder or nil
end

--- Takes the unique key back for a job that came to life again.
function operation.retake_unique(j)
  if j.unique_key ~= "" then
    redis.call("SET", job.unique(j.unique_key), j.id, "PX", j.unique_ttl_ms or ANSWER_KEPT_MS)
  end
end

--- How every verb on one job begins: the job to act on, checked; or nil and what to reply instead,
--- which is the first answer of a repeated operation, or why not.
function operation.begin(now, verb, id, seen, op)
  local answered = operation.answered(verb, id, op)
  if answered then
    return nil, answered
  end
  return operation.target(now, id, seen)
end

--- The whole of a verb that only moves a job from one state to another: `hold` and `unhold`.
function operation.shift(verb, from, to, args)
  local now = clock.now(args[1])
  local id, seen, by, why, op = args[2], args[3], args[4], args[5], args[6]
  local j, reply = operation.begin(now, verb, id, seen, op)
  if not j then
    return reply
  end
  if j.state ~= from then
    return job.standing("refused", j, now)
  end
  job.move(now, j, to, by, why, {})
  return operation.done(now, j, verb, by, why, op, to, from)
end
