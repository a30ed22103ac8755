--[[
  Enters jobs into the index of fields of payloads, and says how far it is. Nothing is done where somebody else has gone
  on from the same place, or has begun anew.

  ARGV[2]  the fields              ARGV[3]  `at` as it was found      ARGV[4]  the cursor as it was found
  ARGV[5]  `at` from now on        ARGV[6]  the cursor from now on, "" when all jobs were walked through
  ARGV[7]  whose cursor            ARGV[8]  who enters
  ARGV[9…] an id, then its values, one a line, "" for none

  Returns  {"put" | "moved"}
]]
local now = clock.now(ARGV[1])
local by = assert(ARGV[8], "nobody enters them")
local there = payload_index.read()
if there.fields ~= ARGV[2] or there.at ~= ARGV[3] or there.cursor ~= ARGV[4] then return { "moved" } end

for index = 9, #ARGV - 1, 2 do
  -- A job that was removed after its payload was read has nothing left to be found by.
  local is_there = redis.call("EXISTS", record.key(ARGV[index])) == 1
  payload_index.enter(ARGV[index], is_there and ARGV[index + 1] or "")
end
redis.call("HSET", (payload_index.keys()), "at", ARGV[5], "cursor", ARGV[6], "server", ARGV[7], "by", by, "on_ms", int(now))
return { "put" }
