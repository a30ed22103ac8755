--[[
  What a filter is told of a job: its row, its labels and, when it asks, its payload.
]]
-- Payloads beyond this are not looked into: parsing them would cost more than all the rest of a step.
local CANDIDATE_PAYLOAD_BYTES_MAX = 65536

--- The payload of a job as far as it is looked into: "" for a long one.
local function payload_looked_into(j)
  local payload = record.text(j, "payload")
  return #payload <= CANDIDATE_PAYLOAD_BYTES_MAX and payload or ""
end

--- {labels as JSON, payload, row}. The payload is "" unless asked for, and for a long one.
local function candidate(id, with_payload)
  local j = record.load(id)
  if not j then return { "", "", row(id) } end
  return { record.text(j, "tags"), with_payload and payload_looked_into(j) or "", row(id) }
end
