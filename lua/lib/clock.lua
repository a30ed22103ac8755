--[[
  The one clock. Time is Redis's, in whole milliseconds, and never goes back:
  the latest time a change was made at is kept in the namespace's `meta`.

  A number as ARGV[1] is taken as it is, for tests and sandboxes. Behind a ";" may stand what the caller holds true of
  this Redis: the latest time that it can be by now, ";", and the beat of the namespace that it saw last. A clock that
  is beyond the one, or data that is behind the other, is no ground to start anything on, and neither is a namespace
  that stands still: `clock.stands`. The standstill itself, as `meta` keeps it, is `clock.standstill`.
]]
local clock = {}

-- Whole numbers that this call has met, as texts and as numbers. To turn one into the other costs as much as a
-- small command, and the jobs of a batch have most of theirs in common.
local texts, numbers
fresh(function()
  texts, numbers = {}, {}
  clock.rules, clock.latest, clock.read, clock.counters, clock.raw = nil, nil, nil, nil, nil
  clock.standstill, clock.stands = nil, false
end)

--- A whole number as text: Lua's own conversion keeps 14 digits only, and Redis's of a number given to
--- `redis.call` is slow. Numbers returned from a script need none of this.
local function int(number)
  local text = texts[number]
  if not text then
    text = string.format("%.0f", number)
    texts[number] = text
  end
  return text
end

--- The whole number that a stored text stands for, or nil. What Lua takes for numbers as well ("nan", "inf",
--- "1e300", "-1") would break scores and sums; 15 digits reach beyond the year 9999.
local function number(text)
  if not text then return nil end
  local value = numbers[text]
  if value == nil then
    value = #text <= 15 and text:find("^%d+$") and tonumber(text) or false
    numbers[text] = value
    if value then texts[value] = text end
  end
  return value or nil
end

--- A whole number that the caller gave. Nothing is done with what is none.
function clock.given(text)
  -- In brackets: `assert` hands its message on as a second value.
  return (assert(number(text), "an argument is no whole number"))
end

--- The present time in ms. `given` is ARGV[1]: a number, or "" for the server's clock, and what the caller holds true.
function clock.now(given)
  -- The counters are checked before anything is written; to read them here spares a command.
  local kept = redis.call("HMGET", P .. "meta", "clock_ms", "rules", "damaged", "quarantined", "standstill", "beat")
  clock.rules, clock.counters, clock.standstill = kept[2], { kept[3], kept[4] }, kept[5]
  local time, latest, beat = given, nil, nil
  if given:find(";", 1, true) then
    time, latest, beat = given:match("^(%d*);(%d+);(%d+)$")
    assert(time, "an argument is no whole number")
  end
  if time ~= "" then
    clock.raw = clock.given(time)
  else
    local read = redis.call("TIME")
    clock.raw = tonumber(read[1]) * 1000 + math.floor(tonumber(read[2]) / 1000)
  end
  local in_doubt = latest and (clock.raw > clock.given(latest) or (number(kept[6]) or 0) < clock.given(beat))
  clock.stands = clock.standstill and true or in_doubt
  if time ~= "" then
    return clock.raw
  end
  clock.latest = number(kept[1]) or 0
  clock.read = math.max(clock.raw, clock.latest)
  return clock.read
end

--- Remembers the time a change was made at, so that no later one can lie before it.
function clock.keep()
  if clock.read and clock.read > clock.latest then
    redis.call("HSET", P .. "meta", "clock_ms", int(clock.read))
  end
end
