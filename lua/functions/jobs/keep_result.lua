--[[
  Keeps what a running job came to, also on a full Redis: there `note` is
  refused, and the end of the job, which follows, is not. Only the holder of
  the present lease is heard.

  ARGV[2]  job id            ARGV[3]  token            ARGV[4]  the result

  Returns  {"held" | "lost" | "missing"}
  Events   none: a job that speaks does not change
]]
local load = job.loader({}, { "token" })

-- Each call:
clock.of_routine(ARGV[1])
local id, token, result = ARGV[2], ARGV[3], ARGV[4]

local j = load(id)
local word = j and job.lease(j, token) or "missing"
if word == "held" then
  job.hear(j)
  record.set(j, "result", result)
  record.put(j)
  record.flush()
end
return { word }
