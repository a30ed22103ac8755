--[[
  Calling jobs off, shared by all verbs that do; and taking that back, shared by `reinstate` and bulk runs.

  A job that is in nobody's hands is read and checked, and its new record noted (`read`); what else it holds is given back
  when the script has checked everything else too (`give_back`).
]]
local cancel = {}
do

-- state version attempt ready sequence started worker ended queue kind due subject ahead created_by first
local WAITS = "^(%l+) (%d+) ([^ \n]* [^ \n]* [^ \n]* )([^ \n]*) ([^ \n]*) [^ \n]* ()"
  .. "([^ \n]+) ([^ \n]+) (%d+) ([^ \n]*) ([^ \n]*) [^ \n]* ?%d*\n()"

-- Jobs that hold more than their place, and from where they were called off.
local holders = {}
-- What jobs share that are called off one after the other.
local run = {}
fresh(function()
  if next(holders) then holders = {} end
  run.told = nil
end)

-- The lines that say who called a job off and why, as those of a job that has no others.
local function lines_of(by, why, from, kept_until)
  if by ~= run.line_by or why ~= run.line_why then
    run.line_by, run.by_line = by, record.in_lines({ by = by ~= "" and by or nil }):sub(1, -2)
    run.line_why, run.why_line = why, record.in_lines({ why = why ~= "" and why or nil })
  end
  return run.by_line .. "cancelled_from=" .. from .. "\nkept_until_ms=" .. kept_until .. "\n" .. run.why_line
end

--- Notes that a job is called off which is in nobody's hands. Returns the state it had, its queue, and where it stands now,
--- as `job.standing` says it, but in one text unless `in_list`; nil where it is no such job, has not that version, or is not of
--- `of_subject`, where that is given.
function cancel.read(now, id, seen, by, why, in_list, text, key, of_subject)
  text = record.newest(id) or text
  if not text then
    return nil
  end
  local from, version, before, started, worker, rest, queue, kind, due, subject, ahead, ends = text:match(WAITS)
  if not LIVE[from] or from == "active" or #version > 15 or #due > 15 or of_subject and subject ~= of_subject then
    return nil
  end
  local lines, payload_at
  if text:byte(ends) ~= 10 then
    lines, payload_at = record.lines(text, ends)
    if not lines then
      return nil
    end
  end
  if seen ~= "" and tonumber(seen) ~= tonumber(version) then
    return nil
  end
  job.check_queue(now, queue)
  if subject ~= "" then expect(job.subject(subject), "zset") end
  local now_text, due_ms = int(now), tonumber(due)
  local kept_ms, undo_ms = retention("cancelled", queue)
  local kept_until = int(math.max(now + (lines and number(lines.retention_ms) or kept_ms), due_ms + undo_ms))
  version = following_of(version)
  local head = "cancelled " .. version .. " " .. before .. started .. " " .. worker .. " " .. now_text .. " "
  if lines then
    if lines.unique_key then expect(job.unique(lines.unique_key), "string") end
    if lines.unique_key or lines.constraints or lines.concurrency_key then
      holders[#holders + 1] = { id = id, from = from, had_slot = lines.concurrency_slot ~= nil }
    end
    lines.by, lines.why = by ~= "" and by or nil, why ~= "" and why or nil
    lines.cancelled_from, lines.kept_until_ms, lines.concurrency_slot = from, kept_until, nil
    record.write(id, head .. text:sub(rest, ends - 1) .. record.in_lines(lines) .. text:sub(payload_at), key)
    worker = lines.worker or worker
  else
    record.write(id, head .. text:sub(rest, ends - 1) .. lines_of(by, why, from, kept_until) .. text:sub(ends + 1), key)
  end
  job.keeps(id, kept_until)
  if run.told ~= events.lines or from ~= run.from or queue ~= run.queue or kind ~= run.kind or by ~= run.by
    or why ~= run.why or #run.told >= JOBS_MAX then
    run.told, run.counts = events.open(now, from, "cancelled", queue, kind, by, why), stats.of(queue)
    run.from, run.queue, run.kind, run.by, run.why = from, queue, kind, by, why
    job.notes()
  end
  local told, counts, leaving, joining = run.told, run.counts, job.leaving(queue, from), job.joining(queue, "cancelled")
  leaving[#leaving + 1] = id
  local count = #joining
  joining[count + 1], joining[count + 2] = now_text, id
  told[#told + 1] = id .. " " .. version .. " " .. due .. " " .. subject
  counts.cancelled = (counts.cancelled or 0) + 1
  if subject ~= "" then job.stands_in_subject(subject, now_text, id) end
  local created = record.created(due, ahead)
  -- What no program could read is left out of the answer.
  if not number(started) then started = "" end
  if in_list or worker:find("%s") then
    return from, queue, { "cancelled", id, "cancelled", version, due, started, now_text, worker, now_text, created }
  end
  return from, queue, "cancelled " .. id .. " cancelled " .. version .. " " .. due .. " " .. started .. " " .. now_text .. " "
    .. worker .. " " .. now_text .. " " .. created
end

--- Gives back what else the jobs held that were called off.
function cancel.give_back()
  local all = holders
  holders = {}
  for _, holder in ipairs(all) do
    local j = record.load(holder.id)
    if j.concurrency_key ~= "" then concurrency_keys.ends(j, holder.from, holder.had_slot) end
    job.free_unique(j)
    if j.constraints ~= "" then job.constraints().note(j, holder.from, "cancelled") end
  end
end

--- Calls off a job that was read and checked. The word for what was done: "cancelled", "requested" (it runs: its worker is
--- told) or "already_finished"; and whether that changed anything, which "already_finished" and a second request do not.
function cancel.one(now, j, by, why)
  if ENDED[j.state] then
    return "already_finished", false
  end
  if j.state ~= "active" then
    cancel.read(now, j.id, "", by, why)
    cancel.give_back()
    j.state, j.version, j.ended_ms = "cancelled", j.version + 1, now
    return "cancelled", true
  end
  if sink.recall(j) then
    -- Handed out, but in nobody's hands: as good as one that waits for a worker.
    job.move(now, j, "cancelled", by, why, {
      cancelled_from = "ready", attempt = math.max(j.attempt - 1, 0), lease_until_ms = false, cancel_ms = false,
    })
    return "cancelled", true
  end
  if j.cancel_ms then
    return "requested", false
  end
  sink.ask(j)
  job.move(now, j, "active", by, why, { cancel_ms = now })
  return "requested", true
end
--- Where a job goes whose cancel is taken back, what changes with that, and whether it waited for others. It is put back
--- as it was: what a person held is held. While its plan is held it is held with it, and no longer than that. A step has
--- moved along where its plan has: then its time is among the changes.
function cancel.way_back(j)
  local changes = { cancelled_from = false, due_ms = job.constraints().moved_ms(j) }
  -- One that was stopped in its last attempt gets another, or it would wait for nothing.
  if j.max_attempts and j.attempt >= j.max_attempts then changes.max_attempts = j.attempt + 1 end
  local was_held = j.cancelled_from == "held"
  local waited = was_held and j.gated ~= ""
  if was_held and not waited and not j.plan_held_ms then
    return "held", changes, false
  end
  local plan_held_ms = job.constraints().plan_held_ms(j)
  changes.gated, changes.plan_held_ms = false, plan_held_ms or false
  return plan_held_ms and "held" or "delayed", changes, waited
end

--- Whether a job, by its fields as texts, is held again by that way: a person held it by itself.
function cancel.holds_again(f)
  return f.state == "cancelled" and f.cancelled_from == "held" and f.gated == "" and f.plan_held_ms == ""
end
end
