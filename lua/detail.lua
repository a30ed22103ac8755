--[[
  Everything there is of one job.

  KEYS[1]  namespace prefix, "reprieve:{ns}:"
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

local flat = redis.call("HGETALL", job.key(id))
if #flat == 0 then
  return { {}, {}, {} }
end
local hash = {}
for index = 1, #flat, 2 do hash[flat[index]] = flat[index + 1] end

local told = lines(job.history(id))
local f = history.fields(id)
for _, line in ipairs(f and history.untold(id, f) or {}) do table.insert(told, line) end

local shown = with_defaults(setmetatable(hash, { __index = function() return "" end }))
local attempts = lines(job.attempts(id))
if shown.state == "done" then
  table.insert(attempts, cjson.encode({
    number = shown.attempt, started = shown.started_ms, ended = shown.ended_ms, worker = shown.worker,
    result = "done", error = "",
  }))
end
hash.lease_until_ms = lease_until(shown, id)
-- The token of the present or the latest lease, as `job.spent` tells it.
if shown.token == "" then
  if shown.state == "active" then hash.token = shown.version
  elseif shown.spent_token ~= "" then hash.token = shown.spent_token
  elseif shown.state == "done" then hash.token = int((number(shown.version) or 1) - 1) end
end
local pieces = {}
for _, name in ipairs(PIECES) do
  table.insert(pieces, hash[name])
  hash[name] = nil
end
hash.payload = table.concat(pieces)
local fields = {}
for name, value in pairs(hash) do
  table.insert(fields, name)
  table.insert(fields, value)
end
return { fields, attempts, told }
