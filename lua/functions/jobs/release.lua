--[[
  Gives active jobs back to ready at a worker's shutdown, at their old place
  in the queue and without costing an attempt; too often ends the job. A step
  whose plan is held by now is held with it.

  ARGV[2]  why
  ARGV[3…] job id and token, in turn

  Returns  one word a job: "ready" | "plan_held" | "dead" | "cancelled" | "lost" | "missing". A repeat with the same token
           gets the first word.
  Events   active -> ready | held | dead, or active -> cancelled when a cancel was waiting
]]
local now = clock.of_routine(ARGV[1])
local why = ARGV[2]

local load = job.lease_loader()
local loaded, held, words = {}, {}, {}
for first = 3, #ARGV, 2 do
  local token = ARGV[first + 1]
  -- The same id twice is one job, which the second time has been reported already.
  local j = loaded[ARGV[first]] or load(ARGV[first])
  loaded[ARGV[first]] = j
  local word = "missing"
  if j and job.usable(now, j) then
    word = job.spent(j, token) or job.lease(j, token)
    if word == "held" then
      table.insert(held, j)
      word = j.cancel_ms and "cancelled" or job.ends_taken_back(j) and "dead"
        or job.constraints().plan_held_ms(j) and "plan_held" or "ready"
    end
  end
  table.insert(words, word)
end

for _, j in ipairs(held) do
  if j.state == "active" then
    local to, said, changes = "cancelled", why, { attempt = math.max(j.attempt - 1, 0) }
    if not j.cancel_ms then to, said = job.taken_back(j, "ready", why, changes) end
    if to == "ready" then changes.sequence = j.sequence end
    job.end_lease(now, j, to, said, "released", why, changes)
  end
end
job.finish(now)
return words
