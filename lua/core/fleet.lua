--[[
  Who is counted among the workers, shared by `heartbeat` and `announce`.
]]
local fleet = {}
do

-- A day without a sign of life: a person who looks for a lost worker has looked by then.
local KEPT_MS = 86400000
-- At most that many forgotten workers a call.
local FORGET_MAX = 20

--- Makes sure that a worker can be taken down.
function fleet.check(worker)
  job.expect(P .. "workers", "zset")
  job.expect(P .. "worker:" .. worker, "string")
  job.expect(P .. "worker_orders", "hash")
end

--- Forgets one worker.
function fleet.leave(worker)
  redis.call("ZREM", P .. "workers", worker)
  redis.call("DEL", P .. "worker:" .. worker)
  redis.call("HDEL", P .. "worker_orders", worker)
end

--- Forgets those of whom nothing was heard for a day.
function fleet.forget(now)
  local gone = redis.call("ZRANGE", P .. "workers", "-inf", now - KEPT_MS, "BYSCORE", "LIMIT", 0, FORGET_MAX)
  for _, worker in ipairs(gone) do fleet.leave(worker) end
end

--- Takes down what a worker is and does now.
function fleet.keep(now, worker, description)
  redis.call("ZADD", P .. "workers", now, worker)
  redis.call("SET", P .. "worker:" .. worker, description)
end

--- What a worker is to do, "" without an order.
function fleet.order(worker)
  return redis.call("HGET", P .. "worker_orders", worker) or ""
end

--- What a worker said of itself, when it claims by calls of its own; nil of any other, and whether there is one.
function fleet.claimant(worker)
  local text = redis.call("GET", P .. "worker:" .. worker)
  local reads, known = pcall(cjson.decode, text or "")
  if not reads or type(known) ~= "table" or known.claims ~= true or type(known.claimed_ms) ~= "table" then
    return nil, text and true or false
  end
  return known, true
end
end
