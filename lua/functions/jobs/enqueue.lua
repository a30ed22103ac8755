--[[
  Takes jobs in, one or a batch. A job whose time has come is ready at once. One that a person enqueues by hand stands
  in the audit; there is no entry where nothing was enqueued.

  ARGV[2]  actor
  ARGV[3…] the values of each job, see `core/intake.lua`

  Returns  one list a job: {"delayed" | "ready", id, due, now, version}
           {"replaced" | "debounced" | "exists", id, state, version, due, started, ended, worker, now}
           {"duplicate", id, holder}    {"subject_full", id}
  Events   - -> delayed | ready, <waiting state> -> delayed | ready when replaced
]]
local now = clock.of_routine(ARGV[1])
local actor = ARGV[2]

local batch = {}
for first = 3, #ARGV, intake.VALUES do
  local new = ARGV[first + 6] ~= "" and intake.read(now, ARGV, first, actor)
  if new and new.options.by_hand then job.expect(P .. "audit", "stream", true) end
  batch[#batch + 1] = new
end
intake.check(now, batch, ARGV, 3)

local replies = {}
for index = 1, #batch do
  local new = batch[index]
  if not new then
    replies[index] = intake.take_plain(now, ARGV, 3 + (index - 1) * intake.VALUES, actor)
  else
    local reply = intake.take(now, new)
    local word = reply[1]
    if new.options.by_hand and word ~= "exists" and word ~= "duplicate" and word ~= "subject_full" then
      local by, state = new.by, (word == "delayed" or word == "ready") and word or reply[3]
      audit.add(now, by, "enqueue", new.id, new.why, word, "", state, { queue = new.queue })
    end
    replies[index] = reply
  end
end
job.finish(now)
return replies
