--[[
  The one clock. Time is Redis's, in whole milliseconds, and never goes back:
  the latest time a change was made at is kept in the namespace's `meta`.

  A number as ARGV[1] is taken as it is, for tests and sandboxes. After a ";" may come what the caller knows of this
  Redis: the latest time that it can be by now, ";", and the heartbeat of the namespace that it saw last. No job starts
  (`clock.stands`) if the clock is past that time, if the data is older than that heartbeat, during a halt, or while nobody
  has looked at the namespace since it came to this server. A ";" alone is from a caller that looks and knows nothing yet:
  for it no job starts either if the clock is not near where it was seen last. The halt itself, as `meta` keeps it, is
  `clock.halt`.

  A clock that is known to be ahead is put right by how much it is: what is taken in meanwhile has its right time, and no
  lease is an hour long. One that went back is not listened to until it is where it was.
]]
local clock = {}

-- Who has not looked at a new server by then is not there to look, in ms.
local UNSEEN_SERVER_MS = 30000
local EPOCH = constants.EPOCH_TOKENS
-- Epochs are named by the second in which they begin, from 2025 on: their tokens stay within 14 digits until 2056.
local EPOCHS_FROM_S = 1735689600

-- Whole numbers that were met lately, as texts and as numbers. To turn one into the other costs as much as a small
-- command, the jobs of a batch have most of theirs in common, and what is kept of a namespace changes seldom. Beyond so
-- many a call begins anew: they are to take no memory to speak of.
local MET_MAX = 500
local texts, numbers, met_count = {}, {}, 0
-- Whether the present function is one of a job's way, see `clock.of_routine`.
local is_routine = false

fresh(function()
  if met_count > MET_MAX then texts, numbers, met_count = {}, {}, 0 end
  clock.rules, clock.latest, clock.read, clock.raw = nil, nil, nil, nil
  clock.halt, clock.stands, clock.certain, clock.is_possible, clock.epoch = nil, false, nil, true, 0
  clock.possible, clock.removed, clock.removes, is_routine, clock.next_look = nil, 0, false, false, nil
  clock.known = nil
end)

-- The name that this server gave itself when it was started, once it was asked; "" where it does not tell. And when it
-- was first met, by namespace, that another server had the data before, in ms.
local server, met = nil, {}
--- Which server this is. A replica that takes over is another one, and so is one that was started anew.
function clock.server()
  if not server then
    local told = redis.pcall("INFO", "server")
    server = type(told) == "string" and told:match("run_id:(%w+)") or ""
  end
  return server
end

-- Small ones, the same in every call.
local SMALL_MAX = 256
local small = {}
-- How a whole number is written: `%d` costs half of `%.0f`, but on a machine of 32 bits it has too few of them.
local whole_number
--- A whole number as text: Lua's own conversion keeps 14 digits only, and Redis's of a number given to
--- `redis.call` is slow. Numbers returned from a script need none of this.
local function int(number)
  local text = texts[number] or small[number]
  if not text then
    whole_number = whole_number or (string.format("%d", 1e15) == "1000000000000000" and "%d" or "%.0f")
    text = string.format(whole_number, number)
    local of = number >= 0 and number < SMALL_MAX and small or texts
    of[number], met_count = text, met_count + 1
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
    numbers[text], met_count = value, met_count + 1
    -- Where a zero (48) leads, other hands have written it: no other call is to write the number so.
    if value and text:byte() ~= 48 then texts[value] = text end
  end
  return value or nil
end

-- What follows small numbers, as texts; the same in every call.
local following = { [""] = "1" }
--- The number that follows, as text: of a version or an attempt, where "" is none.
local function following_of(text)
  local next_text = following[text]
  if not next_text then
    local value = number(text) or 0
    next_text = int(value + 1)
    if value < SMALL_MAX then following[text] = next_text end
  end
  return next_text
end

--- A whole number that the caller gave. Nothing is done with what is none.
function clock.given(text)
  -- In brackets: `assert` hands its message on as a second value.
  return (assert(number(text), "an argument is no whole number"))
end

--- An instant that the caller gave: "" now, "+<ms>" from now, "<ms>".
function clock.time(now, text)
  if text == "" then return now end
  if text:byte(1) == 43 then return now + clock.given(text:sub(2)) end
  return clock.given(text)
end

-- Redis's time as far as it can be trusted, and as it is. `latest` is what the caller holds possible, or nil.
local function read(latest, stands)
  local told = redis.call("TIME")
  local raw = tonumber(told[1]) * 1000 + math.floor(tonumber(told[2]) / 1000)
  local ahead = stands and stands:match("^clock_ahead %d+ (%d+)")
  local right = raw - (ahead and tonumber(ahead) or 0)
  if latest and right > latest then right = latest - constants.TOLERANCE_MS end
  return right, raw
end

-- Whether nobody has had the time to look since this server was first met, whose data was last looked at then. A failover
-- may take as long as it likes. With a given time, and outside of the library, where nothing is remembered, that look counts.
local function is_met_lately(looked, given)
  if NAME and given == "" then
    met[P] = met[P] or clock.raw
    looked = met[P]
  end
  return math.abs(clock.raw - looked) <= UNSEEN_SERVER_MS
end

-- What is kept as the latest time is later than the caller holds possible: either somebody kept it who did not know that
-- the clock was ahead, or the call was sent a while ago. Where the clock is about where it was seen last, it is as the
-- caller says, and what was kept is forgotten. Else the clock has jumped and nobody has said so yet: ahead, what was kept
-- counts as far as it may have come since that look; back, the caller knows less than what was kept, and starts nothing.
-- Returns what counts as the latest time.
local function doubt_what_was_kept(looked)
  local is_seen = looked and math.abs(clock.raw - looked) <= constants.UNSEEN_MS
  if not clock.is_possible then
    if looked and not is_seen then return math.min(clock.latest, looked + constants.UNSEEN_MS) end
  elseif is_seen and not clock.halt then
    clock.latest = 0
  else
    clock.stands = true
  end
  return clock.latest
end

--- The present time, as `clock.now`, for the functions that a job goes through. They change nothing of what is known of the
--- namespace beside its jobs, and go by what is known from at most a second ago. Every other function makes that be forgotten.
function clock.of_routine(given)
  is_routine = true
  return clock.now(given)
end

--- The present time in ms. `given` is ARGV[1]: a number, or "" for the server's clock, and what the caller holds true.
function clock.now(given)
  -- What follows needs rights too.
  if writes then rights.expect() end
  local kept = redis.call("HMGET", P .. "meta", "clock_ms", "rules", "generation", "removed_version", "halt", "heartbeat",
    "heartbeat_ms", "server", "epoch", "next_look_ms")
  clock.rules, clock.removed_text, clock.halt = kept[2], kept[4], kept[5]
  clock.epoch, clock.removed, clock.next_look = number(kept[9]) or 0, number(kept[4]) or 0, number(kept[10])
  local time, latest, heartbeat = given, nil, nil
  local is_about_to_know = given == ";"
  if is_about_to_know then
    time = ""
  elseif given:find(";", 1, true) then
    time, latest, heartbeat = given:match("^(%d*);(%d+);(%d+)$")
    assert(time, "an argument is no whole number")
  end
  latest = latest and clock.given(latest)
  local right
  if time ~= "" then
    clock.raw = clock.given(time)
  else
    right, clock.raw = read(latest, clock.halt)
  end
  if writes then rights.expect(clock.raw) end
  if not is_routine then memory.forget() end
  clock.known = is_routine and time == "" and kept[3] and memory.recall(clock.raw, kept[3]) or memory.empty()
  clock.possible, clock.is_possible = latest, not latest or clock.raw <= latest
  local in_doubt = latest and (not clock.is_possible or (number(kept[6]) or 0) < clock.given(heartbeat))
  local looked = number(kept[7])
  local is_elsewhere = kept[8] and kept[8] ~= clock.server()
  if not is_elsewhere then met[P] = nil end
  local is_new_here = is_elsewhere and looked and is_met_lately(looked, time)
  local is_strange = is_about_to_know and looked and math.abs(clock.raw - looked) > constants.UNSEEN_MS
  clock.stands = (clock.halt or in_doubt or is_new_here or is_strange) and true or false
  if time ~= "" then
    return clock.raw
  end
  clock.latest = number(kept[1]) or 0
  -- Asked first, for it may forget what was kept.
  local counts = latest and clock.latest > latest and doubt_what_was_kept(looked) or clock.latest
  clock.read = math.max(right, counts)
  if not latest and looked and clock.raw > looked + constants.UNSEEN_MS then clock.certain = looked end
  return clock.read
end

--- Whether a time that the caller gave has certainly come, if the present says so: not where the clock may have jumped
--- since somebody looked at it.
function clock.has_come(due)
  return not clock.certain or due <= clock.certain
end

--- The name of an epoch that begins now, beyond those that were. Two servers whose data parted begin theirs each, and
--- neither knows of the other: the second, and a part that is each server's own, keep their tokens apart.
function clock.next_epoch(known)
  local own = tonumber(clock.server():sub(1, 3), 16) or 0
  return math.max(clock.epoch, known, math.floor(clock.raw / 1000) - EPOCHS_FROM_S) + 1 + own
end

--- The version, and with it the token, of a job that is started. Where data was lost, a job may have been started
--- already by somebody whose token Redis has forgotten: of its version the last five digits go on, and those before
--- them name the epoch, so that no token comes twice.
function clock.token(version)
  local lived = math.floor(version / EPOCH)
  return version + 1 + math.max(clock.epoch - lived, 0) * EPOCH
end

--- The version a new job begins with. It is above that of every job that was removed, so nothing that is remembered of a
--- job (a token, a version somebody saw, a row of a bulk run) fits another job that has its id later. Where data was
--- lost, removals may have been lost too: then it is beyond what the epochs before could reach.
function clock.first_version()
  return math.max(clock.removed, clock.epoch * EPOCH) + 1
end

--- Remembers the version of a job that is being removed; `keep_removed` writes it.
function clock.note_removed(version)
  if version > clock.removed then clock.removed, clock.removes = version, true end
end

--- Writes the highest version of the jobs that were removed.
function clock.keep_removed()
  if clock.removes then
    redis.call("HSET", P .. "meta", "removed_version", int(clock.removed))
    clock.removes = false
  end
end

--- What of the way from one version to another is changes, and what the epochs that began meanwhile: no job changes so
--- often between two lines of its history.
function clock.parts(way)
  local changes = way % EPOCH
  return changes, way - changes
end

--- Remembers the time a change was made at, so that no later one can lie before it.
function clock.keep()
  if clock.read and clock.read > clock.latest then
    redis.call("HSET", P .. "meta", "clock_ms", int(clock.read))
  end
end
