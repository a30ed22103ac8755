--[[
  A halt: the namespace starts nothing until somebody, or the end of a while, lets it go on. Jobs can be added,
  called off and put back meanwhile, and what runs goes on and reports.

  `meta` keeps it as "why at_ms by_ms until_ms": until is 0 when a person has to look; and how many there were.

  Where data may have been lost begins an epoch: its number, when it began, and the heartbeat of the latest look that was not
  lost are in `meta` too. Each process that looks has a field in `watchers`: "<the heartbeat of its latest look> <the epoch
  for which it has said again what it had acknowledged> <Redis's time then> <how far Redis is ahead of its clock> <how far
  Redis has moved since the processes agreed> <what of that is from before its own first look>"; "-" where it is not known.
  `clock_ahead_ms` in `meta` is how far Redis was ahead of the processes' clocks when they agreed.
]]
local halt = {}
do

-- So long an epoch waits for processes that died together with the data, or take their time to find the new server: a
-- client of a Cluster asks for its owners again only when calls to the old ones have failed.
local SETTLES_MS = 10000
-- And so long for those that nobody knows, since the data that told of them was lost: all look each second.
local ALL_LOOK_MS = constants.ALL_LOOK_MS
-- A process that had missed so many looks of its own was not there any more.
local LOOKS_MISSED = 5

--- Until when one that ends by itself may last.
function halt.settles_ms() return clock.raw + SETTLES_MS end

-- What ends by itself gives way to a clock that has to come back, and that to what a person has to look at.
local WEIGHT = { took_over = 1, went_back = 1, clock_ahead = 2, clock_back = 2, clock_apart = 1.5, replaced = 3 }

-- Clocks that NTP keeps agree to a few ms. One that has come this far away from the others, at once or in a year, is wrong.
local APART_MS = 5000
-- And this near it agrees again: not at the very point where it ceased to.
local AGREES_MS = 2000
-- A process that is so far from Redis starts nothing itself, and does not tell others where Redis is.
local APART_MAX_MS = constants.APART_MAX_MS

-- Leases of a queue that one look reads. No more are given in about a second, which is as long as a clock that is ahead goes
-- unnoticed.
local LEASES_MAX = 1000
-- So many looks where all that is held has its lease by the wrong clock.
local LOOKS_MAX = 20

local load = job.loader({}, { "started_ms" })

local function weight(why, until_ms)
  if why == "went_back" and until_ms == 0 then return WEIGHT.replaced end
  return WEIGHT[why] or WEIGHT.replaced
end

--- Begins one, and says so. `by` is how far a clock jumped, or how much was lost, in ms. Where the namespace stands still
--- already, that goes on, unless this is harder to end.
function halt.begin(now, why, by, until_ms)
  if clock.halt then
    local standing, since, by_before, ends = clock.halt:match("^(%S+) (%d+) (%d+) (%d+)$")
    ends = tonumber(ends)
    if weight(why, until_ms) <= weight(standing, ends) then
      -- What begins within it has its own time.
      if ends > 0 and until_ms > ends then
        clock.halt = table.concat({ standing, since, by_before, int(until_ms) }, " ")
        redis.call("HSET", P .. "meta", "halt", clock.halt)
      end
      return false
    end
  end
  redis.call("HINCRBY", P .. "meta", "halts", 1)
  clock.halt = table.concat({ why, int(clock.raw), int(by), int(until_ms) }, " ")
  redis.call("HSET", P .. "meta", "halt", clock.halt)
  -- Changes of the last second were made at a time that is not there yet.
  if why == "clock_ahead" and clock.read then
    redis.call("HSET", P .. "meta", "clock_ms", int(math.min(clock.read, clock.raw - by)))
  end
  audit.add(now, "reprieve", "set_halt", "namespace", why, "standing", "", int(by))
  return true
end

--- Whether all who may have acknowledged something that was lost have said it again.
function halt.is_settled()
  local kept = redis.call("HMGET", P .. "meta", "epoch", "epoch_ms", "epoch_heartbeat")
  local epoch, began, heartbeat = number(kept[1]) or 0, number(kept[2]), number(kept[3]) or 0
  -- Either way: its clock may have jumped since.
  local waited = began and math.abs(clock.raw - began) or SETTLES_MS
  if waited >= SETTLES_MS then return true end
  if waited < ALL_LOOK_MS then return false end
  local looks, count = {}, 0
  for _, look in ipairs(redis.call("HVALS", P .. "watchers")) do
    local seen, said = look:match("^(%d+) (%d+)")
    if seen then
      count = count + 1
      looks[count] = { tonumber(seen), tonumber(said) }
    end
  end
  for _, look in ipairs(looks) do
    if look[2] < epoch and heartbeat - look[1] <= LOOKS_MISSED * count then return false end
  end
  return true
end

-- A whole number with its sign, or nil.
local function signed(text)
  return text and text:find("^%-?%d+$") and #text <= 16 and tonumber(text) or nil
end

local function written(value) return value and string.format("%.0f", value) or "-" end

-- What the processes that look say of Redis's clock, without `watcher`: the smallest movement that one of them reports, and
-- whether one still has the clock by which they agreed.
local function said_by_others(watcher, looks, agreed)
  local least, has_agreed = nil, false
  for at = 1, #looks, 2 do
    local time, ahead, moved = looks[at + 1]:match("^%d+ %d+ (%S+) (%S+) (%S+)")
    time, ahead, moved = signed(time), signed(ahead), signed(moved)
    -- One that looked at another time than now is gone, or saw the clock before it jumped.
    if looks[at] ~= watcher and moved and time and math.abs(clock.raw - time) <= constants.UNSEEN_MS then
      if not least or math.abs(moved) < math.abs(least) then least = moved end
      if agreed and ahead and math.abs(ahead - moved - agreed) <= APART_MS then has_agreed = true end
    end
  end
  return least, has_agreed
end

-- How far Redis has moved by all that is known, or nil where nobody can tell; and this process's part of it, for its field.
-- `ahead` is how far Redis is ahead of its clock, `moved` how far it has moved since its first look.
local function judge(watcher, looks, before, ahead, moved)
  local agreed = signed(redis.call("HGET", P .. "meta", "clock_ahead_ms") or nil)
  local others, has_agreed = said_by_others(watcher, looks, agreed)
  if not before then
    if not agreed then
      -- The first to look. One whose own clock is wrong must not be what the others are measured by.
      if math.abs(ahead) <= APART_MAX_MS or halt.base() then
        before = 0 - moved
      end
    elseif math.abs(ahead - agreed) <= APART_MS then
      before = ahead - agreed - moved
    elseif others and math.abs(others) <= APART_MS then
      -- Its own clock is another one; the others know that Redis's is where it was.
      before = others - moved
    else
      return agreed and (others or ahead - agreed), nil, nil
    end
    if not before then return nil, nil, nil end
  end
  local own = before + moved
  local least = others and math.abs(others) < math.abs(own) and others or own
  if math.abs(least) <= APART_MS and not has_agreed and (not agreed or math.abs(ahead - own - agreed) > APART_MS) then
    redis.call("HSET", P .. "meta", "clock_ahead_ms", written(ahead - own))
  end
  return least, own, before
end

--- How far Redis may be ahead of the processes' clocks because a person said that it is right, in ms; nil where nobody did.
function halt.base()
  local kept = redis.call("HMGET", P .. "meta", "clock_allowed", "clock_ahead_ms")
  return kept[1] and (signed(kept[2] or nil) or 0) or nil
end

--- A person says that the clocks are right as they are: from here on the processes agree anew.
function halt.agree_anew()
  local looks = redis.call("HGETALL", P .. "watchers")
  for at = 1, #looks, 2 do
    local kept = looks[at + 1]:match("^%d+ %d+")
    if kept then redis.call("HSET", P .. "watchers", looks[at], kept) end
  end
  redis.call("HDEL", P .. "meta", "clock_ahead_ms")
  redis.call("HSET", P .. "meta", "clock_allowed", "1")
end

--- Writes down that a process has looked, and now and then forgets those that do so no more. Where it says how far Redis is
--- from its own clock, and by a look of just now, a halt begins or ends as that and the others say.
function halt.looked(now, watcher, heartbeat, said, measured, ahead, moved)
  local key, head = P .. "watchers", int(heartbeat) .. " " .. int(said)
  local looks = redis.call("HGETALL", key)
  local before
  for at = 1, #looks, 2 do
    if looks[at] == watcher then before = signed(looks[at + 1]:match("^%d+ %d+ %S+ %S+ %S+ (%S+)$")) end
  end
  ahead, moved = signed(ahead), signed(moved)
  if ahead and moved and measured and math.abs(clock.raw - measured) <= constants.UNSEEN_MS then
    local least, own
    least, own, before = judge(watcher, looks, before, ahead, moved)
    redis.call("HSET", key, watcher,
      table.concat({ head, int(clock.raw), written(ahead), written(own), written(before) }, " "))
    local is_apart = (clock.halt or ""):find("^clock_apart ")
    if least and math.abs(least) > APART_MS then
      halt.begin(now, "clock_apart", math.abs(least), 0)
    elseif least and is_apart and math.abs(least) <= AGREES_MS then
      redis.call("HDEL", P .. "meta", "halt")
      redis.call("HSET", P .. "meta", "went_on_ms", int(clock.raw))
      -- What was written meanwhile has the time of a clock that was ahead, and would have all that is due by it start.
      if (number(redis.call("HGET", P .. "meta", "clock_ms")) or 0) > clock.raw then
        redis.call("HSET", P .. "meta", "clock_ms", int(clock.raw))
      end
      -- Leases of the last second before the halt end by it too.
      halt.put_leases_right(clock.raw, tonumber(clock.halt:match("^%S+ %d+ (%d+)")) or 0)
      clock.halt = nil
      audit.add(now, "reprieve", "clear_halt", "namespace", "the clocks agree again", "cleared", "clock_apart", "")
    end
  else
    redis.call("HSET", key, watcher, before and table.concat({ head, "-", "-", "-", written(before) }, " ") or head)
  end
  if heartbeat % 64 ~= 0 then return end
  for at = 1, #looks, 2 do
    local seen = tonumber(looks[at + 1]:match("^%d+")) or 0
    if heartbeat - seen > LOOKS_MISSED * #looks + 64 then redis.call("HDEL", P .. "watchers", looks[at]) end
  end
end

--- What is to be checked before one is begun or ended.
function halt.check()
  job.expect(P .. "meta", "hash")
  job.expect(P .. "watchers", "hash")
  job.expect(P .. "audit", "stream", true)
end

-- Leases of a queue that are not over, by their end: ids, and when each ends by its id. All are read before any is moved,
-- which would shift the others.
local function leases_of(key, looks)
  local ids, ends = {}, {}
  for look = 0, looks - 1 do
    local found = redis.pcall("ZRANGE", key, int(clock.raw), "+inf", "BYSCORE", "LIMIT", look * LEASES_MAX, LEASES_MAX, "WITHSCORES")
    for at = 1, #found, 2 do
      ids[#ids + 1] = found[at]
      ends[found[at]] = tonumber(found[at + 1])
    end
    if #found < 2 * LEASES_MAX then break end
  end
  return ids, ends
end

--- A worker that claimed by the clock that was ahead, and does not look itself, has a lease that begins and ends by it, and
--- the job of a worker that died would wait for hours. It lasts as long as it should have. `right` is the time by the right
--- clock; `are_all` says that no lease was given by that.
function halt.put_leases_right(right, by, are_all)
  -- The checks are over: what cannot be read is left as it is.
  for _, queue in ipairs(redis.pcall("SMEMBERS", P .. "queues")) do
    local key = job.set(queue, "active")
    local ids, ends = leases_of(key, are_all and LOOKS_MAX or 1)
    record.fetch(ids)
    for _, id in ipairs(ids) do
      local j = load(id)
      local is_begun_by_it = j and j.started_ms and j.started_ms > right + constants.TOLERANCE_MS
      if is_begun_by_it then
        record.set(j, "started_ms", j.started_ms - by)
        record.put(j)
      end
      -- One that was only extended by it is known where it is longer than any may be.
      if j and (are_all or is_begun_by_it or ends[id] > right + constants.LEASE_MAX_MS + constants.TOLERANCE_MS) then
        redis.call("ZADD", key, "XX", int(ends[id] - by), id)
      end
    end
  end
  record.flush()
end
end
