--[[
  The sign of life of a worker that claims by calls of its own, as over HTTP: from which queues. Several processes may
  take its claims, so each adds to what the others have said. A name that another sort of worker has stays that one's.

  ARGV[2]  worker            ARGV[3]  ticket of a claim that waits for a job of these queues, else ""
  ARGV[4…] queues it claims from

  Returns  {now, order}, the order being "quiet" or "" (`order_worker.lua`)
]]
local now = clock.of_routine(ARGV[1])
local worker, ticket = ARGV[2], ARGV[3]
-- A queue that it has not claimed from for a minute is not one that it serves: as `WorkerInfo::CLAIM_COUNTS` says.
local SERVED_MS = 60000
-- Queues remembered of one, so that jobs it holds from them are found: as many as one call names.
local QUEUES_MAX = 50
-- As many workers as a screen lists. Names of claimants are the callers' own, so nothing else bounds them.
local CROWD_MAX = 1000
-- A ticket outlives the longest wait of a claim. A wait without a ticket is over.
local TICKET_MS = 60000

if ticket ~= "" then
  for index = 4, #ARGV do redis.call("SET", P .. "waiting:" .. ARGV[index] .. ":" .. worker, ticket, "PX", TICKET_MS) end
end
fleet.check(worker)
fleet.forget(now)
local known, is_taken = fleet.claimant(worker)
if not known and (is_taken or redis.call("ZCARD", P .. "workers") >= CROWD_MAX) then
  return { now, "" }
end
known = known or { claimed_ms = {}, started = now }
local claimed = {}
for queue, at in pairs(known.claimed_ms) do claimed[queue] = tonumber(at) or 0 end
for index = 4, #ARGV do claimed[ARGV[index]] = now end
local latest = {}
for queue in pairs(claimed) do latest[#latest + 1] = queue end
table.sort(latest, function(a, b)
  if claimed[a] ~= claimed[b] then return claimed[a] > claimed[b] end
  return a < b
end)
local served, kept = {}, {}
for index = 1, math.min(#latest, QUEUES_MAX) do
  local queue = latest[index]
  kept[queue] = claimed[queue]
  if claimed[queue] >= now - SERVED_MS then served[#served + 1] = queue end
end
table.sort(served)

local order = fleet.order(worker)
fleet.keep(now, worker, cjson.encode({
  id = worker, host = "", pid = 0, version = "", queues = served, slots = 0, busy = 0, quiet = order ~= "",
  claims = true, claimed_ms = kept, started = tonumber(known.started) or now, seen = now,
}))
return { now, order }
