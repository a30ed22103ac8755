--[[
  The jobs that the index of fields of payloads has in some ranges of values.

  ARGV[1]  unused            ARGV[2]  the fields it has to be of         ARGV[3]  most jobs
  ARGV[4…] where a range begins and ends, as ZRANGE takes it BYLEX

  Returns  {"not"} while it is not complete    {"many"} when there are more
           {"found", `at`, id …}; an id may come more than once
]]
local most = clock.given(ARGV[3])
local there = payload_index.read()
if there.fields ~= ARGV[2] or there.cursor ~= "" then return { "not" } end

local _, values = payload_index.keys()
local count = 0
for index = 4, #ARGV - 1, 2 do
  count = count + redis.call("ZLEXCOUNT", values, ARGV[index], ARGV[index + 1])
  if count > most then return { "many" } end
end
local reply = { "found", there.at }
for index = 4, #ARGV - 1, 2 do
  for _, member in ipairs(redis.call("ZRANGE", values, ARGV[index], ARGV[index + 1], "BYLEX")) do
    reply[#reply + 1] = payload_index.id_of(member)
  end
end
return reply
