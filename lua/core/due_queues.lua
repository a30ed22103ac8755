--[[
  Queues in which jobs wait for their time. The sorted set `due` has each of them by a time before which none of its delayed and
  retrying jobs is due. A call that puts a job there lowers that time; only a call that has read the queue raises it.
]]
local due_queues = {}
do

-- Queues that one call may find due: a namespace has no more.
local QUEUES_MAX = 1000

-- Queue and list, in turn, of what joins the sets of such jobs in this call; and whether the forwarder is to know.
local joining, calls = {}, false
fresh(function()
  if next(joining) then joining = {} end
  calls = false
end)

--- Notes that a job of a queue waits for this time.
function due_queues.note(queue, at)
  redis.call("ZADD", job.due(), "LT", int(at), queue)
  if clock.next_look and at < clock.next_look then calls = true end
end

--- Notes a list of places and ids, in turn, which joins a set of such jobs.
function due_queues.joins(queue, list)
  joining[#joining + 1], joining[#joining + 2] = queue, list
end

--- Notes the lowest time of each list.
function due_queues.settle()
  for place = 1, #joining, 2 do
    local list, lowest = joining[place + 1], nil
    for at = 1, #list, 2 do
      local due = tonumber(list[at])
      if not lowest or due < lowest then lowest = due end
    end
    -- A list may have been opened for nothing.
    if lowest then due_queues.note(joining[place], lowest) end
  end
  if next(joining) then joining = {} end
end

--- Whether a job is due before the forwarder meant to look.
function due_queues.calls_forwarder() return calls end

--- The queues in which jobs may be due, those first whose time is the lowest.
function due_queues.due_by(now)
  return redis.call("ZRANGE", job.due(), "-inf", now, "BYSCORE", "LIMIT", 0, QUEUES_MAX)
end

--- The lowest due time in a queue, or nil. A set of another type counts as none.
function due_queues.head(queue)
  local lowest
  for state in next, WAITING do
    local head = tonumber(redis.pcall("ZRANGE", job.set(queue, state), 0, 0, "WITHSCORES")[2])
    if head and not (lowest and lowest <= head) then lowest = head end
  end
  return lowest
end

--- Writes the times of queues that were read.
function due_queues.put_right(queues)
  local heads, empty = {}, {}
  for _, queue in ipairs(queues) do
    local head = due_queues.head(queue)
    if head then
      heads[#heads + 1], heads[#heads + 2] = int(head), queue
    else
      empty[#empty + 1] = queue
    end
  end
  if #heads > 0 then redis.call("ZADD", job.due(), unpack(heads)) end
  if #empty > 0 then redis.call("ZREM", job.due(), unpack(empty)) end
end

--- The lowest time of all queues but those that were passed over, so many, by name.
function due_queues.lowest(passed_over, count)
  local first = redis.call("ZRANGE", job.due(), 0, count, "WITHSCORES")
  for at = 1, #first, 2 do
    if not passed_over[first[at]] then return tonumber(first[at + 1]) end
  end
  return nil
end
end
