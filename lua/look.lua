--[[
  Looks at what became of jobs that an outlet has handed out, those first that were not looked at for longest:
  notes who took them, keeps their leases, and tells what is over for the caller to report.

  KEYS[1]  namespace prefix, "reprieve:{ns}:"
  ARGV[1]  now in ms, or "" for the server's clock
  ARGV[2]  outlet
  ARGV[3]  most jobs to look at
  ARGV[4]  lease in ms
  ARGV[5]  how long a consumer may keep a job, in ms, when the job does not say

  Returns  {jobs with the outlet, when the first handed out of those looked at was, in ms, or "",
            what is wrong with a queue whose jobs were passed over, or "",
            {verdict, job id, token, attempt, text} …}; verdict of what is over:
           "done" | "expired" (kept too long) | "vanished" (nobody has it) | "failed" (text is the way's) |
           "ended" (its consumer does not want it tried again)
  Events   active -> active, when somebody took a job
]]
local now = clock.now(ARGV[1])
local name, most, lease, timeout = ARGV[2], clock.given(ARGV[3]), clock.given(ARGV[4]), clock.given(ARGV[5])
local index = outlet.index(name)

job.expect(index, "zset")
local views, found, wrong = {}, {}, nil
for _, id in ipairs(redis.call("ZRANGE", index, 0, most - 1)) do
  local j = outlet.load(id)
  local one = { id = id, j = j, verdict = "gone" }
  local is_out = j and outlet.holds(j) and j.relay.outlet == name
  local damage = is_out and job.damage_of_queue(j.queue)
  if damage then
    -- It waits until that is mended, and holds up no other queue of the outlet.
    one.verdict, wrong = "passed over", wrong or damage
  elseif is_out and job.usable(now, j) then
    local relay, way = j.relay, outlet.ways[j.relay.way]
    local place = relay.way .. "\n" .. relay.place .. "\n" .. relay.group
    views[place] = views[place] or way.view(relay)
    if relay.over ~= "" then
      one.verdict, one.text = relay.over, relay.text or ""
    else
      one.verdict, one.who, one.idle, one.text = way.look(views[place], now, j)
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
    local mine = j and j.relay and j.relay.outlet == name
    if mine and not outlet.ways[j.relay.way].remove(j) then
      redis.call("ZADD", index, now, one.id)
    else
      redis.call("ZREM", index, one.id)
      -- What was sent is only needed to find it again.
      if mine and j.item ~= "" then record.set(j, "relay_item", false) record.put(j) end
    end
  elseif verdict == "passed over" then
    redis.call("ZADD", index, now, j.id)
  else
    redis.call("ZADD", index, now, j.id)
    local relay = j.relay
    local note = one.text or ""
    local handed = tonumber(relay.at)
    if handed and handed < (oldest or math.huge) then oldest = handed end
    if verdict == "taken" and (one.who ~= relay.taken_by or note ~= relay.note) then
      relay.taken_by, relay.taken_at, relay.note = one.who, int(now - one.idle), note
      job.move(now, j, "active", "outlet:" .. name, note ~= "" and note or "taken by " .. one.who, {
        relay = cjson.encode(relay), worker = one.who, started_ms = now - one.idle, lease_until_ms = now + lease,
      })
    elseif verdict == "waiting" or verdict == "taken" then
      if (j.lease_until_ms or 0) < now + lease / 2 then
        redis.call("ZADD", job.set(j.queue, "active"), now + lease, j.id)
      end
    else
      if (verdict == "expired" or verdict == "vanished") and relay.over == "" then
        -- Taken away from whoever may have it, and kept in mind until the caller's report is in.
        outlet.ways[relay.way].remove(j)
        relay.over, relay.text = verdict, one.text
        record.set(j, "relay", cjson.encode(relay))
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
