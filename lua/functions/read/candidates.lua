--[[
  What a filter needs to know of given jobs.

  ARGV[1]  unused            ARGV[2]  "payload" when payloads are needed, or ""
  ARGV[3…] job ids

  Returns  {{labels, payload, row, score} …}, one for each id; the score is the job's in the set of its state, or ""
]]
-- Jobs that wait for a concurrency key stand beyond 1e15, see `concurrency_keys.lua`, and none stands beyond 2e15.
local DIGITS_MAX = 16

local reply = {}
local with_payload = ARGV[2] == "payload"
for index = 3, #ARGV do
  local id = ARGV[index]
  local told, j = candidate(id, with_payload), record.load(id)
  -- A set that somebody has made something else of has no scores.
  local score = j and redis.pcall("ZSCORE", job.set(j.queue, j.state), id)
  told[4] = type(score) == "string" and #score <= DIGITS_MAX and score:find("^%d+$") and score or ""
  table.insert(reply, told)
end
return reply
