--[[
  Looks at what became of jobs that a sink has published, those first that were not looked at for longest:
  notes who took them, keeps their leases, and tells what is over for the caller to report.

  ARGV[2]  sink
  ARGV[3]  most jobs to look at
  ARGV[4]  lease in ms
  ARGV[5]  how long a consumer may keep a job, in ms, when the job does not say

  Returns  {jobs with the sink, when the first published of those looked at was, in ms, or "",
            what is wrong with a queue whose jobs were passed over, or "",
            {verdict, job id, token, attempt, text} …}; verdict of what is over:
           "done" | "expired" (kept too long) | "vanished" (nobody has it) | "failed" (text is the sink's) |
           "ended" (its consumer does not want it tried again)
  Events   active -> active, when somebody took a job
]]
local now = clock.now(ARGV[1])
local name, most, lease, timeout = ARGV[2], clock.given(ARGV[3]), clock.given(ARGV[4]), clock.given(ARGV[5])
local index = sink.index(name)

job.expect(index, "zset")
local views, found, wrong = {}, {}, nil
for _, id in ipairs(redis.call("ZRANGE", index, 0, most - 1)) do
  local j = sink.load(id)
  local one = { id = id, j = j, verdict = "gone" }
  local is_out = j and sink.holds(j) and j.publication.sink == name
  local damage = is_out and job.damage_of_queue(j.queue)
  if damage then
    -- It waits until that is mended, and holds up no other queue of the sink.
    one.verdict, wrong = "passed over", wrong or damage
  elseif is_out and job.usable(now, j) then
    local publication, of_kind = j.publication, sink.kinds[j.publication.kind]
    local place = publication.kind .. "\n" .. publication.place .. "\n" .. publication.group
    views[place] = views[place] or of_kind.view(publication)
    if publication.over ~= "" then
      one.verdict, one.text = publication.over, publication.text or ""
    else
      one.verdict, one.who, one.idle, one.text = of_kind.look(views[place], now, j)
      local allowed = j.timeout_ms or timeout
      if one.verdict == "taken" and one.idle >= allowed then
        one.verdict, one.text = "expired", one.who .. " did not acknowledge it within " .. int(allowed) .. " ms"
      end
    end
  end
  table.insert(found, one)
end

local over, oldest = {}, nil
for _, one in ipairs(found) do
  local j, verdict = one.j, one.verdict
  if verdict == "gone" then
    local mine = j and j.publication and j.publication.sink == name
    if mine and not sink.kinds[j.publication.kind].remove(j) then
      redis.call("ZADD", index, now, one.id)
    else
      redis.call("ZREM", index, one.id)
      -- What was sent is only needed to find it again.
      if mine and j.item ~= "" then record.set(j, "publication_item", false) record.put(j) end
    end
  elseif verdict == "passed over" then
    redis.call("ZADD", index, now, j.id)
  else
    redis.call("ZADD", index, now, j.id)
    local publication = j.publication
    local note = one.text or ""
    local handed = tonumber(publication.at)
    if handed and handed < (oldest or math.huge) then oldest = handed end
    if verdict == "taken" and (one.who ~= publication.taken_by or note ~= publication.note) then
      publication.taken_by, publication.taken_at, publication.note = one.who, int(now - one.idle), note
      job.move(now, j, "active", "sink:" .. name, note ~= "" and note or "taken by " .. one.who, {
        publication = cjson.encode(publication), worker = one.who, started_ms = now - one.idle, lease_until_ms = now + lease,
      })
    elseif verdict == "waiting" or verdict == "taken" then
      if (j.lease_until_ms or 0) < now + lease / 2 then
        redis.call("ZADD", job.set(j.queue, "active"), now + lease, j.id)
      end
    else
      if (verdict == "expired" or verdict == "vanished") and publication.over == "" then
        -- Taken away from the consumer that may have it, and kept in mind until the caller's report is in.
        sink.kinds[publication.kind].remove(j)
        publication.over, publication.text = verdict, one.text
        record.set(j, "publication", cjson.encode(publication))
        record.put(j)
      end
      table.insert(over, { verdict, j.id, int(j.token), int(j.attempt), one.text or "" })
    end
  end
end
job.finish(now)
table.insert(over, 1, wrong or "")
table.insert(over, 1, oldest and int(oldest) or "")
table.insert(over, 1, redis.call("ZCARD", index))
return over
