--[[
  The one clock. Time is Redis's, in whole milliseconds, and never goes back:
  the latest time a change was made at is kept in the namespace's `meta`.

  A number as ARGV[1] is taken as it is, for tests and sandboxes.
]]
local clock = {}

-- Whole numbers that this call has met, as texts and as numbers. To turn one into the other costs as much as a
-- small command, and the jobs of a batch have most of theirs in common.
local texts, numbers
fresh(function()
  texts, numbers = {}, {}
  clock.rules, clock.latest, clock.read = nil, nil, nil
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

--- The present time in ms. `given` is ARGV[1]: a number, or "" for the server's clock.
function clock.now(given)
  if given ~= "" then
    clock.rules = redis.call("HGET", P .. "meta", "rules")
    return tonumber(given)
  end
  local time = redis.call("TIME")
  local ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
  local kept = redis.call("HMGET", P .. "meta", "clock_ms", "rules")
  clock.latest, clock.rules = number(kept[1]) or 0, kept[2]
  clock.read = math.max(ms, clock.latest)
  return clock.read
end

--- Remembers the time a change was made at, so that no later one can lie before it.
function clock.keep()
  if clock.read and clock.read > clock.latest then
    redis.call("HSET", P .. "meta", "clock_ms", int(clock.read))
  end
end
