--[[
  Relaying to a consumer group of a Redis stream.

  An entry that the group has delivered and that is no longer pending was acknowledged. That holds only for the
  group it was added under: one destroyed and made anew would call everything acknowledged. So the group carries a
  consumer of ours whose name is new with every group, and the relay remembers that name. And it holds only for what
  somebody has read: a group that XGROUP SETID moved past an entry has delivered it to nobody.
]]
local stream = {}

local SENTINEL = "reprieve:"
-- How far apart two readings of the clock in one step may be, in ms.
stream.READINGS_MS = 100
-- One more way to lose acknowledgements: a consumer deleted with entries pending. More consumers than this are not
-- looked through for it.
local CONSUMERS_MAX = 1000

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
  for _, list in ipairs(outlet.try("XINFO", "GROUPS", place) or {}) do
    local fields = named(list)
    if fields.name == group then
      local view = {
        delivered = fields["last-delivered-id"], entries_read = fields["entries-read"] or nil, consumers = {}, mark = "",
      }
      for index, consumer in ipairs(outlet.try("XINFO", "CONSUMERS", place, group) or {}) do
        local of = named(consumer)
        view.consumers[of.name] = true
        if of.name:sub(1, #SENTINEL) == SENTINEL then
          view.mark = of.name
        else
          -- Since it was given something, where the server tells that (7.2), else since it asked.
          local idle = tonumber(of.inactive or of.idle) or 0
          if idle >= 0 and idle < (view.idle or math.huge) then view.idle = idle end
        end
        view.many = index > CONSUMERS_MAX
      end
      return view
    end
  end
  return nil
end

-- Whether the group was moved past an entry that no look has seen pending. Nobody has read it when no consumer was given
-- anything since it was added; and where all that the stream has was delivered, a group that has read to its end counts
-- what it read, and one that was moved there does not.
local function is_moved_past(view, relay)
  local time, added_ms = redis.call("TIME"), tonumber(relay.entry:match("^%d+"))
  local age = time[1] * 1000 + math.floor(time[2] / 1000) - added_ms
  -- The entry is younger than the present only where the clock went back, which tells nothing.
  if age >= 0 and (not view.idle or view.idle > age + stream.READINGS_MS) then return true end
  if view.entries_read then return false end
  view.last = view.last or named(outlet.try("XINFO", "STREAM", relay.place) or {})["last-generated-id"]
  return view.last == view.delivered
end

function stream.open(place, group)
  local is = redis.call("TYPE", place).ok
  if is ~= "none" and is ~= "stream" then
    return nil, "the key holds a " .. is .. ", not a stream"
  end
  local view = group_of(place, group)
  if not view then
    -- What already lies in a stream is not ours to hand out.
    local made, wrong = outlet.try("XGROUP", "CREATE", place, group, "$", "MKSTREAM")
    if not made then
      return nil, wrong
    end
    view = { mark = "" }
  end
  if view.mark == "" then
    local time = redis.call("TIME")
    view.mark = SENTINEL .. time[1] .. "." .. time[2]
    local made, wrong = outlet.try("XGROUP", "CREATECONSUMER", place, group, view.mark)
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
  return outlet.try("XADD", context.place, "*", unpack(words))
end

function stream.view(relay)
  return group_of(relay.place, relay.group) or { mark = "" }
end

function stream.look(view, _, j)
  local relay = j.relay
  if view.mark == "" or view.mark ~= relay.mark then
    return "vanished", "", 0, "its stream or consumer group was deleted"
  end
  if after(relay.entry, view.delivered) then
    local entries = outlet.try("XRANGE", relay.place, relay.entry, relay.entry)
    if entries and #entries > 0 then
      return "waiting"
    end
    return "vanished", "", 0, "its entry was removed from the stream before anybody took it"
  end
  local pending = outlet.try("XPENDING", relay.place, relay.group, relay.entry, relay.entry, 1)
  if pending and pending[1] then
    return "taken", pending[1][2], tonumber(pending[1][3])
  end
  -- Whoever acknowledged it may have left before this look, and whoever left with it in its hands did not run it: it is
  -- handed out again, for twice is better than never.
  if not pending or (relay.taken_by ~= "" and not view.many and not view.consumers[relay.taken_by]) then
    return "vanished", "", 0, "its consumer was deleted from the group"
  end
  if relay.taken_by == "" and not view.many and is_moved_past(view, relay) then
    return "vanished", "", 0, "the group was moved past its entry, which nobody had read"
  end
  return "done"
end

function stream.remove(j)
  outlet.try("XACK", j.relay.place, j.relay.group, j.relay.entry)
  outlet.try("XDEL", j.relay.place, j.relay.entry)
  return true
end

function stream.recall(j)
  local groups = outlet.try("XINFO", "GROUPS", j.relay.place)
  -- Other groups may read the stream too: what any of them was given cannot be taken back.
  for _, list in ipairs(groups or {}) do
    if not after(j.relay.entry, named(list)["last-delivered-id"]) then
      return false
    end
  end
  return groups ~= nil and outlet.try("XDEL", j.relay.place, j.relay.entry) == 1
end

-- A stream has no way back to its consumers.
function stream.ask() end

outlet.ways.stream = stream
