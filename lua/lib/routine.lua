--[[
  The routine steps of a plain job - taken in, due, started, done - for the
  many jobs of a batch. They leave exactly what `job.create` and `job.move`
  leave, without asking what a plain job answers by being plain: its record
  has no field beyond the words of its first line, so it has no terms, no
  lane, no priority, no unique key, no token of its own, no cancel that waits.

  Each step reads the text of a record and returns nothing when the job is
  not plain or not where it should be; then the general way is to be taken.
  Nothing is written before `finish`.
]]
local routine = {}

-- state, then: version attempt ready sequence started worker ended queue kind due subject created created_by
local PLAIN_DELAYED = "^delayed (%d+) (%S* %S*) %S* (%S* %S* %S*) ()(%S+) (%S+) (%d+) (%S*) %S* %S*\n\n"
local PLAIN_READY = "^ready (%d+) (%S*) (%S*) (%S*) %S* %S* %S* ()(%S+) (%S+) (%d+) (%S*) (%S*) %S*\n\n"
local PLAIN_ACTIVE = "^active (%d+) (%S* %S* %S* )(%S*) (%S*) %S* ()(%S+) (%S+) (%d+) (%S*) %S* %S*\n\n"

-- The version after each: the jobs of a batch have few.
local following = {}

local function after(version)
  local next_version = following[version]
  if not next_version then
    next_version = int(tonumber(version) + 1)
    following[version] = next_version
  end
  return next_version
end
