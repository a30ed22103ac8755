--[[
  Which jobs that came through an importer would go back to where they came from, and why others would stay.

  ARGV[2]  importer
  ARGV[3…] records of the importer's journal

  Returns  one list a record: {"withdrawn"} (it would go, or is no job here)
           {"changed" | "active" | "ended" | "gone", id, state}
]]
local taken = imported.taken(ARGV[2])
job.expect(taken, "hash")

local records = { unpack(ARGV, 3) }
local known = #records > 0 and redis.call("HMGET", taken, unpack(records)) or {}
local ids = {}
for index = 1, #records do ids[#ids + 1] = (imported.job(known[index] or "")) end
record.fetch(ids)

local load, replies = job.standing_loader(), {}
for index = 1, #records do
  local id, version, due_ms = imported.job(known[index] or "")
  local j = id and load(id)
  local word = id and imported.stays(j, tonumber(version), tonumber(due_ms))
  replies[index] = word and { word, id, j and j.state or "" } or { "withdrawn" }
end
return replies
