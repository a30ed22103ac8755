--[[
  Everything there is of one job.

  ARGV[1]  unused            ARGV[2]  job id

  Returns  {{field, value …}, {attempt …}, {history line …}}, attempts and lines as JSON, oldest first,
           those included that are told from the fields; an empty list of fields when there is no job
]]
local id = ARGV[2]

-- No list is longer; see `move.lua` and `history.lua`.
local LINES_MAX = 100

local function lines(key)
  local found = redis.pcall("LRANGE", key, -LINES_MAX, -1)
  return found.err and {} or found
end

if not record.present({ id })[id] then
  return { {}, {}, {} }
end
local j = record.load(id)
local told = lines(job.history(id))
for _, line in ipairs(history.untold(id, history.fields(j))) do table.insert(told, line) end

local shown = with_defaults(setmetatable(record.fields(j), ABSENT))
local attempts = lines(job.attempts(id))
if shown.state == "done" then
  table.insert(attempts, cjson.encode({
    number = shown.attempt, started = shown.started_ms, ended = shown.ended_ms, worker = shown.worker,
    result = "done", error = "",
  }))
end
shown.lease_until_ms = lease_until(shown, id)
-- The token of the present or the latest lease, as `job.spent` tells it.
if shown.token == "" then
  if shown.state == "active" then shown.token = shown.version
  elseif shown.spent_token ~= "" then shown.token = shown.spent_token
  elseif shown.state == "done" then shown.token = int(j.version - 1) end
end
local fields = {}
for name, value in pairs(shown) do
  table.insert(fields, name)
  table.insert(fields, value)
end
return { fields, attempts, told }
