--[[
  What a list shows of a job: as `job.lua` says, a field that is absent has its default.
]]
-- Payloads beyond this are not previewed: their start says little, and reading it costs.
local PREVIEW_PAYLOAD_BYTES_MAX = constants.PREVIEW_PAYLOAD_BYTES_MAX

--- The fields of a record, by name, with their defaults filled in: when a row or a job's page is read.
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
local function payload_start(j)
  if j.long and j.long.payload and redis.call("HSTRLEN", record.long_key(j.id), "payload") > PREVIEW_PAYLOAD_BYTES_MAX then
    return ""
  end
  return record.text(j, "payload")
end

--- Until when the lease of an active job lasts, as text; "" for others.
local function lease_until(f, id)
  return f.state == "active" and redis.call("ZSCORE", job.set(f.queue, "active"), id) or ""
end

--- The id and then the fields of a row as texts, "" when absent; only the id when there is no record.
local function row(id)
  local j = record.load(id)
  if not j then
    return { id }
  end
  local f = with_defaults(setmetatable(record.short_fields(j), ABSENT))
  local since, by, why = "", "", ""
  if f.state == "held" then since, by, why = history.held(id, f) end
  return {
    id, f.queue, f.kind, f.subject, f.state, f.version, f.attempt, f.max_attempts, f.priority, f.due_ms, f.created_ms,
    f.ready_ms, f.started_ms, f.ended_ms, f.kept_until_ms, lease_until(f, id), f.worker, record.text(j, "last_error"),
    f.cancel_ms, f.by, f.why, payload_start(j), f.created_by, f.state == "active" and f.progress or "",
    since, by, why, f.state == "cancelled" and f.cancelled_from or "", cancel.holds_again(f) and "1" or "",
  }
end
