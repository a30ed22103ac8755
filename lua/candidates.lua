--[[
  What a filter needs to know of given jobs.

  KEYS[1]  namespace prefix, "reprieve:{ns}:"
  ARGV[1]  unused            ARGV[2]  "payload" when payloads are needed, or ""
  ARGV[3…] job ids

  Returns  {{labels, payload, row} …}, one for each id
]]
local reply = {}
local with_payload = ARGV[2] == "payload"
for index = 3, #ARGV do table.insert(reply, candidate(ARGV[index], with_payload)) end
return reply
