--[[
  Receipts: what became of a subject's jobs, kept when the jobs themselves are
  gone. Written as a job is removed, so that a job in the way of its life pays
  nothing for it.

  receipts:<subject>   list, oldest first: id, kind, queue, state, when it ended, by whom, why
  erased:<token>       the same of an erased subject: kind, queue, state and when
  receipt_ids          sorted set: ids of which there is a receipt, by when it was written
  receipt_subjects     hash: their subjects
]]
local receipt = {}
do

-- A subject's receipts: more would hold years of daily jobs. The oldest fall off.
local RECEIPTS_MAX = 200
-- 13 months of 31 days: a year and the month in which somebody asks. `meta` may say otherwise.
local RECEIPTS_KEPT_MS = 34819200000
-- Those that are over are taken off a few at a time.
local FORGET_MAX = 10
-- Receipts that are found by the id of their job: some 20 MB. The others are found by their subject alone.
local IDS_MAX = 100000

function receipt.key(subject) return P .. "receipts:" .. subject end

function receipt.erased(token) return P .. "erased:" .. token end

--- Whether a receipt could be written for this job.
function receipt.usable(j)
  if j.subject == "" then
    return true
  end
  local found = redis.call("TYPE", receipt.key(j.subject)).ok
  return found == "none" or found == "list"
end

--- No longer finds receipts by these ids.
local function forget_ids(ids)
  if #ids > 0 then
    redis.pcall("ZREM", P .. "receipt_ids", unpack(ids))
    redis.pcall("HDEL", P .. "receipt_subjects", unpack(ids))
  end
end

--- Lets a receipt be found by the id of its job. Keys of another type cost that and nothing else.
local function note_id(now, kept, id, subject)
  local count = redis.pcall("ZADD", P .. "receipt_ids", now, id) and redis.pcall("ZCARD", P .. "receipt_ids")
  local noted = redis.pcall("HSET", P .. "receipt_subjects", id, subject)
  if type(count) ~= "number" or type(noted) ~= "number" then
    return
  end
  if count > IDS_MAX then
    forget_ids(redis.call("ZRANGE", P .. "receipt_ids", 0, math.min(count - IDS_MAX, FORGET_MAX) - 1))
  else
    local before = "(" .. int(now - kept)
    forget_ids(redis.call("ZRANGE", P .. "receipt_ids", "-inf", before, "BYSCORE", "LIMIT", 0, FORGET_MAX))
  end
end

local function kept_ms() return number(redis.call("HGET", P .. "meta", "receipts_ms")) or RECEIPTS_KEPT_MS end

--- Adds a line and lets those go that are over, or too many; their ids, except for that of the new line.
local function add_line(now, key, kept, line)
  local length, gone = redis.call("RPUSH", key, cjson.encode(line)), {}
  for _ = 1, FORGET_MAX do
    local read, oldest = pcall(cjson.decode, redis.call("LINDEX", key, 0) or "{}")
    local known = read and type(oldest) == "table"
    if length <= RECEIPTS_MAX and known and (number(oldest.at) or now) + kept > now then break end
    length = length - 1
    redis.call("LPOP", key)
    if known and type(oldest.id) == "string" and oldest.id ~= line.id then table.insert(gone, oldest.id) end
  end
  redis.call("PEXPIRE", key, kept)
  return gone
end

--- Keeps what became of an ended job that is about to be removed. A key of another type costs the receipt only.
function receipt.write(now, j)
  local kept = j.subject ~= "" and kept_ms() or 0
  if kept == 0 then
    return
  end
  if not receipt.usable(j) then
    redis.call("HINCRBY", P .. "meta", "damaged", 1)
    return
  end
  local fields = history.fields(j)
  local ended = number(fields.ended_ms) or now
  local by, why = history.latest(fields)
  forget_ids(add_line(now, receipt.key(j.subject), kept, {
    id = j.id, kind = j.kind, queue = j.queue, state = j.state, at = int(ended), by = by, why = why, purged = int(now),
  }))
  note_id(now, kept, j.id, j.subject)
end

--- Keeps of a job that is being erased what tells nothing of anybody.
function receipt.write_skeleton(now, token, j)
  local kept = kept_ms()
  if kept == 0 then
    return
  end
  local ended = j.ended_ms or now
  add_line(now, receipt.erased(token), kept, {
    id = "", kind = j.kind, queue = j.queue, state = j.state, at = int(ended), by = "", why = "", purged = int(now),
  })
end

--- Turns the receipts of a subject into skeletons; how many there were.
function receipt.erase(now, subject, token)
  local lines = redis.call("LRANGE", receipt.key(subject), 0, RECEIPTS_MAX - 1)
  redis.call("DEL", receipt.key(subject))
  local kept, ids = kept_ms(), {}
  for _, text in ipairs(lines) do
    local read, line = pcall(cjson.decode, text)
    if read and type(line) == "table" and type(line.id) == "string" then table.insert(ids, line.id) end
    if kept > 0 and read and type(line) == "table" then
      line.id, line.by, line.why = "", "", ""
      add_line(now, receipt.erased(token), kept, line)
    end
  end
  forget_ids(ids)
  return #lines
end
end
