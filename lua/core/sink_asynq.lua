--[[
  Publishing to asynq, for workers in Go: a job becomes a pending task, and asynq's own records tell the rest.

  Each attempt is a task of its own, named by job and token. Its retention is set, so that its completion leaves a
  trace; a task that used up its retries there is found in asynq's archive. asynq's times are those of its servers, in
  whole Unix seconds.

  A task says in a field of its own which job it is of: an importer on the same queue must not take it for anybody's.
]]
do
local asynq = {}

-- A lease is renewed every 5 s for 30 s, and asynq itself takes a lost one back 30 to 90 s after its end. What
-- nobody has taken back by then nobody will.
local LOST_S = 120
-- Old servers of asynq keep no leases. Such a task has its whole timeout, counted from the look that saw it first.
local NO_LEASE = "asynq shows no lease for it"

local function key(queue, name) return "asynq:{" .. queue .. "}:" .. name end

local function task(publication) return key(publication.place, "t:" .. publication.entry) end

local function seconds() return tonumber(redis.call("TIME")[1]) end

--- For how long the lease of an active task is over, in s; nil when it has none.
local function lease_over(publication)
  local lease_end = tonumber(sink.try("ZSCORE", key(publication.place, "lease"), publication.entry) or nil)
  return lease_end and seconds() - lease_end
end

--- Removes a task from wherever it waits or is kept. False when it was nowhere there.
local function take_out(publication)
  local found = sink.try("LREM", key(publication.place, "pending"), 0, publication.entry) or 0
  for _, set in ipairs({ "scheduled", "retry", "archived", "completed" }) do
    found = found + (sink.try("ZREM", key(publication.place, set), publication.entry) or 0)
  end
  return found > 0
end

function asynq.open(place)
  local is = redis.call("TYPE", key(place, "pending")).ok
  if is ~= "none" and is ~= "list" then
    return nil, "the key " .. key(place, "pending") .. " holds a " .. is .. ", not a list"
  end
  -- asynq's dashboard finds queues here, its workers do not need it.
  sink.try("SADD", "asynq:queues", place)
  return { place = place, mark = "" }
end

function asynq.send(context, j, message)
  local entry = j.id .. "." .. int(j.token)
  local hash, time = key(context.place, "t:" .. entry), redis.call("TIME")
  if redis.call("EXISTS", hash) == 1 then
    return nil, "there is such a task already"
  end
  local since = time[1] .. string.format("%06d", tonumber(time[2])) .. "000"
  local set, wrong = sink.try("HSET", hash, "msg", message, "state", "pending", "pending_since", since,
    "x-reprieve", j.id)
  local pushed = set and sink.try("LPUSH", key(context.place, "pending"), entry)
  return pushed and entry, wrong
end

function asynq.view() return {} end

function asynq.look(_, now, j)
  local values = sink.try("HMGET", task(j.publication), "state", "msg") or {}
  local state, message = values[1], values[2]
  if not state and j.publication.taken_by ~= "" then
    -- Nobody but its handler, by RevokeTask, can delete a task that runs, and only a person one that waits for its retry.
    return "ended", "", 0, "its task was deleted in asynq after a worker had taken it (RevokeTask, or by hand)"
  elseif not state then
    return "vanished", "", 0, "its task was deleted in asynq before anybody was seen to take it"
  elseif state == "completed" then
    return "done"
  elseif state == "archived" then
    return "failed", "", 0, message or ""
  elseif state == "active" then
    local over = lease_over(j.publication)
    if over and over > LOST_S then
      return "expired", "", 0, "asynq lost it: its lease ran out and nobody took it back"
    elseif not over then
      local since = j.publication.note == NO_LEASE and number(j.publication.taken_at) or now
      return "taken", "asynq", now - since, NO_LEASE
    end
    return "taken", "asynq", 0, ""
  elseif j.cancel_ms then
    return "vanished", "", 0, "called off between two tries"
  elseif state == "retry" then
    return "taken", "asynq", 0, "failed in asynq, which will try it again"
  end
  return "waiting"
end

function asynq.remove(j)
  local publication = j.publication
  if sink.try("HGET", task(publication), "state") == "active" then
    local over = lease_over(publication)
    if over and over <= LOST_S then
      -- A task that a server runs must not lose its hash: it is told to stop, and removed when it has.
      sink.try("PUBLISH", "asynq:cancel", publication.entry)
      return false
    end
    sink.try("LREM", key(publication.place, "active"), 0, publication.entry)
    sink.try("ZREM", key(publication.place, "lease"), publication.entry)
  end
  take_out(publication)
  sink.try("DEL", task(publication))
  return true
end

function asynq.recall(j)
  -- One that waits for a retry has run, and is called off by the next look.
  if sink.try("HGET", task(j.publication), "state") ~= "pending" or not take_out(j.publication) then
    return false
  end
  sink.try("DEL", task(j.publication))
  return true
end

function asynq.ask(j)
  sink.try("PUBLISH", "asynq:cancel", j.publication.entry)
end

sink.kinds.asynq = asynq
end
