--[[
  Counts per minute and queue, kept in `stats:<minute>` for eight days, or for a day once the hour has its sums
  (`src/store/record.rs`).
  A script collects its counts in memory and writes each of them once.

  Fields  q:<queue>:<what>
  what    enqueued started done failed dead cancelled parked expired
          late<b> wait<b> run<b>   b = histogram bucket, from 0: from due to ready, where a job waited for its time; from ready to the
                           start; from the start to the end
]]
local stats = {}
do

-- Upper bounds in ms, inclusive; one more bucket holds all beyond.
local BUCKETS_MS = constants.BUCKETS_MS

-- By the time, as text, since when something takes: names of what took so long, which the jobs of a batch have in common.
local since = {}
stats.queues = {}
fresh(function()
  if next(stats.queues) then stats.queues = {} end
  if next(since) then since = {} end
end)

-- Names of the buckets, the same in every call: to make one is dear.
local names = { late = {}, wait = {}, run = {} }

local function name_of(what, ms)
  local bucket = 0
  while BUCKETS_MS[bucket + 1] and ms > BUCKETS_MS[bucket + 1] do bucket = bucket + 1 end
  local name = names[what][bucket]
  if not name then
    name = what .. bucket
    names[what][bucket] = name
  end
  return name
end

local function add(to, name, what)
  local counts = to[name]
  if counts then counts[what] = (counts[what] or 0) + 1
  else to[name] = { [what] = 1 } end
end

--- What was counted of a queue, for a batch of its jobs.
function stats.of(queue)
  stats.queues[queue] = stats.queues[queue] or {}
  return stats.queues[queue]
end

--- The name under which counts what took from `text` until now.
function stats.since(what, now, text)
  local of = since[what]
  if not of then
    of = {}
    since[what] = of
  end
  local name = of[text]
  if not name then
    name = name_of(what, now - (number(text) or now))
    of[text] = name
  end
  return name
end

--- Counts one thing that happened to a job.
function stats.count(j, what)
  add(stats.queues, j.queue, what)
end

--- Counts how long something took; less than nothing counts as nothing.
function stats.took(j, what, ms)
  add(stats.queues, j.queue, name_of(what, ms))
end

--- The hash of the minute that holds `now`.
function stats.key(now)
  return P .. "stats:" .. int(now - now % 60000)
end

-- Whether one of these counts is the first of its name.
local function add_up(key, queues)
  local is_new = false
  for queue, counts in next, queues do
    local before = "q:" .. queue .. ":"
    for what, count in next, counts do
      is_new = soft("HINCRBY", key, before .. what, int(count)) == count or is_new
    end
  end
  return is_new
end

--- Writes what was counted. A count that cannot be written costs a number in a chart, never a job.
function stats.flush(now)
  if not next(stats.queues) then return end
  local key = stats.key(now)
  -- The first of its name may be the first of its minute.
  if add_up(key, stats.queues) then redis.call("EXPIRE", key, constants.STATS_KEPT_S, "NX") end
  stats.queues = {}
end
end
