--[[
  What is kept of a job: `job:<id>`, a text of one line of words, lines of
  other fields, an empty line and the payload.

    <state> <version> <attempt> <ready> <sequence> <started> <worker> <ended> <queue> <kind> <due> <subject> <ahead> <created by> <first>
    <name>=<value>

    <payload>

  A word that is absent is empty, and has its default, as a field that has no line (see `DEFAULTS`); times are in ms.
  `first` is the version that the job began with; where that is 1 the word and the space before it are left out.
  `ahead` tells how long before it was due a job was created: half the bytes of the time itself.
  In a value, `\n` stands for the end of a line and `\\` for a backslash. Fields that may be longer than LONG_BYTES
  are then kept in the hash `long:<id>`, and `long` names them: a change of state must not write them anew.

  A call reads the records of its jobs at once (`fetch`) and writes them at once (`flush`). In between there is one
  table for each job, for all that load it: words by place, and fields by name as the scripts want them.
]]
local record = {}

local LIVE = { delayed = true, held = true, ready = true, active = true, retrying = true }
local ENDED = { done = true, dead = true, cancelled = true }
-- In these a job waits for its time.
local WAITING = { delayed = true, retrying = true }
local STATES = { "delayed", "held", "ready", "active", "retrying", "done", "dead", "cancelled" }

local PRIORITY_DEFAULT = 5
local MAX_ATTEMPTS_DEFAULT = constants.MAX_ATTEMPTS_DEFAULT

-- What changes on a job's way comes first, so that the rest can be taken over as one piece.
local WORDS = constants.WORDS
local PLACE = {}
for place = 1, #WORDS do PLACE[WORDS[place]] = place end
local STATE, VERSION, DUE, CREATED = PLACE.state, PLACE.version, PLACE.due_ms, PLACE.created_ms
-- Words that may come as several; they get a line then.
local MAY_HAVE_SPACES = { worker = true, created_by = true }
local FIRST_LINE = "^(%l+) (%d+) ([^ \n]*) ([^ \n]*) ([^ \n]*) ([^ \n]*) ([^ \n]*) ([^ \n]*) "
  .. "([^ \n]+) ([^ \n]+) (%d+) ([^ \n]*) ([^ \n]*) ([^ \n]*) ?(%d*)\n()"

-- Fields that are numbers to the scripts, beside those among the words.
local NUMBERS = {
  priority = true, max_attempts = true, timeout_ms = true, retention_ms = true, unique_ttl_ms = true, token = true,
  spent_token = true, cancel_ms = true, stalls = true, kept_until_ms = true, plan_held_ms = true, log_lines = true,
  unheard = true, heard = true, taken_back = true, freed_ms = true,
}
-- What a job has without saying so. Numbers that are not here are nil, all other texts are empty.
local DEFAULTS = {
  priority = PRIORITY_DEFAULT, max_attempts = MAX_ATTEMPTS_DEFAULT, unique_key = "", constraints = "", concurrency_key = "",
  concurrency_slot = "", headers = "", tags = "", gated = "", cancelled_from = "", spent_as = "", publication = "",
  publication_item = "", last_error = "", result = "", progress = "",
}
local OF_JOB = { __index = DEFAULTS }

-- Redis copies a record for each change of it; eight times the shortest payload that people measure with.
local LONG_BYTES = 512
local MAY_BE_LONG = { payload = true, result = true, headers = true, tags = true, last_error = true, publication_item = true }
-- Keys given to one command: Lua passes at most 8,000 values.
local KEYS_MAX = 1000

-- What this call has met, by id: the newest text (false for none), and jobs read from it (false: none that a script
-- could use). What is to be written: keys and texts in turn, and jobs that were changed since they were read.
local found_texts, loaded, written, changed = {}, {}, {}, {}
fresh(function()
  if next(found_texts) then found_texts = {} end
  if next(loaded) then loaded = {} end
  if next(written) then written = {} end
  if next(changed) then changed = {} end
end)

function record.key(id) return P .. "job:" .. id end
function record.long_key(id) return P .. "long:" .. id end

--- Whether a payload has no place in a record.
function record.is_long(payload) return #payload > LONG_BYTES end

--- The whole number of a word, or nil: as `number`, for words that differ from job to job.
local function whole(word)
  local value = tonumber(word)
  if value and value >= 0 and value < 1e15 and value % 1 == 0 then return value end
  return nil
end

--- When a job was created, by its words of these names, as text: when it was due where that does not read.
function record.created(due, ahead)
  local created = ahead ~= "" and whole(due - (tonumber(ahead) or 0))
  return created and int(created) or due
end

-- A text in the place of each match costs a fifth of a table that has it.
local function escape(value)
  if value:find("\\", 1, true) then value = value:gsub("\\", "\\\\") end
  if value:find("\n", 1, true) then value = value:gsub("\n", "\\n") end
  return value
end

local function unescape(value)
  -- Without an end of a line there are backslashes alone.
  if not value:find("\\n", 1, true) then return (value:gsub("\\\\", "\\")) end
  return (value:gsub("\\(.)", { ["\\"] = "\\", n = "\n" }))
end

--- Gives a job a field by its name, as scripts want it.
local function name_extra(j, name, value)
  if name == "max_attempts" then
    -- Nothing would be its default.
    local most = whole(value)
    j.max_attempts = most ~= 0 and most or false
  elseif NUMBERS[name] then
    j[name] = whole(value)
  elseif name ~= "by" and name ~= "why" then
    j[name] = value
  end
end

--- The fields that stand in lines from a place of a text on, by name, and where the payload begins; nil where they do not read.
function record.lines(text, at)
  if text:byte(at) == 10 then
    return {}, at + 1
  end
  local ends = text:find("\n\n", at, true)
  if not ends then
    return nil
  end
  local fields = {}
  for name, value in text:sub(at, ends):gmatch("([%l_]+)=([^\n]*)\n") do
    if value:find("\\", 1, true) then value = unescape(value) end
    fields[name] = value
  end
  return fields, ends + 2
end

--- The lines of these fields, with the empty one before the payload.
function record.in_lines(fields)
  local names, lines = {}, {}
  for name in next, fields do names[#names + 1] = name end
  if #names > 1 then table.sort(names) end
  for index = 1, #names do lines[index] = names[index] .. "=" .. escape(fields[names[index]]) .. "\n" end
  return table.concat(lines) .. "\n"
end

--- The names that the field `long` tells.
local function read_long(j)
  j.long = {}
  for name in j.extras.long:gmatch("%S+") do j.long[name] = true end
end

--- The job of a text; nil when it is not one that a script can use.
local function decode(id, text)
  local state, version, attempt, ready, sequence, started, worker, ended, queue, kind, due, subject, created, created_by, first, at =
    text:match(FIRST_LINE)
  if not (LIVE[state] or ENDED[state]) or #version > 15 or #due > 15 then
    return nil
  end
  local j = setmetatable({
    state, version, attempt, ready, sequence, started, worker, ended, queue, kind, due, subject, created, created_by, first,
    id = id, first = first == "" and 1 or tonumber(first), state = state, version = tonumber(version), queue = queue, kind = kind, subject = subject,
    due_ms = tonumber(due), attempt = attempt == "" and 0 or whole(attempt) or 0, worker = worker, tail = text:sub(at),
  }, OF_JOB)
  if created ~= "" then
    j.created_ms = whole(j.due_ms - (tonumber(created) or 0))
    j[CREATED] = j.created_ms and int(j.created_ms) or ""
  end
  if ready ~= "" then j.ready_ms = whole(ready) end
  if sequence ~= "" then j.sequence = whole(sequence) end
  if started ~= "" then j.started_ms = whole(started) end
  if ended ~= "" then j.ended_ms = whole(ended) end
  if text:byte(at) ~= 10 then
    local extras, payload_at = record.lines(text, at)
    if not extras then
      return nil
    end
    for name, value in next, extras do name_extra(j, name, value) end
    j.extras, j.tail = extras, text:sub(payload_at - 1)
    if extras.long then read_long(j) end
  end
  return j
end

local function encode(j)
  local created = j[CREATED]
  if created ~= "" then j[CREATED] = int(tonumber(j[DUE]) - tonumber(created)) end
  local head = table.concat(j, " ", 1, (j[#WORDS] or "") == "" and #WORDS - 1 or #WORDS)
  j[CREATED] = created
  if not j.extras then
    return head .. "\n" .. j.tail
  end
  return head .. "\n" .. record.in_lines(j.extras) .. j.tail:sub(2)
end

--- Reads the records of these jobs in one go. One met already stays as it is.
function record.fetch(ids)
  for first = 1, #ids, KEYS_MAX do
    local keys, wanted, count = {}, {}, 0
    for index = first, math.min(first + KEYS_MAX - 1, #ids) do
      local id = ids[index]
      if found_texts[id] == nil then
        count = count + 1
        keys[count], wanted[count] = P .. "job:" .. id, id
      end
    end
    if count > 0 then
      -- Nothing for a key of another type, as for one that is absent.
      local found = redis.call("MGET", unpack(keys))
      for index = 1, count do found_texts[wanted[index]] = found[index] end
    end
  end
end

--- Reads the records of these jobs, to go through them in this order: texts and keys by place. What the call has
--- written since is in `newest`.
function record.read(ids)
  local keys, prefix, count = {}, P .. "job:", #ids
  for index = 1, count do keys[index] = prefix .. ids[index] end
  if count <= KEYS_MAX then
    return count > 0 and redis.call("MGET", unpack(keys)) or {}, keys
  end
  local texts = {}
  for first = 1, count, KEYS_MAX do
    local found = redis.call("MGET", unpack(keys, first, math.min(first + KEYS_MAX - 1, count)))
    for index = 1, #found do texts[first + index - 1] = found[index] end
  end
  return texts, keys
end

--- The newest text of a job that was fetched; false for none, and nil for one that was not.
function record.newest(id)
  local j = loaded[id]
  if j and j.is_changed then record.write(id, encode(j)) end
  return found_texts[id]
end

--- One job; nil when there is none, or none that a script can use.
function record.load(id)
  local j = loaded[id]
  if j == nil then
    if found_texts[id] == nil then found_texts[id] = redis.call("MGET", P .. "job:" .. id)[1] end
    j = found_texts[id] and decode(id, found_texts[id]) or false
    loaded[id] = j
  end
  return j or nil
end

--- Which of these ids have a job, by id. Fails when one of their keys holds something else: a new job must not
--- take its place.
function record.present(ids)
  local keys, there, present, prefix = {}, 0, {}, P .. "job:"
  for index = 1, #ids do keys[index] = prefix .. ids[index] end
  for first = 1, #keys, KEYS_MAX do
    there = there + redis.call("EXISTS", unpack(keys, first, math.min(first + KEYS_MAX - 1, #keys)))
  end
  if there == 0 then
    return present
  end
  record.fetch(ids)
  for index, id in ipairs(ids) do
    present[id] = record.load(id) ~= nil
    if not present[id] and redis.call("EXISTS", keys[index]) == 1 then
      error({ err = "DAMAGED key " .. keys[index] .. " holds no job" })
    end
  end
  return present
end

--- Moves a long value into its hash, or one that is gone out of it.
local function set_long(j, name, value)
  local long, names = j.long or {}, {}
  if value then soft("HSET", record.long_key(j.id), name, value) else soft("HDEL", record.long_key(j.id), name) end
  long[name] = value and true or nil
  for of in pairs(long) do names[#names + 1] = of end
  table.sort(names)
  j.long = #names > 0 and long or nil
  j.extras = j.extras or {}
  j.extras.long = j.long and table.concat(names, " ")
end

-- A table for as many fields as mostly come together: growing to that would cost more than all of them.
local function some_extras()
  local extras = { by = "", why = "", told_version = "", kept_until_ms = "" }
  extras.by, extras.why, extras.told_version, extras.kept_until_ms = nil, nil, nil, nil
  return extras
end

--- Gives a field another value: a number, a text, or false for none. `put` has it written.
function record.set(j, name, value)
  if type(value) == "number" then value = int(value) end
  if value == "" then value = false end
  local place = PLACE[name]
  if place then
    local fits = not value or not MAY_HAVE_SPACES[name] or not value:find("%s")
    j[place] = fits and value or ""
    if fits and not (MAY_HAVE_SPACES[name] and j.extras) then return end
    if fits then value = false end
  end
  local is_long = value and MAY_BE_LONG[name] and #value > LONG_BYTES
  if is_long or j.long and j.long[name] then set_long(j, name, is_long and value) end
  if is_long then value = false end
  if name == "payload" then
    j.tail = "\n" .. (value or "")
  elseif value then
    j.extras = j.extras or some_extras()
    j.extras[name] = value
  elseif j.extras then
    j.extras[name] = nil
  end
  if j.extras and not next(j.extras) then j.extras = nil end
end

--- Has a job written by the next `flush`.
function record.put(j)
  if not j.is_changed then
    j.is_changed = true
    changed[#changed + 1] = j
  end
end

--- Has the text of a job written by the next `flush`. A table that was made of the text before is no longer the job's.
function record.write(id, text, key)
  local j = loaded[id]
  if j ~= nil then
    if j then j.is_changed = false end
    loaded[id] = nil
  end
  found_texts[id] = text
  local count = #written
  written[count + 1], written[count + 2] = key or P .. "job:" .. id, text
end

--- Keeps a value of a new job that is too long for its record, and names it among its lines.
function record.set_aside(id, lines, name, value)
  soft("HSET", record.long_key(id), name, value)
  local names = { name }
  for of in (lines.long or ""):gmatch("%S+") do names[#names + 1] = of end
  table.sort(names)
  lines[name], lines.long = nil, table.concat(names, " ")
end

--- Forgets a job whose keys are being removed.
function record.forget(j)
  found_texts[j.id], loaded[j.id], j.is_changed = false, false, false
  for index = #written - 1, 1, -2 do
    if written[index] == record.key(j.id) then
      table.remove(written, index)
      table.remove(written, index)
    end
  end
end

--- Writes what was put.
function record.flush()
  for _, j in ipairs(changed) do
    if j.is_changed then
      j.is_changed = false
      local count = #written
      written[count + 1], written[count + 2] = P .. "job:" .. j.id, encode(j)
    end
  end
  for first = 1, #written, 2 * KEYS_MAX do
    redis.call("MSET", unpack(written, first, math.min(first + 2 * KEYS_MAX - 1, #written)))
  end
  if #written > 0 then written = {} end
  if #changed > 0 then changed = {} end
end

--- A field as text, "" when it is absent; long ones are read.
function record.text(j, name)
  if name ~= "payload" then
    local value = j[PLACE[name]] or ""
    if value == "" then value = j.extras and j.extras[name] or "" end
    if value ~= "" then return value end
  end
  if j.long and j.long[name] then
    local value = redis.pcall("HGET", record.long_key(j.id), name)
    return type(value) == "string" and value or ""
  end
  return name == "payload" and j.tail:sub(2) or ""
end

--- The fields that are not too long, by name, as texts; those that are absent are not there.
function record.short_fields(j)
  local fields = {}
  for place, name in ipairs(WORDS) do
    if j[place] ~= "" then fields[name] = j[place] end
  end
  for name, value in pairs(j.extras or {}) do fields[name] = value end
  fields.long = nil
  return fields
end

--- A record, of which the lines are these fields, with what is too long for it.
function record.whole(id, first_line, fields, payload)
  local whole = {}
  for name, value in next, fields do whole[name] = value end
  whole.long = nil
  for name in fields.long:gmatch("%S+") do
    local value = redis.pcall("HGET", record.long_key(id), name)
    value = type(value) == "string" and value or ""
    if name == "payload" then payload = value elseif value ~= "" then whole[name] = value end
  end
  return first_line .. record.in_lines(whole) .. payload
end

--- All fields that are there.
function record.fields(j)
  local fields = record.short_fields(j)
  for name in pairs(j.long or {}) do fields[name] = record.text(j, name) end
  if #j.tail > 1 then fields.payload = j.tail:sub(2) end
  return fields
end
