--[[
  Publishing to a consumer group of a Redis stream.

  An entry that the group has delivered and that is no longer pending was acknowledged. That holds only for the
  group it was added under: one destroyed and made anew would call everything acknowledged. So the group carries a
  consumer of ours whose name is new with every group, and the publication remembers that name. And it holds only for what
  somebody has read: a group that XGROUP SETID moved past an entry has delivered it to nobody.
]]
do
local stream = {}

local SENTINEL = "reprieve:"
-- How far apart two readings of the clock in one step may be, in ms.
stream.READINGS_MS = 100

--- The flat list of names and values that XINFO gives, as a table.
local function named(list)
  local fields = {}
  for index = 1, #list, 2 do fields[list[index]] = list[index + 1] end
  return fields
end

--- Whether stream id `a` comes after `b`.
local function after(a, b)
  local a_ms, a_seq = a:match("^(%d+)-(%d+)$")
  local b_ms, b_seq = b:match("^(%d+)-(%d+)$")
  a_ms, a_seq, b_ms, b_seq = tonumber(a_ms), tonumber(a_seq), tonumber(b_ms), tonumber(b_seq)
  if not a_ms or not b_ms then
    return false
  end
  return a_ms > b_ms or (a_ms == b_ms and a_seq > b_seq)
end

--- The group as it is now: last delivered id, our mark, its consumers. Nil when there is none.
local function group_of(place, group)
  for _, list in ipairs(sink.try("XINFO", "GROUPS", place) or {}) do
    local fields = named(list)
    if fields.name == group then
      local view = {
        delivered = fields["last-delivered-id"], entries_read = fields["entries-read"] or nil, consumers = {}, mark = "",
      }
      for _, consumer in ipairs(sink.try("XINFO", "CONSUMERS", place, group) or {}) do
        local of = named(consumer)
        view.consumers[of.name] = true
        if of.name:sub(1, #SENTINEL) == SENTINEL then
          view.mark = of.name
        else
          -- Since it was given something, where the server tells that (7.2), else since it asked.
          local idle = tonumber(of.inactive or of.idle) or 0
          if idle >= 0 and idle < (view.idle or math.huge) then view.idle = idle end
        end
      end
      return view
    end
  end
  return nil
end

-- Whether the group was moved past an entry that no look has seen pending. Nobody has read it when no consumer was given
-- anything since it was added; and where all that the stream has was delivered, a group that has read to its end counts
-- what it read, and one that was moved there does not.
local function is_moved_past(view, publication)
  local time, added_ms = redis.call("TIME"), tonumber(publication.entry:match("^%d+"))
  local age = time[1] * 1000 + math.floor(time[2] / 1000) - added_ms
  -- The entry is younger than the present only where the clock went back, which tells nothing.
  if age >= 0 and (not view.idle or view.idle > age + stream.READINGS_MS) then return true end
  if view.entries_read then return false end
  view.last = view.last or named(sink.try("XINFO", "STREAM", publication.place) or {})["last-generated-id"]
  return view.last == view.delivered
end

function stream.open(place, group)
  local is = redis.call("TYPE", place).ok
  if is ~= "none" and is ~= "stream" then
    return nil, "the key holds a " .. is .. ", not a stream"
  end
  local view = group_of(place, group)
  if not view then
    -- What already lies in a stream is not ours to publish.
    local made, wrong = sink.try("XGROUP", "CREATE", place, group, "$", "MKSTREAM")
    if not made then
      return nil, wrong
    end
    view = { mark = "" }
  end
  if view.mark == "" then
    local time = redis.call("TIME")
    view.mark = SENTINEL .. time[1] .. "." .. time[2]
    local made, wrong = sink.try("XGROUP", "CREATECONSUMER", place, group, view.mark)
    if not made then
      return nil, wrong
    end
  end
  return { place = place, mark = view.mark }
end

function stream.send(context, j, reply)
  local payload, headers, max_attempts, created_ms = job.content(j.id)
  local words = {
    "id", j.id, "token", int(j.token), "queue", j.queue, "kind", j.kind, "subject", j.subject,
    "payload", payload, "headers", headers ~= "" and headers or "{}", "attempt", int(j.attempt),
    "max_attempts", max_attempts, "due_ms", int(j.due_ms), "created_ms", created_ms,
  }
  if reply ~= "" then
    table.insert(words, "reply")
    table.insert(words, reply)
  end
  return sink.try("XADD", context.place, "*", unpack(words))
end

function stream.view(publication)
  return group_of(publication.place, publication.group) or { mark = "" }
end

function stream.look(view, _, j)
  local publication = j.publication
  if view.mark == "" or view.mark ~= publication.mark then
    return "vanished", "", 0, "its stream or consumer group was deleted"
  end
  if after(publication.entry, view.delivered) then
    local entries = sink.try("XRANGE", publication.place, publication.entry, publication.entry)
    if entries and #entries > 0 then
      return "waiting"
    end
    return "vanished", "", 0, "its entry was removed from the stream before anybody took it"
  end
  local pending = sink.try("XPENDING", publication.place, publication.group, publication.entry, publication.entry, 1)
  if pending and pending[1] then
    return "taken", pending[1][2], tonumber(pending[1][3])
  end
  -- A consumer that acknowledged it may have left before this look, and one that left with it in its hands did not run it:
  -- it is published again, for twice is better than never.
  if not pending or (publication.taken_by ~= "" and not view.consumers[publication.taken_by]) then
    return "vanished", "", 0, "its consumer was deleted from the group"
  end
  if publication.taken_by == "" and is_moved_past(view, publication) then
    return "vanished", "", 0, "the group was moved past its entry, which nobody had read"
  end
  return "done"
end

function stream.remove(j)
  sink.try("XACK", j.publication.place, j.publication.group, j.publication.entry)
  sink.try("XDEL", j.publication.place, j.publication.entry)
  return true
end

function stream.recall(j)
  local groups = sink.try("XINFO", "GROUPS", j.publication.place)
  -- Other groups may read the stream too: what any of them was given cannot be taken back.
  for _, list in ipairs(groups or {}) do
    if not after(j.publication.entry, named(list)["last-delivered-id"]) then
      return false
    end
  end
  return groups ~= nil and sink.try("XDEL", j.publication.place, j.publication.entry) == 1
end

-- A stream has no way back to its consumers.
function stream.ask() end

sink.kinds.stream = stream
end
