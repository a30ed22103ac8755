--[[
  Keeps what running jobs say of themselves: how far they are, lines of their
  log, what they came to. Only the holder of the present lease is heard. Lines of
  a log whose key holds something else are dropped and counted as damage.

  ARGV[2…] for each job: id, token, percent or "", text, "result" or "", the result,
           number of lines n, then n times: age of the line in ms, level, text

  Returns  one word a job: "held" | "lost" | "missing"
  Events   none: a job that speaks does not change
]]
local load = job.loader({}, { "token", "log_lines" })

-- Each call:
local now = clock.of_routine(ARGV[1])

-- A screen shows a few dozen; more than this nobody reads, and each may have a kilobyte.
local LINES_MAX = constants.LOG_LINES_MAX
-- Lines of one command, of which Lua passes at most 8,000 values to one.
local LINES_AT_ONCE = 500

local notes, words = {}, {}
local at = 2
while at <= #ARGV do
  local note = {
    percent = ARGV[at + 2], text = ARGV[at + 3], has_result = ARGV[at + 4] == "result", result = ARGV[at + 5],
    lines = number(ARGV[at + 6]), first = at + 7, ages = {},
  }
  assert(note.lines and note.first - 1 + note.lines * 3 <= #ARGV, "a note has fewer lines than it says")
  for line = 0, note.lines - 1 do
    note.ages[line] = assert(number(ARGV[note.first + line * 3]), "a line has no age")
  end
  note.j = load(ARGV[at])
  local word = note.j and job.lease(note.j, ARGV[at + 1]) or "missing"
  if word == "held" then
    note.damaged = note.lines > 0 and job.damage(job.log(note.j.id), "list") ~= nil
    table.insert(notes, note)
  end
  table.insert(words, word)
  at = note.first + note.lines * 3
end

for _, note in ipairs(notes) do
  local j = note.j
  job.hear(j)
  if note.percent ~= "" then
    record.set(j, "progress", cjson.encode({
      percent = note.percent, text = note.text, at = int(now), attempt = int(j.attempt),
    }))
  end
  if note.has_result then record.set(j, "result", note.result) end
  if note.damaged then
    redis.call("HINCRBY", P .. "meta", "damaged", 1)
  elseif note.lines > 0 then
    for first = 0, note.lines - 1, LINES_AT_ONCE do
      local lines = {}
      for line = first, math.min(first + LINES_AT_ONCE, note.lines) - 1 do
        local place = note.first + line * 3
        lines[#lines + 1] = cjson.encode({
          at = int(now - note.ages[line]), attempt = int(j.attempt), level = ARGV[place + 1], text = ARGV[place + 2],
        })
      end
      redis.call("RPUSH", job.log(j.id), unpack(lines))
    end
    redis.call("LTRIM", job.log(j.id), -LINES_MAX, -1)
    -- Two notes for one job in a call: the second counts on from the first.
    j.log_lines = (j.log_lines or 0) + note.lines
    record.set(j, "log_lines", j.log_lines)
  end
  record.put(j)
end
record.flush()
return words
