--[[
  Ending jobs well, shared by `complete` and `complete_and_claim`: reports are read and judged, and the new records noted (`read`); what
  else such jobs hold is given back later (`give_back`), when the script has checked everything else too.
]]
local complete = {}
do

-- state version attempt ready sequence started worker ended queue kind due subject ahead created_by first
local ACTIVE = "^active (%d+) ([^ \n]* [^ \n]* [^ \n]* )([^ \n]*) ([^ \n]*) [^ \n]* ()([^ \n]+) ([^ \n]+) (%d+) ([^ \n]*) [^ \n]* [^ \n]* ?%d*\n()"

local load = job.loader({ "worker", "spent_as" }, { "token", "spent_token" })

-- Jobs that ended and hold more than their place: a slot of a concurrency key, a unique key, a step of a plan.
local holders

-- The word for a report whose job is not active, or not under that token.
local function judge(now, id, token)
  local j = load(id)
  if not j then
    return "missing"
  end
  local word = job.spent(j, token) or job.lease(j, token)
  return word == "held" and "lost" or word
end

-- What changes in the lines of a job that ends well. Returns until when it is kept, where it says so itself, as text.
local function change(now, lines, token)
  if lines.token then
    -- Else a repeat is told from the version.
    lines.spent_token, lines.spent_as, lines.token, lines.unheard = token, "done", nil, nil
  end
  lines.cancel_ms, lines.heard, lines.concurrency_slot = nil, nil, nil
  local retention_ms = number(lines.retention_ms)
  lines.kept_until_ms = retention_ms and int(now + retention_ms) or nil
  return lines.kept_until_ms
end

-- Counts jobs of a queue that end.
local function end_queue(queue, count)
  local counts = stats.of(queue)
  counts.done = (counts.done or 0) + count
  limits.ends(queue, count)
end

--- Adds the word of each report to `words`: job id and token in turn, as many values as `last` says.
function complete.read(now, values, first, last, words)
  local ids, said, now_text = {}, #words, int(now)
  holders = {}
  for at = first, last, 2 do ids[#ids + 1] = values[at] end
  local texts, keys = record.read(ids)
  local queue_before, kind_before, worker_before, is_kept, leaving, joining, told, counts
  local started_before, run, done_count = nil, nil, 0
  for index = 1, #ids do
    local id, token = ids[index], values[first + 2 * index - 1]
    local text = record.newest(id) or texts[index]
    local version, before, started, worker, rest, queue, kind, due, subject, ends
    if text then version, before, started, worker, rest, queue, kind, due, subject, ends = text:match(ACTIVE) end
    local lines, payload_at
    if version and text:byte(ends) ~= 10 then lines, payload_at = record.lines(text, ends) end
    local holds = version and (lines and lines.token or version) == token and #version <= 15 and #due <= 15
      and (lines or text:byte(ends) == 10)
    if not holds then
      words[said + index] = judge(now, id, token)
    else
      local by = lines and lines.worker or worker
      if queue ~= queue_before and queue_before then
        end_queue(queue_before, done_count)
        done_count = 0
      end
      if queue ~= queue_before or kind ~= kind_before or by ~= worker_before or #told >= JOBS_MAX then
        job.ends_well(now, queue)
        leaving, joining = job.leaving(queue, "active"), job.joining(queue, "done")
        told = events.open(now, "active", "done", queue, kind, "worker:" .. by, "")
        counts = stats.of(queue)
        queue_before, kind_before, worker_before, is_kept = queue, kind, by, false
        job.notes()
      end
      version = following_of(version)
      local behind, kept_until
      if lines then
        local is_slot = lines.concurrency_slot
        kept_until = change(now, lines, token)
        behind = text:sub(rest, ends - 1) .. record.in_lines(lines) .. text:sub(payload_at)
        if is_slot or lines.unique_key or lines.constraints then
          holders[#holders + 1] = { id = id, had_slot = is_slot ~= nil }
        end
      else
        behind = text:sub(rest)
      end
      if kept_until then
        job.keeps(id, kept_until)
      elseif not is_kept then
        job.keep_done(now, queue)
        is_kept = true
      end
      record.write(id, "done " .. version .. " " .. before .. started .. " " .. worker .. " " .. now_text .. " " .. behind, keys[index])
      leaving[#leaving + 1] = id
      local count = #joining
      joining[count + 1], joining[count + 2] = now_text, id
      told[#told + 1] = id .. " " .. version .. " " .. due .. " " .. subject
      if subject ~= "" then job.stands_in_subject(subject, now_text, id) end
      if started ~= started_before then
        started_before, run = started, stats.since("run", now, started ~= "" and started or now_text)
      end
      counts[run] = (counts[run] or 0) + 1
      done_count = done_count + 1
      words[said + index] = "done"
    end
  end
  if queue_before then end_queue(queue_before, done_count) end
end

--- Gives back what else the jobs held that ended; whether that let others in.
function complete.give_back()
  for _, holder in ipairs(holders) do
    local j = record.load(holder.id)
    if j.concurrency_key ~= "" then concurrency_keys.ends(j, "active", holder.had_slot) end
    job.free_unique(j)
    if j.constraints ~= "" then job.constraints().note(j, "active", "done") end
  end
  return #holders > 0
end
end
