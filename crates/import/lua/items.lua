--[[
  Reads a page of items, takes items into the journal, or puts them back as they were: for every format whose items are
  members of lists and sets, with the job in the member itself or in one record beside it. An item that is not as it was
  seen stays.

  KEYS[1]  journal prefix
  KEYS[2]  records: what the key of each begins with; with "field" the key of the hash that holds all of them
  ARGV[1]  "look"            ARGV[3…] place, items to skip, most items
           "park"            ARGV[3…] 5 values an item: place, name, score or "", its digest when it was seen, "" (unused)
           "restore"         ARGV[3]  "put" | "check" (only say whether they could be put back)
                             ARGV[4…] record numbers, highest first
  ARGV[2]  how the items lie there, as JSON:
           format            the format, for the journal
           places            by name: key, shape (zset | list | set), and whether it `waits` for its time
           record            "member" (the member is the job) | "hash" | "string" | "field"
           from_left         workers take from the left end of lists
           beside            keys beside a record that tell of it: by name {what its key begins with, and ends with}
           mover             a key that exists while a process of the system moves what is due, not in one step; or "". What
                             is due by then, or within a second, is left to it
           guard             what a key begins with that workers watch while they take an item, or ""
           wake              the channel on which workers hear of the earliest due time, or ""

  Returns  look: {"rows", {member, score or ""}, …}; with records {name, score or "", "1" with a record else "", its digest,
           "", field, value …}, the record as the field "record" unless it is a hash, a key beside it as ":<name>", and
           ":moving" when it is left to the mover
           park: {"parked", record number or "" for each}    {"closed"}
           restore: a word for each: "restored" | "taken" (there is a record of that name again) | "superseded" (the set has
           that member again) | "missing"    {"right"} when they were to be checked
           all: {"wrong", what}
]]
local records = KEYS[2]
local spec = cjson.decode(ARGV[2])
local is_field, is_member = spec.record == "field", spec.record == "member"
local FIRST = 3

--- The value of a key beside a record: its text, or "1" for any other type; nil when there is none.
local function value_of(key)
  local found = redis.call("TYPE", key).ok
  if found == "none" then return nil end
  return found == "string" and redis.call("GET", key) or "1"
end

--- The names and values of a record, and a digest that is another one once any of them has changed; nil when there is no
--- record.
local function read(name)
  local fields
  if spec.record == "hash" then
    fields = redis.pcall("HGETALL", records .. name)
  else
    local record = is_field and redis.pcall("HGET", records, name) or not is_field and redis.pcall("GET", records .. name)
    fields = type(record) == "string" and { "record", record } or {}
  end
  if fields.err or #fields == 0 then
    return nil
  end
  for about, ends in pairs(spec.beside) do
    local value = value_of(ends[1] .. name .. ends[2])
    if value then
      table.insert(fields, ":" .. about)
      table.insert(fields, value)
    end
  end
  local pairs_of_it = {}
  for index = 1, #fields, 2 do table.insert(pairs_of_it, #fields[index] .. fields[index] .. fields[index + 1]) end
  table.sort(pairs_of_it)
  return fields, redis.sha1hex(table.concat(pairs_of_it, "\0"))
end

local function now_ms()
  local time = redis.call("TIME")
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

--- Whether a process of the system may be about to move what has that score, in seconds.
local function is_moving(place, score)
  if spec.mover == "" or not place.waits or redis.call("EXISTS", spec.mover) == 0 then return false end
  return tonumber(score) * 1000 <= now_ms() + 1000
end

local function look()
  local place = spec.places[ARGV[FIRST]]
  local skip, count = tonumber(ARGV[FIRST + 1]), tonumber(ARGV[FIRST + 2])
  local rows, wrong = page(place.key, place.shape, skip, count, spec.from_left)
  if not rows then
    return { "wrong", wrong }
  end
  for _, row in ipairs(is_member and {} or rows) do
    local fields, digest = read(row[1])
    row[3], row[4], row[5] = fields and "1" or "", digest or "", ""
    for _, text in ipairs(fields or {}) do table.insert(row, text) end
    if fields and is_moving(place, row[2]) then
      table.insert(row, ":moving")
      table.insert(row, "1")
    end
  end
  return { "rows", unpack(rows) }
end

--- Whether an item is still where it was seen.
local function is_in(place, name, score)
  if place.shape == "list" then return journal.is_near_the_end(place.key, name, spec.from_left) end
  if place.shape == "set" then return redis.call("SISMEMBER", place.key, name) == 1 end
  return redis.call("ZSCORE", place.key, name) == score
end

--- Takes an item out of its place. Of a list it returns the neighbour.
local function take(place, name)
  if place.shape == "list" then return journal.take_from_list(place.key, name, spec.from_left) end
  redis.call(place.shape == "set" and "SREM" or "ZREM", place.key, name)
end

--- Moves the record into the journal, and remembers until when it was to live.
local function take_record(number, name, fields)
  local key = records .. name
  local ttl = is_field and -1 or redis.call("PTTL", key)
  if ttl >= 0 then redis.call("HSET", journal.record(number), "until", string.format("%.0f", now_ms() + ttl)) end
  for index = 1, #fields, 2 do redis.call("HSET", journal.body(number), fields[index], fields[index + 1]) end
  if is_field then redis.call("HDEL", records, name) else redis.call("DEL", key) end
  if spec.guard ~= "" then
    -- A worker that is just about to take it watches this key, and begins anew.
    redis.call("SET", spec.guard .. name, "1", "PX", "1")
    redis.call("DEL", spec.guard .. name)
  end
end

local function park()
  local function name_keys(name, relies_on)
    local place = spec.places[name]
    relies_on(place.key, place.shape)
    if is_field then relies_on(records, "hash") end
  end
  return journal.park(FIRST, name_keys, function(at, name, score, seen)
    local place, fields, digest = spec.places[at], nil, nil
    if not is_member then
      fields, digest = read(name)
      if digest ~= seen then return nil end
    end
    if not is_in(place, name, score) or is_moving(place, score) then
      return nil
    end
    local number = journal.open(spec.format, at, name, "score", score)
    local neighbour = take(place, name)
    if neighbour then redis.call("HSET", journal.record(number), "right", neighbour) end
    if fields then take_record(number, name, fields) end
    return number
  end)
end

local function has_record(name)
  if is_field then return redis.call("HEXISTS", records, name) == 1 end
  return redis.call("EXISTS", records .. name) == 1
end

--- Puts a record back. What was to live no longer than until now lives on: nobody is to lose it by a roll back.
local function put_record(number, name)
  local fields = redis.call("HGETALL", journal.body(number))
  for index = 1, #fields, 2 do
    local field, value = fields[index], fields[index + 1]
    if is_field then
      if field == "record" then redis.call("HSET", records, name, value) end
    elseif spec.record == "string" then
      if field == "record" then redis.call("SET", records .. name, value) end
    elseif field:sub(1, 1) ~= ":" then
      redis.call("HSET", records .. name, field, value)
    end
  end
  local left = tonumber(redis.call("HGET", journal.record(number), "until") or "0") - now_ms()
  if left > 0 then redis.call("PEXPIRE", records .. name, string.format("%.0f", left)) end
end

local function put(place, name, score, neighbour)
  if place.shape == "list" then
    journal.put_into_list(place.key, name, neighbour, spec.from_left)
  elseif place.shape == "set" then
    redis.call("SADD", place.key, name)
  else
    redis.call("ZADD", place.key, score, name)
  end
end

local function restore()
  local function name_keys(number, relies_on)
    local place = spec.places[redis.call("HGET", journal.record(number), "place")]
    if place then relies_on(place.key, place.shape) end
    if is_field then relies_on(records, "hash") end
  end
  local earliest
  local reply = journal.restore(FIRST, name_keys, function(number)
    local at, name, score, neighbour = unpack(redis.call("HMGET", journal.record(number), "place", "name", "score", "right"))
    local place = at and spec.places[at]
    if not place then
      return nil
    end
    if not is_member and has_record(name) then
      return "taken"
    end
    local is_there = is_member and place.shape == "zset" and redis.call("ZSCORE", place.key, name)
    if not is_there then put(place, name, score, neighbour) end
    if not is_member then put_record(number, name) end
    if place.waits then earliest = math.min(earliest or math.huge, tonumber(score)) end
    journal.close_early(number)
    return is_there and "superseded" or "restored"
  end)
  -- A user who may not publish leaves it to the workers' own clock.
  if earliest and spec.wake ~= "" then redis.pcall("PUBLISH", spec.wake, string.format("%.0f", earliest)) end
  return reply
end

local ACTS = { look = look, park = park, restore = restore }
return ACTS[ARGV[1]]()
