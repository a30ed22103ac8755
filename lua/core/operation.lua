--[[
  What every verb of a person shares: the operation id, under which a repeat
  gets the first answer; the version the person saw; the end, with its entry
  in the audit.
]]
local operation = {}
do

-- A day: longer than any retry of a browser or a shell script.
local ANSWER_KEPT_MS = 86400000
-- Answers about a subject that erasing it finds; older ones are over within the day all the same.
local SUBJECT_ANSWERS_MAX = 100

-- Each part stands behind its length: names have colons too. And what is hashed names nobody.
local function answer_key(verb, target, op)
  local parts = audit.length_of(verb) .. verb .. audit.length_of(target) .. target .. audit.length_of(op) .. op
  return P .. "operation:" .. redis.sha1hex(parts)
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

--- The job that has the id now, where the answer with that version was about another one: removed before this one came
--- in, or ahead of it, for data was lost. When it came in tells nothing: clocks are set back.
local function another(id, version)
  local j = version and record.load(id)
  return j and (version < j.first or version > j.version) and j or nil
end

--- Where it is kept which answers there are about a subject.
function operation.of_subject(subject) return P .. "operations:" .. subject end

--- The answer that a verb on the jobs of a subject got before, or nil: also where what it did was lost. A job that was
--- removed, and whose id another has now, is left out: the answer must not say that it was done to the other one.
function operation.answered_subject(verb, subject, op)
  local answer, holds = operation.answered(verb, subject, op), {}
  for index = 1, answer and #answer or 0 do
    local told, id, version = answer[index], nil, nil
    if type(told) == "table" then
      id, version = told[3], number(told[5])
    elseif index > 1 then
      id, version = told:match("^%S+ %S+ (%S+) %S+ (%d+)")
      version = number(version)
    end
    local j = version and another(id, version)
    if j and version > j.version then return nil end
    if not j then holds[#holds + 1] = told end
  end
  return answer and holds
end

--- Keeps the answer of a verb on the jobs of a subject, so that erasing the subject finds it, and returns it.
function operation.answer_subject(verb, subject, op, reply)
  if op ~= "" then
    local kept = operation.of_subject(subject)
    redis.call("RPUSH", kept, answer_key(verb, subject, op))
    redis.call("LTRIM", kept, -SUBJECT_ANSWERS_MAX, -1)
    redis.call("PEXPIRE", kept, ANSWER_KEPT_MS)
  end
  return operation.answer(verb, subject, op, reply)
end

--- Removes the answers about a subject, which name its jobs.
function operation.forget_subject(subject)
  local kept = operation.of_subject(subject)
  local keys = redis.call("LRANGE", kept, 0, SUBJECT_ANSWERS_MAX - 1)
  table.insert(keys, kept)
  redis.call("DEL", unpack(keys))
end

--- The job to act on, checked, with the due time at which this call met it; or nil and the reply that says why not.
function operation.target(now, id, seen)
  local j = job.standing_loader()(id)
  if not j then
    return nil, { "missing" }
  end
  if seen ~= "" and tonumber(seen) ~= j.version then
    return nil, job.standing("conflict", j, now)
  end
  job.check(now, j)
  expect(P .. "audit", "stream", true)
  j.due_met = j.due_ms
  return j
end

--- What an entry says beside the verb's own: where the job is, and its due time where that changed.
function operation.more(j, op)
  local more = { queue = j.queue, op = op }
  local before = j.due_met
  if before and before ~= j.due_ms then
    more.due_from, more.due_to = int(before), int(j.due_ms)
  end
  return more
end

--- Ends a verb on one job: audit entry, kept answer, wake tokens and clock. What was after is the state, unless `to` says
--- something else.
function operation.done(now, j, verb, by, why, op, outcome, from, to)
  audit.add(now, by, verb, j.id, why, outcome, from, to or j.state, operation.more(j, op))
  local reply = operation.answer(verb, j.id, op, job.standing(outcome, j, now))
  job.finish(now)
  return reply
end

--- What to reply to a repeated operation: the first answer. Where the job was removed and another has its id that is a
--- conflict: the answer would be untrue of the other one, and to act would be a change nobody asked for. Nil for a new one.
function operation.repeated(now, verb, id, op)
  local answered = operation.answered(verb, id, op)
  local version = answered and number(answered[4])
  local j = another(id, version)
  if j and version < j.first then
    return job.standing("conflict", j, now)
  end
  -- What was done was lost with the data: it is done again.
  return not j and answered or nil
end

--- How a verb on one job begins: the job to act on, checked; or nil and what to reply instead, which is the first answer of a
--- repeated operation, or why not.
function operation.begin(now, verb, id, seen, op)
  local reply = operation.repeated(now, verb, id, op)
  if reply then
    return nil, reply
  end
  return operation.target(now, id, seen)
end

-- As many queues without a job as a namespace has queues: a list of more helps nobody.
local CONFIGURED_MAX = 1000

--- Lists a queue while people have paused or limited it, so that it is shown before any job is in it.
function operation.list_configured(queue)
  if redis.call("EXISTS", job.paused(queue), job.limits(queue)) == 0 then
    redis.call("SREM", job.configured(), queue)
  elseif redis.call("SCARD", job.configured()) < CONFIGURED_MAX then
    redis.call("SADD", job.configured(), queue)
  end
end
end
