--[[
  What a list shows of a job, without its payload.
]]
local ROW = {
  "queue", "kind", "subject", "state", "version", "attempt", "max_attempts", "priority", "due_ms", "created_ms",
  "ready_ms", "started_ms", "ended_ms", "kept_until_ms", "lease_until_ms", "worker", "last_error", "cancel_ms",
  "by", "why", "preview",
}

--- The id and then the fields above as texts, "" when absent; only the id when there is no hash.
local function row(id)
  local values = redis.pcall("HMGET", job.key(id), unpack(ROW))
  if values.err or not values[4] then
    return { id }
  end
  local texts = { id }
  for index = 1, #ROW do table.insert(texts, values[index] or "") end
  return texts
end
