--[[
  How far the index of fields of payloads is, and the payloads that are to be entered next.

  ARGV[2]  cursor of the walk through all jobs, "0" at its beginning, or "" for none
  ARGV[3]  how many keys it looks at; about, as SCAN takes it
  ARGV[4…] ids of jobs besides

  Returns  {now, server, fields, at, cursor, the cursor's server, who entered last, when, jobs in the index,
            the next cursor, "0" at the end, {id, payload} …}; a payload is "" where it is not looked into or gone
]]
local now = clock.now(ARGV[1])
local cursor, count = ARGV[2], clock.given(ARGV[3])
local there = payload_index.read()

local ids = {}
for index = 4, #ARGV do ids[#ids + 1] = ARGV[index] end
if cursor ~= "" then
  local prefix = record.key("")
  local found = redis.call("SCAN", cursor, "MATCH", prefix .. "*", "COUNT", int(count))
  cursor = found[1]
  for _, key in ipairs(found[2]) do ids[#ids + 1] = key:sub(#prefix + 1) end
end

local reply = {
  now, clock.server(), there.fields, there.at, there.cursor, there.server, there.by, there.on_ms, there.jobs, cursor,
}
record.fetch(ids)
for _, id in ipairs(ids) do
  local j = record.load(id)
  reply[#reply + 1] = { id, j and payload_looked_into(j) or "" }
end
return reply
