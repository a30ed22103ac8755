--[[
  What a filter is told of a job: its row, its labels and, when it asks, its payload.
]]
-- Payloads beyond this are not looked into: parsing them would cost more than all the rest of a step.
local CANDIDATE_PAYLOAD_BYTES_MAX = 65536

--- {labels as JSON, payload, row}. The payload is "" unless asked for, and for a long one.
local function candidate(id, with_payload)
  local payload = ""
  local values = redis.pcall("HMGET", job.key(id), "tags", "payload", "payload_2")
  if values.err then return { "", "", row(id) } end
  if with_payload and values[2] and not values[3] and #values[2] <= CANDIDATE_PAYLOAD_BYTES_MAX then
    payload = values[2]
  elseif with_payload and values[2] and values[3] then
    payload = table.concat({ job.payload(id, values[2], values[3]) })
    if #payload > CANDIDATE_PAYLOAD_BYTES_MAX then payload = "" end
  end
  return { values[1] or "", payload, row(id) }
end
