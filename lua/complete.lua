--[[
  Ends jobs well, one or a batch.

  KEYS[1]  namespace prefix, "reprieve:{ns}:"
  ARGV[1]  now in ms, or "" for the server's clock
  ARGV[2…] job id and token, in turn

  Returns  one word a job: "done" | "lost" | "missing". A repeat with the same token gets the first word.
  Events   active -> done
]]
local load = job.loader({ "worker", "spent_as" }, { "started_ms", "token", "spent_token", "cancel_ms", "retention_ms" })
local STATES_TOUCHED = { "active", "done" }

-- Each call:
local now = clock.now(ARGV[1])

local ids, loaded, held, words = {}, {}, {}, {}
for first = 2, #ARGV, 2 do ids[#ids + 1] = ARGV[first] end
record.fetch(ids)
local now_text = int(now)
for first = 2, #ARGV, 2 do
  local id, token = ARGV[first], ARGV[first + 1]
  local word = "done"
  if not routine.done(now, now_text, id, token) then
    -- The same id twice is one job, which the second time has been reported already.
    local j = loaded[id] or load(id)
    loaded[id] = j
    word = "missing"
    if j then
      job.check_queue(now, j.queue, STATES_TOUCHED)
      word = job.spent(j, token) or job.lease(j, token)
      if word == "held" then
        table.insert(held, j)
        word = "done"
      end
    end
  end
  words[#words + 1] = word
end

for _, j in ipairs(held) do
  if j.state == "active" then
    stats.took(j, "run", now - (j.started_ms or now))
    -- Otherwise the token is told from the version.
    local as = j.token_kept and "done" or nil
    job.move(now, j, "done", "worker:" .. j.worker, "", job.lease_ends(j, as, {}))
  end
end
job.finish(now)
return words
