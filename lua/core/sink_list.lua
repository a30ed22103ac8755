--[[
  Publishing to a Redis list, from which consumers take with BRPOP.

  A list does not tell who took an item, nor whether the work went well: a job is taken once its item is gone, and
  its consumer says how it ended over HTTP or on the reply list.
]]
do
local list = { keeps_item = true }

-- The list may hold more than ours; an item deeper than this counts as taken, and is removed when its time is up.
local DEPTH_MAX = 10000

function list.open(place)
  local is = redis.call("TYPE", place).ok
  if is ~= "none" and is ~= "list" then
    return nil, "the key holds a " .. is .. ", not a list"
  end
  return { place = place, mark = "" }
end

function list.send(context, j, item)
  local pushed, wrong = sink.try("LPUSH", context.place, item)
  return pushed and j.id, wrong
end

function list.view(publication)
  return { empty = sink.try("LLEN", publication.place) == 0 }
end

function list.look(view, now, j)
  local there = not view.empty and sink.try("LPOS", j.publication.place, j.item, "RANK", -1, "MAXLEN", DEPTH_MAX)
  if there then
    return "waiting"
  end
  return "taken", "a consumer of " .. j.publication.place, now - (number(j.publication.taken_at) or now)
end

function list.remove(j)
  sink.try("LREM", j.publication.place, 1, j.item)
  return true
end

function list.recall(j)
  return sink.try("LREM", j.publication.place, 1, j.item) == 1
end

-- A list has no way back to its consumers.
function list.ask() end

sink.kinds.list = list
end
