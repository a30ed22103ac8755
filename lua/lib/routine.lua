--[[
  The routine steps of a plain job - taken in, due, started, done - for the
  many jobs of a batch. They leave exactly what `job.create` and `job.move`
  leave, without asking what a plain job answers by being plain: its record
  has no line beyond the first, so it has no constraints, concurrency key, priority or unique
  key, no token of its own, and no cancel that waits.

  Each step but the first reads the text of a record, and returns nothing when
  the job is not plain or not where it should be: then the general way is to
  be taken. Nothing is written before `finish`.
]]
local routine = {}

-- state version attempt ready sequence started worker ended queue kind due subject ahead created_by first
local DELAYED = "^delayed (%d+) (%S*) %S* %S* (%S* %S* %S* )()(%S+) (%S+) (%d+) (%S*) %S* %S* ?%d*\n\n"
local READY = "^ready (%d+) (%d*) (%S*) (%S* )%S* %S* %S* ()(%S+) (%S+) (%d+) (%S*) (%-?%d*) %S* ?%d*\n\n"
local ACTIVE = "^active (%d+) (%S* %S* %S* )(%S*) (%S*) %S* ()(%S+) (%S+) (%d+) (%S*) %S* %S* ?%d*\n\n"

-- Numbers that follow each other, as texts: the jobs of a batch have few versions and attempts. Where the last of these
-- steps left what all jobs of a queue and kind share. Jobs that are due. Who ended the last job.
local following, lines, of_queue, last_queue, last_kind, last_by, last_to, last_worker, last_worker_by
local due_jobs = {}
fresh(function()
  following = { [""] = "1" }
  if next(due_jobs) then due_jobs = {} end
  lines, last_queue, last_kind, last_by, last_to, last_worker = nil, nil, nil, nil, nil, nil
end)
local function following_of(text)
  local next_text = following[text]
  if not next_text then
    next_text = int(tonumber(text) + 1)
    following[text] = next_text
  end
  return next_text
end

--- The version with which a job is started, as a text.
local function token_of(text)
  return clock.epoch == 0 and following_of(text) or int(clock.token(tonumber(text)))
end

local function tell(now, from, to, queue, kind, by, line)
  if lines ~= events.lines or queue ~= last_queue or kind ~= last_kind or by ~= last_by or to ~= last_to
    or #lines >= JOBS_MAX then
    lines = events.open(now, from, to, queue, kind, by, "")
    of_queue = stats.of(queue)
    last_queue, last_kind, last_by, last_to = queue, kind, by, to
  end
  lines[#lines + 1] = line
end

local function count(what)
  of_queue[what] = (of_queue[what] or 0) + 1
end

local ZEROS = "500000000000000"
--- The score of a ready job of the usual priority, for `score` in `move.lua` at less cost.
local function ready_place(sequence_of)
  return ZEROS:sub(1, 15 - #sequence_of) .. sequence_of
end

--- Writes a new job that has nothing but its words and a short payload, `by` having no space. Returns its state and version.
function routine.create(now, id, queue, kind, subject, payload, due_ms, by)
  local due, to, sequence_of, ahead = int(due_ms), "delayed", "", ""
  local place = due
  if due_ms <= now then
    to, sequence_of = "ready", int(job.next_sequence())
    place = ready_place(sequence_of)
    job.wakes(queue)
  end
  if due_ms ~= now then ahead = int(due_ms - now) end
  local first = clock.first_version()
  local version = int(first)
  record.write(id, to .. " " .. version .. "   " .. sequence_of .. "    " .. queue .. " " .. kind .. " " .. due .. " "
    .. subject .. " " .. ahead .. " " .. (by == "client" and "" or by) .. (first > 1 and " " .. version or "") .. "\n\n"
    .. payload)
  join(queue, to, place, id)
  if subject ~= "" then redis.call("ZADD", job.subject(subject), "0", id) end
  tell(now, "", to, queue, kind, by, id .. " " .. version .. " " .. due .. " " .. subject)
  count("enqueued")
  return to, first
end

-- Of a job that is due: id, queue, version, what stands before and behind what changes, kind, due, subject.
local DUE_VALUES = 8

--- Notes a delayed job of a queue whose time has come, for `forward`.
function routine.due(id, queue)
  local text = record.unread(id)
  if not text then
    return false
  end
  local version, attempt, behind, at, found, kind, due, subject = text:match(DELAYED)
  if found ~= queue or #version > 14 or #due > 15 then
    return false
  end
  local count = #due_jobs
  due_jobs[count + 1], due_jobs[count + 2], due_jobs[count + 3], due_jobs[count + 4] = id, queue, following_of(version), attempt
  due_jobs[count + 5], due_jobs[count + 6] = behind .. text:sub(at), kind
  due_jobs[count + 7], due_jobs[count + 8] = due, subject
  return true
end

function routine.due_count() return #due_jobs / DUE_VALUES end

--- Makes ready what was noted. `taken` says that it is out of its set already.
function routine.forward(now, now_text, taken)
  for at = 1, #due_jobs, DUE_VALUES do
    local id, queue, version, attempt, behind, kind, due, subject = unpack(due_jobs, at, at + DUE_VALUES - 1)
    local sequence_of = int(job.next_sequence())
    record.write(id, "ready " .. version .. " " .. attempt .. " " .. now_text .. " " .. sequence_of .. " " .. behind)
    if not taken then leave(queue, "delayed", id) end
    join(queue, "ready", ready_place(sequence_of), id)
    tell(now, "delayed", "ready", queue, kind, "forwarder", id .. " " .. version .. " " .. due .. " " .. subject)
    job.wakes(queue)
  end
  due_jobs = {}
end

--- Starts a ready job of a queue. Returns its record; the caller takes it out of its set.
function routine.start(now, now_text, id, queue, worker, by, lease_until)
  local text = record.unread(id)
  if not text then
    return nil
  end
  local version, attempt, ready, sequence_of, at, found, kind, due, subject, ahead = text:match(READY)
  if found ~= queue or #version > 14 or #attempt > 14 or #due > 15 then
    return nil
  end
  version = token_of(version)
  local started = "active " .. version .. " " .. following_of(attempt) .. " " .. ready .. " " .. sequence_of .. now_text .. " "
    .. worker .. "  " .. text:sub(at)
  record.write(id, started)
  join(queue, "active", lease_until, id)
  tell(now, "ready", "active", queue, kind, by, id .. " " .. version .. " " .. due .. " " .. subject)
  count("started")
  if ready == "" then ready = ahead ~= "" and int(due - (tonumber(ahead) or 0)) or due end
  count(stats.since("wait", now, ready))
  if kind ~= stats.ALERT_KIND then count(stats.since("late", now, due)) end
  return started
end

--- Ends an active job well whose lease has this token, a text. Returns its queue.
function routine.done(now, now_text, id, token)
  local text = record.unread(id)
  if not text then
    return nil
  end
  local version, before, started, worker, at, queue, kind, due, subject = text:match(ACTIVE)
  if version ~= token or #version > 14 then
    return nil
  end
  if worker ~= last_worker then last_worker, last_worker_by = worker, "worker:" .. worker end
  job.ends_well(now, queue)
  version = following_of(version)
  record.write(id, "done " .. version .. " " .. before .. started .. " " .. worker .. " " .. now_text .. " " .. text:sub(at))
  leave(queue, "active", id)
  join(queue, "done", now_text, id)
  if subject ~= "" then job.ends_in_subject(subject, now_text, id) end
  tell(now, "active", "done", queue, kind, last_worker_by, id .. " " .. version .. " " .. due .. " " .. subject)
  count("done")
  count(stats.since("run", now, started ~= "" and started or now_text))
  return queue
end
