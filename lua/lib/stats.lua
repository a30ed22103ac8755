--[[
  Counts per minute, queue and kind, kept in `stats:<minute>` for eight days.
  A script collects its counts in memory and writes each of them once.

  Fields  q:<queue>:<what>   k:<kind>:<what>
  what    enqueued started done failed dead cancelled parked
          late<b> wait<b> run<b>   b = histogram bucket, from 0
]]
local stats = { counts = {} }

-- Upper bounds in ms, inclusive; one more bucket holds all beyond. `model::stats` has the same list.
local BUCKETS_MS = { 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 30000, 60000, 300000 }

-- Eight days: the widest chart shows seven.
local STATS_KEPT_S = 691200

local function bucket(ms)
  for index, bound in ipairs(BUCKETS_MS) do
    if ms <= bound then
      return index - 1
    end
  end
  return #BUCKETS_MS
end

local function add(field)
  stats.counts[field] = (stats.counts[field] or 0) + 1
end

--- Counts one thing that happened to a job.
function stats.count(j, what)
  add("q:" .. j.queue .. ":" .. what)
  add("k:" .. j.kind .. ":" .. what)
end

--- Counts how long something took; less than nothing counts as nothing.
function stats.took(j, what, ms)
  add("q:" .. j.queue .. ":" .. what .. bucket(math.max(ms, 0)))
end

--- The hash of the minute that holds `now`.
function stats.key(now)
  return P .. "stats:" .. int(now - now % 60000)
end

--- Writes what was counted.
function stats.flush(now)
  local key = stats.key(now)
  local any = false
  for field, count in pairs(stats.counts) do
    redis.call("HINCRBY", key, field, count)
    any = true
  end
  if any then
    redis.call("EXPIRE", key, STATS_KEPT_S, "NX")
  end
  stats.counts = {}
end
