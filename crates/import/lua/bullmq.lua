--[[
  Reads a page of a queue of BullMQ 5 or 6, takes jobs of it into the journal, or puts them back as they were. A job's
  hash is renamed, so that it stays as it is to the last byte. A job that is not as it was seen stays.

  KEYS[1]  journal prefix    KEYS[2]  prefix of the queue's keys, "bull:<queue>:"
  ARGV[1]  "look"            ARGV[2…] place, zset | list, jobs to skip, most jobs
           "park"            ARGV[2…] 5 values a job: place, id, score or "", its digest when it was seen, ms that its
                             deduplication key lived on then or ""
           "restore"         ARGV[2]  "put" | "check" (only say whether they could be put back)
                             ARGV[3…] record numbers, highest first

  Returns  look: {"rows", {id, score or "", "1" with a hash else "", its digest, ms that its deduplication key lives on or
           "", field, value …}, …}
           park: {"parked", record number or "" for each}    {"closed"}
           restore: a word for each: "restored" | "taken" (BullMQ has a job of that id again) | "missing"
           {"right"} when they were to be checked
           all: {"wrong", what}
]]
local queue = KEYS[2]
local FIELDS = {
  "name", "data", "opts", "timestamp", "priority", "atm", "attemptsMade", "failedReason", "processedOn", "finishedOn",
  "parentKey", "rjk", "deid",
}
-- A score of `delayed` is ms × 4096 and a counter.
local SCORES_A_MS = 4096
local SHAPES = { wait = "list", paused = "list" }

local function shape_of(place) return SHAPES[place] or "zset" end

--- The fields of a job, false for each it has not, and a digest that is another one once any of them has changed; nil
--- when there is no hash of a job.
local function read(id)
  local values = redis.pcall("HMGET", queue .. id, unpack(FIELDS))
  if values.err or not values[1] then
    return nil
  end
  local texts = {}
  for index = 1, #FIELDS do texts[index] = values[index] or "" end
  return values, redis.sha1hex(table.concat(texts, "\0"))
end

--- The key by which BullMQ drops other jobs of the same deduplication id, and how long it lives on: -1 is until the job
--- ends. nil when that is another job's.
local function deduplication(id, values)
  local own = values[#FIELDS]
  if not own or redis.pcall("GET", queue .. "de:" .. own) ~= id then
    return nil
  end
  return queue .. "de:" .. own, redis.call("PTTL", queue .. "de:" .. own)
end

--- What is kept beside a job that has, or had, children.
local function has_children(id)
  local job = queue .. id
  return redis.call("EXISTS", job .. ":dependencies", job .. ":processed", job .. ":failed", job .. ":unsuccessful") > 0
end

local function look()
  local rows, wrong = page(queue .. ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]))
  if not rows then
    return { "wrong", wrong }
  end
  for _, row in ipairs(rows) do
    local values, digest = read(row[1])
    row[3], row[4], row[5] = values and "1" or "", digest or "", ""
    if values then
      local key, ttl = deduplication(row[1], values)
      if key then row[5] = tostring(ttl) end
      for index, field in ipairs(FIELDS) do
        if values[index] then
          table.insert(row, field)
          table.insert(row, values[index])
        end
      end
      if has_children(row[1]) then
        table.insert(row, "children")
        table.insert(row, "1")
      end
    end
  end
  return { "rows", unpack(rows) }
end

--- Takes the deduplication key along that nobody else would remove: without a time to live it waits for its job to
--- end, and one that lets a later job replace this one would drop that. Any other stays and runs out.
local function take_deduplication(number, id, values)
  local key, ttl = deduplication(id, values)
  local replaces = values[3] and values[3]:find('"replace":true', 1, true)
  if not key or (ttl >= 0 and not replaces) then
    return
  end
  local until_ms = ""
  if ttl >= 0 then
    local time = redis.call("TIME")
    until_ms = string.format("%.0f", tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000) + ttl)
  end
  redis.call("HSET", journal.record(number), "de", key, "de_until", until_ms)
  redis.call("DEL", key)
end

local function park()
  local function name_keys(place, relies_on) relies_on(queue .. place, shape_of(place)) end
  return journal.park(2, name_keys, function(place, id, score, seen, lock_ms)
    local is_list = shape_of(place) == "list"
    local values, digest = read(id)
    if not values or digest ~= seen or not journal.is_in(queue .. place, is_list, id, score) then
      return nil
    end
    local number = journal.open("bullmq", place, id, "score", score, "lock_ms", lock_ms)
    take_deduplication(number, id, values)
    journal.take(number, queue .. id, queue .. place, is_list, id)
    return number
  end)
end

--- Whether the queue is paused, and whether it then has its jobs in a list of their own: as BullMQ does up to version 5.
--- When that resumes, it replaces the other list, and forgets what is in there.
local function pause()
  local meta = redis.pcall("HMGET", queue .. "meta", "paused", "version")
  if meta.err or not meta[1] then
    return false, false
  end
  local version = tonumber((meta[2] or ""):match(":(%d+)"))
  return true, not version or version < 6
end

--- Wakes BullMQ's workers, as BullMQ does: for what waits at once, and for what is due next.
local function wake(waits, is_delayed)
  if waits then redis.pcall("ZADD", queue .. "marker", 0, "0") end
  local next_one = is_delayed and redis.call("ZRANGE", queue .. "delayed", 0, 0, "WITHSCORES") or {}
  if next_one[2] then redis.pcall("ZADD", queue .. "marker", tonumber(next_one[2]) / SCORES_A_MS, "1") end
end

local function put_deduplication(number, id)
  local key, until_ms = unpack(redis.call("HMGET", journal.record(number), "de", "de_until"))
  if not key then
    return
  end
  if until_ms == "" then
    redis.call("SET", key, id, "NX")
    return
  end
  local time = redis.call("TIME")
  local left = tonumber(until_ms) - tonumber(time[1]) * 1000 - math.floor(tonumber(time[2]) / 1000)
  if left > 0 then redis.call("SET", key, id, "NX", "PX", string.format("%.0f", left)) end
end

local function restore()
  local is_paused, has_list = pause()
  local function place_of(number)
    local place = redis.call("HGET", journal.record(number), "place")
    if place ~= "wait" and place ~= "paused" then return place end
    return is_paused and (has_list or place == "paused") and "paused" or "wait"
  end
  local function name_keys(number, relies_on)
    local place = place_of(number)
    if place then relies_on(queue .. place, shape_of(place)) end
  end
  local waits, is_delayed = false, false
  local reply = journal.restore(2, name_keys, function(number)
    local place = place_of(number)
    if not place then
      return nil
    end
    local id, score, right = unpack(redis.call("HMGET", journal.record(number), "name", "score", "right"))
    if redis.call("EXISTS", queue .. id) == 1 then
      return "taken"
    end
    put_deduplication(number, id)
    waits = waits or right or place == "prioritized"
    is_delayed = is_delayed or place == "delayed"
    journal.put_back(number, queue .. id, queue .. place, id, score, right)
    return "restored"
  end)
  wake(waits and not is_paused, is_delayed)
  return reply
end

local ACTS = { look = look, park = park, restore = restore }
return ACTS[ARGV[1]]()
