--[[
  What a claim may take from a queue that people have set limits for: so many jobs at once over all processes,
  and so many in a span of time. The rate is a bucket that holds as many as one span gives; its credit is kept in
  whole numbers (a job costs `period_ms`, a millisecond gives `rate`), so that it is exact to the millisecond.
]]
local limits = {}
do
-- Jobs of a queue that this call ends, as long as they stand among the active ones.
local ending = {}
fresh(function()
  limits.wait_ms = nil
  if next(ending) then ending = {} end
end)

--- Notes that this call ends so many jobs of a queue: their places are free.
function limits.ends(queue, count) ending[queue] = (ending[queue] or 0) + count end

--- Tells that the jobs which this call ends have left their sets.
function limits.settled() ending = {} end

--- How many of `most` jobs may start now. `limits.wait_ms` tells after how long the rate allows the next.
function limits.room(now, queue, most)
  local of = concurrency_keys.rules(queue)
  local concurrency, rate, period = number(of.concurrency), number(of.rate), number(of.period_ms)
  if concurrency then
    local active = redis.call("ZCARD", job.set(queue, "active")) - (ending[queue] or 0)
    most = math.min(most, concurrency - active)
  end
  if rate and period and rate > 0 and period > 0 then
    local full = rate * period
    local credit, filled = number(of.credit) or full, number(of.filled_ms) or now
    of.is_ahead = filled > now
    of.spendable = math.min(full, credit + math.max(now - filled, 0) * rate)
    local allowed = math.floor(of.spendable / period)
    if allowed < most then
      most = allowed
      local wait = math.ceil((period - of.spendable % period) / rate)
      limits.wait_ms = math.min(limits.wait_ms or wait, wait)
    end
    of.cost = period
  end
  return math.max(most, 0)
end

--- The fields of the credit that a queue has left under another rate, or none: what started counts on. The same rate keeps
--- it to the part, another one gets the same share of what it gives.
function limits.credit_under(now, queue, rate, period)
  local of = redis.call("HMGET", job.limits(queue), "rate", "period_ms", "credit", "filled_ms")
  local old_rate, old_period, credit, filled = number(of[1]), number(of[2]), number(of[3]), number(of[4])
  if not (rate and period and credit and filled) or (old_rate or 0) * (old_period or 0) == 0 then
    return {}
  end
  if rate == old_rate and period == old_period then
    return { "credit", of[3], "filled_ms", of[4] }
  end
  local full = old_rate * old_period
  local share = math.min(full, credit + math.max(now - filled, 0) * old_rate) / full
  return { "credit", int(math.floor(share * rate * period)), "filled_ms", int(now) }
end

--- Takes what started from the credit of its queue.
function limits.spend(now, queue, started)
  local of = concurrency_keys.rules(queue)
  if of.cost and started > 0 then
    of.credit, of.filled_ms, of.is_ahead = int(of.spendable - started * of.cost), int(now), false
    redis.call("HSET", job.limits(queue), "credit", of.credit, "filled_ms", of.filled_ms)
  end
end

--- Counts from now what was filled by a clock that was ahead: without it the queue would start nothing until that time.
function limits.put_right(now, queue)
  local of = concurrency_keys.rules(queue)
  if of.is_ahead then
    of.filled_ms, of.is_ahead = int(now), false
    redis.call("HSET", job.limits(queue), "filled_ms", of.filled_ms)
  end
end
end
