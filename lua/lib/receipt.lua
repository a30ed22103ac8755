--[[
  Receipts: what became of a subject's jobs, kept when the jobs themselves are
  gone. Written as a job is removed, so that a job in the way of its life pays
  nothing for it.

  receipts:<subject>   list, oldest first: id, kind, queue, state, when it ended, by whom, why
]]
local receipt = {}

-- A subject's receipts: more would hold years of daily jobs. The oldest fall off.
local RECEIPTS_MAX = 200
-- 13 months of 31 days: a year and the month in which somebody asks. `meta` may say otherwise.
local RECEIPTS_KEPT_MS = 34819200000
-- Those that are over are taken off a few at a time.
local FORGET_MAX = 10

function receipt.key(subject) return P .. "receipts:" .. subject end

--- Whether a receipt could be written for this job.
function receipt.usable(j)
  if j.subject == "" then
    return true
  end
  local found = redis.call("TYPE", receipt.key(j.subject)).ok
  return found == "none" or found == "list"
end

--- Keeps what became of an ended job that is about to be removed.
function receipt.write(now, j)
  if j.subject == "" then
    return
  end
  local kept = number(redis.call("HGET", P .. "meta", "receipts_ms")) or RECEIPTS_KEPT_MS
  if kept == 0 then
    return
  end
  local fields = history.fields(j.id)
  local ended = fields and number(fields.ended_ms) or now
  local by, why = "", ""
  if fields then by, why = history.latest(fields) end
  local key = receipt.key(j.subject)
  redis.call("RPUSH", key, cjson.encode({
    id = j.id, kind = j.kind, queue = j.queue, state = j.state, at = int(ended),
    by = by, why = why, purged = int(now),
  }))
  redis.call("LTRIM", key, -RECEIPTS_MAX, -1)
  for _ = 1, FORGET_MAX do
    local read, oldest = pcall(cjson.decode, redis.call("LINDEX", key, 0) or "{}")
    if read and type(oldest) == "table" and (number(oldest.at) or now) + kept > now then break end
    redis.call("LPOP", key)
  end
  redis.call("PEXPIRE", key, kept)
end
