--[[
  Begins the index of fields of payloads anew: it is empty, and follows the events from here on while all jobs are walked
  through.

  ARGV[2]  the fields, a JSON array of paths, or "" for no index any more
  ARGV[3]  `at` as it was found, "" for none: who comes later begins nothing
  ARGV[4]  who begins

  Returns  {"begun" | "moved"}
]]
local now = clock.now(ARGV[1])
local fields, by = ARGV[2], assert(ARGV[4], "nobody begins it")
job.expect(P .. "events", "stream")
if payload_index.read().at ~= ARGV[3] then return { "moved" } end

local state, values, jobs = payload_index.keys()
redis.call("UNLINK", state, values, jobs)
if fields ~= "" then
  local last = redis.call("XREVRANGE", P .. "events", "+", "-", "COUNT", 1)[1]
  redis.call("HSET", state, "fields", fields, "at", last and last[1] or "0-0", "cursor", "0", "server", clock.server(),
    "by", by, "on_ms", int(now))
end
return { "begun" }
