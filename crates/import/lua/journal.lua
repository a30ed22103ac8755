--[[
  The journal of an importer, at the source: what was taken from foreign keys,
  byte for byte, until the roll-back date. It lies beside the foreign keys, so
  that taking something out of them and writing it down here is one step.

  An item is `parked` once it is out of the foreign keys, and no longer once
  the engine has its job; and again while it is put back. The number of a record grows; putting things back in the
  opposite order restores lists exactly. Numbers of records that are gone before
  their time, because they went back or a later item of the same id made them
  pointless, are `replaced`, until the engine has forgotten them.

  It is for one format, the one that opened its first record: another would not
  know how to put them back.

  KEYS[1] is the journal's prefix; it ends with a colon and carries the hash
  tag of the foreign keys. Scripts that use this run on any Redis from 6.0.6 on:
  the source is somebody else's.
]]
local J = KEYS[1]

local journal = {
  all = J .. "all", parked = J .. "parked", closed = J .. "closed", newest = J .. "newest", replaced = J .. "replaced",
}

function journal.record(number) return J .. "record:" .. number end
function journal.body(number) return J .. "body:" .. number end

--- Whether a roll back has closed the door: nothing more is taken.
function journal.is_closed()
  return redis.call("EXISTS", journal.closed) == 1
end

-- How many arguments of a script describe one item that it may open a record for.
local VALUES = 5
-- The time of this call in microseconds and the latest number, once it has written a record.
local micros, latest
-- What `flush` has to write, for all items of a call at once: of opened records, number and number in turn; numbers of dropped ones; by
-- place, which ids are out of it, and score and id in turn of those that are in it again.
local opened, dropped, out, back = {}, {}, {}, {}
-- Members given to one command.
local MEMBERS_MAX = 1000

--- Writes a record of that format down and returns its number: the time in microseconds, or the next one after the latest, so
--- that no number ever comes twice, even on a Redis that was emptied in between. The first write of a script, so that
--- a full Redis refuses it before anything was taken out.
function journal.open(format, place, name, ...)
  if not latest then
    local time = redis.call("TIME")
    micros = tonumber(time[1]) * 1000000 + tonumber(time[2])
    latest = math.max(micros, tonumber(redis.call("GET", J .. "sequence") or "0"))
    redis.call("SET", J .. "sequence", string.format("%.0f", latest + math.ceil(#ARGV / VALUES)))
    redis.call("SET", J .. "format", format)
  end
  latest = latest + 1
  local number = string.format("%.0f", latest)
  redis.call("HSET", journal.record(number), "place", place, "name", name,
    "at", string.format("%.0f", math.floor(micros / 1000)), ...)
  opened[#opened + 1], opened[#opened + 2] = number, number
  return number
end

local function in_portions(list, write)
  for first = 1, #list, MEMBERS_MAX do write(unpack(list, first, math.min(first + MEMBERS_MAX - 1, #list))) end
end

--- Writes what the items of a call have in common.
function journal.flush()
  in_portions(opened, function(...)
    redis.call("ZADD", journal.all, ...)
    redis.call("ZADD", journal.parked, ...)
  end)
  for place, ids in pairs(out) do
    in_portions(ids, function(...) redis.call("ZREM", place, ...) end)
  end
  for place, list in pairs(back) do
    in_portions(list, function(...) redis.call("ZADD", place, ...) end)
  end
  in_portions(dropped, function(...)
    redis.call("ZREM", journal.parked, ...)
    redis.call("ZREM", journal.all, ...)
  end)
end

--- Removes a record with everything that belongs to it, but for its number, which `flush` removes.
function journal.close(number)
  local id = redis.call("HGET", journal.record(number), "job")
  if id and redis.call("HGET", journal.newest, id) == number then redis.call("HDEL", journal.newest, id) end
  redis.call("DEL", journal.record(number), journal.body(number))
  dropped[#dropped + 1] = number
end

--- Removes a record that another process may just be about to hand over. So the engine goes on knowing what became of
--- it, for some minutes from now.
function journal.close_early(number)
  journal.close(number)
  local time = redis.call("TIME")
  redis.call("ZADD", journal.replaced, string.format("%.0f", tonumber(time[1]) * 1000000 + tonumber(time[2])), number)
end

-- Does that for each item of a call, and writes what they have in common: also of the items before one that failed.
local function all_of(first, step, act)
  local done, failure = pcall(function()
    for index = first, #ARGV, step do act(index) end
  end)
  journal.flush()
  if not done then error(failure) end
end

-- Asks `name_keys` for the keys that each of these arguments relies on, with their types, and returns what holds another type:
-- "<key> holds a <type>, not a <type>"; nil when nothing does.
local function wrong_type(first, step, name_keys)
  local wrong, known = nil, {}
  local function relies_on(key, shape)
    if wrong or known[key] then return end
    known[key] = true
    local found = redis.call("TYPE", key).ok
    if found ~= "none" and found ~= shape then wrong = key .. " holds a " .. found .. ", not a " .. shape end
  end
  for index = first, #ARGV, step do name_keys(ARGV[index], relies_on) end
  return wrong
end

--- What `park` of a format does and replies. The values of the items begin at `first`, five each, a place first. Only the keys
--- that `name_keys` tells of these places are looked at: what is wrong with another one is no reason to leave these. `take` gets
--- the values of an item, and returns the number of its record, or nil when the item is not as it was seen.
function journal.park(first, name_keys, take)
  if journal.is_closed() then
    return { "closed" }
  end
  local wrong = wrong_type(first, VALUES, name_keys)
  if wrong then
    return { "wrong", wrong }
  end
  local reply = { "parked" }
  all_of(first, VALUES, function(index)
    reply[#reply + 1] = take(unpack(ARGV, index, index + VALUES - 1)) or ""
  end)
  return reply
end

--- What `restore` of a format does and replies. `ARGV[first]` is "put" or "check", numbers of records follow. `name_keys` tells
--- the keys that a record relies on, `put` puts it back and returns the word for that, or nil when it is gone.
function journal.restore(first, name_keys, put)
  local wrong = wrong_type(first + 1, 1, name_keys)
  if wrong then
    return { "wrong", wrong }
  end
  if ARGV[first] == "check" then
    return { "right" }
  end
  local reply = {}
  all_of(first + 1, 1, function(index) reply[#reply + 1] = put(ARGV[index]) or "missing" end)
  return reply
end

-- Places in lists

-- Looking further for an id than this would make one item as dear as a whole list.
local LIST_DEPTH = 1000

-- Most systems take from the right end of a list. `from_left` is for those that take from the left one.

local function find(list, id, from_left)
  return redis.call("LPOS", list, id, "RANK", from_left and 1 or -1, "MAXLEN", LIST_DEPTH)
end

--- Whether an id is in a list, not far from that end.
function journal.is_near_the_end(list, id, from_left)
  return find(list, id, from_left) and true or false
end

--- Takes the occurrence of an id that is nearest to that end out of a list. Returns what its neighbour on that side was:
--- "=<id>", or "-" for none; nil when the id is not near that end.
function journal.take_from_list(list, id, from_left)
  local index = find(list, id, from_left)
  if not index then
    return nil
  end
  local beside = index + (from_left and -1 or 1)
  local neighbour = beside >= 0 and redis.call("LINDEX", list, beside)
  redis.call("LREM", list, from_left and 1 or -1, id)
  return neighbour and "=" .. neighbour or "-"
end

--- Puts an id back beside its former neighbour, or at that end when that has gone.
function journal.put_into_list(list, id, neighbour, from_left)
  local pivot = neighbour:sub(1, 1) == "=" and neighbour:sub(2)
  if not pivot or redis.call("LINSERT", list, from_left and "AFTER" or "BEFORE", pivot, id) < 1 then
    redis.call(from_left and "LPUSH" or "RPUSH", list, id)
  end
end

--- Whether an id is still in a place as it was seen: in a list near its right end, in a set with that score.
function journal.is_in(place, is_list, id, score)
  if is_list then return journal.is_near_the_end(place, id) end
  return redis.call("ZSCORE", place, id) == score
end

--- Takes an item out of its place into a record, within `park`: the key that holds it is renamed, and a list's neighbour kept.
function journal.take(number, key, place, is_list, id)
  redis.call("RENAME", key, journal.body(number))
  if is_list then
    redis.call("HSET", journal.record(number), "right", journal.take_from_list(place, id))
  else
    out[place] = out[place] or {}
    table.insert(out[place], id)
  end
end

--- Puts it back as it was and forgets the record, within `restore`. `right` is the neighbour in a list; false for a set.
function journal.put_back(number, key, place, id, score, right)
  redis.call("RENAME", journal.body(number), key)
  if right then
    journal.put_into_list(place, id, right)
  else
    back[place] = back[place] or {}
    local list = back[place]
    list[#list + 1], list[#list + 2] = score, id
  end
  journal.close_early(number)
end
