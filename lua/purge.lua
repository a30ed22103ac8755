--[[
  Removes ended jobs whose retention is over, with everything that belongs to them.

  KEYS[1]  namespace prefix, "reprieve:{ns}:"
  ARGV[1]  now in ms, or "" for the server's clock
  ARGV[2]  most jobs to remove

  Returns  {count}
  Events   done | dead | cancelled -> -
]]
local now = clock.now(ARGV[1])
local limit = tonumber(ARGV[2])

job.expect(P .. "kept", "zset")
local load = job.loader({}, {})
local jobs, strays = {}, {}
for _, id in ipairs(redis.call("ZRANGE", P .. "kept", "-inf", now, "BYSCORE", "LIMIT", 0, limit)) do
  local j = load(id)
  if j and ENDED[j.state] and job.usable(now, j) then
    table.insert(jobs, j)
  else
    table.insert(strays, { id = id, lives = j and LIVE[j.state] })
  end
end
if #strays > 0 then job.check_quarantine() end

for _, stray in ipairs(strays) do
  redis.call("ZREM", P .. "kept", stray.id)
  if not stray.lives then job.quarantine(now, stray.id) end
end
for _, j in ipairs(jobs) do job.purge(now, j, "janitor") end
job.finish(now)
return { #jobs }
