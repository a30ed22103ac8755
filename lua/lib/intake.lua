--[[
  Taking jobs in, shared by every script that enqueues: `enqueue`, and those
  that add jobs on an occasion of their own.

  A script reads the jobs it may add (`read`), checks all of them (`check`)
  before its first write, then takes each in (`take`).

  18 values a job: id, queue, kind, subject, payload, due ("" now, "+<ms>" from now, "<ms>"),
  priority, max_attempts ("" unlimited), timeout_ms, retention_ms, headers (JSON), tags (JSON),
  unique key, its TTL in ms, "replace" or "", preview, actor or "" for the script's, why
]]
local intake = { VALUES = 18 }

-- A subject is called off in one step; more would make that step too long.
local SUBJECT_LIVE_MAX = 1000
-- Every forward looks at every queue; more would make it too slow.
local QUEUES_MAX = 1000
local REPLACEABLE = { delayed = true, held = true, ready = true, retrying = true }

local load = job.loader({ "worker" }, { "started_ms", "ended_ms", "sequence" })

local function due_of(now, text)
  if text == "" then return now end
  if text:sub(1, 1) == "+" then return now + tonumber(text:sub(2)) end
  return tonumber(text)
end

--- The job that the values from `first` on describe.
function intake.read(now, values, first, actor)
  return {
    id = values[first], queue = values[first + 1], kind = values[first + 2], subject = values[first + 3],
    payload = values[first + 4], due_ms = due_of(now, values[first + 5]), priority = tonumber(values[first + 6]),
    max_attempts = values[first + 7], timeout_ms = values[first + 8], retention_ms = values[first + 9],
    headers = values[first + 10], tags = values[first + 11], unique_key = values[first + 12],
    unique_ttl_ms = values[first + 13], replace = values[first + 14] == "replace", preview = values[first + 15],
    by = values[first + 16] ~= "" and values[first + 16] or actor, why = values[first + 17], version = 0,
  }
end

--- Makes sure that all of these jobs can be taken in; fails before anything is written.
function intake.check(now, batch)
  local new_queues, known = 0, {}
  for _, new in ipairs(batch) do
    job.expect(job.key(new.id), "hash")
    job.check(now, new)
    -- A replaced job leaves its old subject and unique key.
    local old = new.replace and load(new.id)
    if old then job.check(now, old) end
    if not known[new.queue] then
      known[new.queue] = true
      if redis.call("SISMEMBER", P .. "queues", new.queue) == 0 then new_queues = new_queues + 1 end
    end
  end
  if new_queues > 0 and redis.call("SCARD", P .. "queues") + new_queues > QUEUES_MAX then
    error({ err = "QUEUES_FULL a namespace holds at most " .. QUEUES_MAX .. " queues" })
  end
end

local function refusal(now, new, old)
  if old and not (new.replace and REPLACEABLE[old.state] and old.queue == new.queue) then
    return job.standing("exists", old, now)
  end
  if new.unique_key ~= "" then
    local holder = redis.call("GET", job.unique(new.unique_key))
    if holder and holder ~= new.id then return { "duplicate", new.id, holder } end
  end
  local joins = new.subject ~= "" and not (old and old.subject == new.subject)
  if joins and redis.call("SCARD", job.subject(new.subject)) >= SUBJECT_LIVE_MAX then
    return { "subject_full", new.id }
  end
  return nil
end

-- A replaced job leaves what belonged to its old self.
local function take_out(old)
  if old.subject ~= "" then redis.call("SREM", job.subject(old.subject), old.id) end
  if old.unique_key ~= "" and redis.call("GET", job.unique(old.unique_key)) == old.id then
    redis.call("DEL", job.unique(old.unique_key))
  end
end

--- Takes one job in. The reply is that of `enqueue` for a job.
function intake.take(now, new)
  local old = load(new.id)
  local no = refusal(now, new, old)
  if no then
    return no
  end
  local j = { id = new.id, queue = new.queue, kind = new.kind, subject = new.subject, unique_key = new.unique_key,
    priority = new.priority, version = 0, worker = "", due_ms = new.due_ms }
  if old then
    take_out(old)
    j.state, j.version = old.state, old.version
    if old.state == "ready" and new.due_ms <= now then j.sequence = old.sequence end
  end
  local to = new.due_ms > now and "delayed" or "ready"
  redis.call("SADD", P .. "queues", new.queue)
  if new.unique_key ~= "" then
    redis.call("SET", job.unique(new.unique_key), new.id, "PX", new.unique_ttl_ms)
  end
  local changes = {
    id = new.id, queue = new.queue, kind = new.kind, subject = new.subject, payload = new.payload,
    headers = new.headers, tags = new.tags, preview = new.preview, priority = new.priority,
    max_attempts = new.max_attempts, timeout_ms = new.timeout_ms, retention_ms = new.retention_ms,
    unique_key = new.unique_key, unique_ttl_ms = new.unique_ttl_ms, due_ms = new.due_ms,
    created_ms = now, attempt = 0,
  }
  if old then changes.stalls, changes.last_error = 0, "" end
  job.move(now, j, to, new.by, new.why, changes)
  if not old then
    stats.count(j, "enqueued")
  elseif j.subject ~= "" then
    redis.call("SADD", job.subject(j.subject), j.id)
  end
  return job.standing(old and "replaced" or to, j, now)
end
