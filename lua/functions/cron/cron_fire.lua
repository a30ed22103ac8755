--[[
  Fires ticks of a cron entry: enqueues their jobs and moves the entry on, in
  one step, so that of all processes that try one succeeds.

  ARGV[2]  name                ARGV[3]  version of the definition the jobs come from
  ARGV[4]  the from_ms that was judged
  ARGV[5]  ticks up to here are dealt with now, ms
  ARGV[6]  next tick in ms or ""
  ARGV[7]  "skip" to pass over a tick while another job of the entry is live; else "allow". Jobs of such an entry hold a
           unique key; the latest ones may come from a time when overlaps were allowed, and hold none.
  ARGV[8]  first tick that was missed and is passed over, or ""
  ARGV[9…] a tick in ms and the values of its job (`core/intake.lua`), in turn

  Returns  {"fired", jobs enqueued}    {"stale"}: another process was first, or the entry has changed
  Events   - -> delayed | ready
]]
local now = clock.now(ARGV[1])
local name, version, judged, from_ms, next_ms = ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]
local skip_overlap, missed_ms = ARGV[7] == "skip", ARGV[8]

cron.check(name)
cron.check_times(from_ms, next_ms, missed_ms)
local entry = cron.read(name, "from_ms", "paused_ms", "last_job", "last_first", "run_job", "run_first")
if not entry or entry[1] ~= tonumber(version) or entry[2] ~= judged or entry[3] ~= "" then
  return { "stale" }
end
local last = { id = entry[4], first = number(entry[5]) }
local by_hand = { id = entry[6], first = number(entry[7]) }

local ticks, batch = {}, {}
for first = 9, #ARGV, intake.VALUES + 1 do
  cron.check_times(ARGV[first])
  table.insert(ticks, ARGV[first])
  table.insert(batch, intake.read(now, ARGV, first + 1, "cron"))
end
intake.check(now, batch)

if missed_ms ~= "" then cron.line(now, name, missed_ms, "missed") end
local load = job.loader({}, {})
--- The live job that a tick waits for, if any.
local function in_the_way(new)
  local holder = new.unique_key ~= "" and redis.call("GET", job.unique(new.unique_key))
  if holder and holder ~= new.id then return holder end
  for _, of in ipairs({ last, by_hand }) do
    local earlier = of.id ~= "" and load(of.id)
    -- Another job may have the id of one that was removed.
    local is_it = earlier and (not of.first or earlier.first == of.first)
    if is_it and not ENDED[earlier.state] then return of.id end
  end
end
local enqueued = 0
for index, new in ipairs(batch) do
  local running = skip_overlap and in_the_way(new)
  if running then
    cron.line(now, name, ticks[index], "overlapped", running)
  else
    local told = intake.take(now, new)
    local taken = told[1] == "delayed" or told[1] == "ready"
    if taken then
      last, enqueued = { id = new.id, first = number(told[5]) }, enqueued + 1
      redis.call("HSET", cron.key(name), "last_job", last.id, "last_first", told[5], "last_ms", ticks[index])
    end
    cron.line(now, name, ticks[index], taken and "enqueued" or "refused", new.id)
  end
end
redis.call("HSET", cron.key(name), "from_ms", from_ms)
cron.place(name, next_ms)
job.finish(now)
return { "fired", enqueued }
