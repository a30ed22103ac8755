--[[
  Ends jobs well, one or a batch.

  KEYS[1]  namespace prefix, "reprieve:{ns}:"
  ARGV[1]  now in ms, or "" for the server's clock
  ARGV[2…] job id and token, in turn

  Returns  one word a job: "done" | "lost" | "missing". A repeat with the same token gets the first word.
  Events   active -> done
]]
local now = clock.now(ARGV[1])

local load = job.lease_loader()
local loaded, held, words = {}, {}, {}
for first = 2, #ARGV, 2 do
  local token = ARGV[first + 1]
  -- The same id twice is one job, which the second time has been reported already.
  local j = loaded[ARGV[first]] or load(ARGV[first])
  loaded[ARGV[first]] = j
  local word = "missing"
  if j and job.usable(now, j) then
    word = job.spent(j, token) or job.lease(j, token)
    if word == "held" then
      table.insert(held, j)
      word = "done"
    end
  end
  table.insert(words, word)
end

for _, j in ipairs(held) do
  if j.state == "active" then
    job.ended_attempt(now, j, j.attempt, "done", "")
    stats.took(j, "run", now - (j.started_ms or now))
    job.move(now, j, "done", "worker:" .. j.worker, "", {
      spent_token = j.token, spent_as = "done", lease_until_ms = false, cancel_ms = false,
    })
  end
end
job.finish(now)
return words
