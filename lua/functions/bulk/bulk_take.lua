--[[
  Takes a step in freezing a bulk run whose jobs are chosen by who asks: by a filter, or one by one on a screen. Keeps
  the ids with the versions that were seen; a job that is not here any more is left out. Where the run is bound to queues,
  jobs of others are left out too, and refused by name where they were picked.

  ARGV[2]  run              ARGV[3]  jobs looked at for this step
  ARGV[4]  where this step began, as text; "" at the beginning
  ARGV[5]  where the next step begins, as text; "" when this was the last
  ARGV[6…] job ids and the versions they were seen at, in turn

  Returns  {"collecting" | "frozen" | …the state it has instead}    {"missing"}
           {"refused", "collecting"}: somebody else has looked on from there
]]
local now = clock.now(ARGV[1])
local run, looked = ARGV[2], clock.given(ARGV[3])
local from, place = assert(ARGV[4], "no place"), assert(ARGV[5], "no next place")

bulk.check(run)
local fields = bulk.load(run)
if not fields then
  return { "missing" }
end
if fields.state ~= "collecting" then
  return { fields.state }
end
-- What was looked at counts once, however many look.
if (fields.at_place or "") ~= from then
  return { "refused", fields.state }
end

local load, only = job.loader({}, {}), bulk.only_in(fields)
local list, foreign = {}, {}
for index = 6, #ARGV, 2 do
  local j, version = load(ARGV[index]), clock.given(ARGV[index + 1])
  if j and only and not only[j.queue] then
    table.insert(foreign, j.id)
  elseif j then
    table.insert(list, { j, version })
  end
end
local full = bulk.gather(run, fields, list)
if fields.picked == "1" then bulk.refuse(now, run, fields, foreign) end
local state = bulk.gathered(now, run, fields, looked, place == "", full)
redis.call("HSET", bulk.key(run), "at_place", place)
clock.keep()
return { state }
