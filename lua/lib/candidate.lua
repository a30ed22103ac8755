--[[
  What a filter is told of a job: its row, its labels and, when it asks, its payload.
]]
-- Payloads beyond this are not looked into: parsing them would cost more than all the rest of a step.
local CANDIDATE_PAYLOAD_BYTES_MAX = 65536

--- {labels as JSON, payload, row}. The payload is "" unless asked for, and for a long one.
local function candidate(id, with_payload)
  local j = record.load(id)
  if not j then return { "", "", row(id) } end
  local payload = with_payload and record.text(j, "payload") or ""
  if #payload > CANDIDATE_PAYLOAD_BYTES_MAX then payload = "" end
  return { record.text(j, "tags"), payload, row(id) }
end
