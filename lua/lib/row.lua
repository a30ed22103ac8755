--[[
  What a list shows of a job: as `job.lua` says, a field that is absent has its default.
]]
local ROW = {
  "queue", "kind", "subject", "state", "version", "attempt", "max_attempts", "priority", "due_ms", "created_ms",
  "ready_ms", "started_ms", "ended_ms", "kept_until_ms", "worker", "last_error", "cancel_ms",
  "by", "why", "told_version", "created_by", "cancelled_from", "retention_ms",
}
-- Payloads beyond this are not previewed: their start says little, and reading it costs.
local PREVIEW_PAYLOAD_BYTES_MAX = 2048

--- The fields of a hash, by name, with their defaults filled in: when a row or a job's page is read.
local function with_defaults(f)
  if f.created_ms == "" then f.created_ms = f.due_ms end
  if f.created_by == "" then f.created_by = "client" end
  if f.ready_ms == "" and (f.state == "ready" or f.state == "active" or f.state == "done") then f.ready_ms = f.created_ms end
  if f.max_attempts == "" then f.max_attempts = int(MAX_ATTEMPTS_DEFAULT) end
  if f.max_attempts == "0" then f.max_attempts = "" end
  f.by, f.why = history.latest(f)
  local ended = number(f.ended_ms)
  if f.state == "done" and f.kept_until_ms == "" and ended then f.kept_until_ms = int(ended + retention("done", f.queue)) end
  return f
end

--- The start of a payload, for a line that shows it; "" for a long one.
local function payload_start(id)
  if redis.call("HSTRLEN", job.key(id), "payload") > PREVIEW_PAYLOAD_BYTES_MAX then
    return ""
  end
  return table.concat({ job.payload(id, unpack(redis.call("HMGET", job.key(id), "payload", "payload_2"))) })
end

--- Until when the lease of an active job lasts, as text; "" for others.
local function lease_until(f, id)
  return f.state == "active" and redis.call("ZSCORE", job.set(f.queue, "active"), id) or ""
end

--- The id and then the fields of a row as texts, "" when absent; only the id when there is no hash.
local function row(id)
  local values = redis.pcall("HMGET", job.key(id), unpack(ROW))
  if values.err or not values[4] then
    return { id }
  end
  local f = {}
  for index, name in ipairs(ROW) do f[name] = values[index] or "" end
  f = with_defaults(f)
  return {
    id, f.queue, f.kind, f.subject, f.state, f.version, f.attempt, f.max_attempts, f.priority, f.due_ms, f.created_ms,
    f.ready_ms, f.started_ms, f.ended_ms, f.kept_until_ms, lease_until(f, id), f.worker, f.last_error, f.cancel_ms,
    f.by, f.why, payload_start(id),
  }
end
