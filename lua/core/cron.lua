--[[
  Cron entries in Redis.

  cron                  zset: name → next tick; +inf while it is paused or when there is none
  cron:<name>           hash: definition and payload (Rust's), version, first (its version when it was made), from_ms (every
                        tick up to here has been dealt with), last_ms and last_job (of the latest tick that became a
                        job), run_job (the latest that a person ran), last_first and run_first (the versions these jobs
                        began with), by, why, changed_ms, paused_ms, paused_by, paused_why, declared (the definition as
                        a program declared it), declared_ms
  cron:<name>:history   list of JSON lines, the latest last
]]
local cron = {}
do
--- The entries by when they are next due.
function cron.directory() return P .. "cron" end

-- Two screens of the past: an entry of every minute shows the last hour and a half.
local CRON_HISTORY_MAX = constants.CRON_HISTORY_MAX
-- More entries than anyone reads; every look at what is due stays short.
local ENTRIES_MAX = constants.CRON_ENTRIES_MAX

function cron.key(name) return P .. "cron:" .. name end
function cron.history(name) return P .. "cron:" .. name .. ":history" end

--- Makes sure that the keys of an entry are what they should be.
function cron.check(name)
  audit.expect()
  job.expect(cron.directory(), "zset")
  job.expect(cron.key(name), "hash")
  job.expect(cron.history(name), "list")
end

--- The named fields of an entry as texts, "" when absent; nil when there is no usable entry.
function cron.read(name, ...)
  local values = redis.call("HMGET", cron.key(name), "version", ...)
  if not number(values[1]) then
    return nil
  end
  local texts = { number(values[1]) }
  for index = 2, select("#", ...) + 1 do texts[index] = values[index] or "" end
  return texts
end

--- Whether two definitions fire at the same times.
function cron.same_ticks(one, other)
  local read, a = pcall(cjson.decode, one)
  local b = cjson.decode(other)
  return read and type(a) == "table" and a.schedule == b.schedule and a.zone == b.zone
end

--- Checks times that the caller gave, "" standing for none, before anything is written.
function cron.check_times(...)
  for index = 1, select("#", ...) do
    local text = select(index, ...)
    if text ~= "" then clock.given(text) end
  end
end

--- Whether another entry fits.
function cron.has_room()
  return redis.call("ZCARD", cron.directory()) < ENTRIES_MAX
end

--- Places an entry by its next tick: ms, or "" for none.
function cron.place(name, next_ms)
  redis.call("ZADD", cron.directory(), next_ms == "" and "+inf" or next_ms, name)
end

--- Writes down what came of a tick.
function cron.line(now, name, tick_ms, outcome, id, by)
  local length = redis.call("RPUSH", cron.history(name), cjson.encode({
    tick = tonumber(tick_ms), at = now, outcome = outcome, job = id, by = by,
  }))
  if length > CRON_HISTORY_MAX then redis.call("LTRIM", cron.history(name), -CRON_HISTORY_MAX, -1) end
end

--- The first answer of a repeated operation on an entry, or nil. Where that entry was removed and another has its name, that is
--- a conflict, as with jobs. The answer of a run names a job, and is kept together with the version of its entry.
function cron.answered(verb, name, op)
  local answer = operation.answered(verb, name, op)
  local version = answer and number(answer[2])
  if version then
    local entry = cron.read(name, "first")
    local first = entry and number(entry[2])
    if first and version < first then return { "conflict", entry[1] } end
  end
  return answer and verb == "cron_run" and answer[1] or answer
end

--- How a verb on an entry begins: its version and the named fields, as `cron.read` has them; or nil and what to reply instead,
--- which is the first answer of a repeated operation, or why not. `seen` and `read_version` are versions, "" for any.
function cron.begin(verb, name, op, seen, read_version, ...)
  cron.check(name)
  local answered = cron.answered(verb, name, op)
  if answered then
    return nil, answered
  end
  local entry = cron.read(name, ...)
  if not entry then
    return nil, { "missing" }
  end
  for _, version in ipairs({ seen, read_version }) do
    if version ~= "" and tonumber(version) ~= entry[1] then return nil, { "conflict", entry[1] } end
  end
  return entry
end
end
