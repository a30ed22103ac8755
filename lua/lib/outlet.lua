--[[
  Jobs that were handed to consumers outside. What a job's record says of it is its `relay`: where its entry
  lies, since when, who took it. An outlet's index holds its jobs by when they were looked at last.

  A relay belongs to the lease under which it was made: once the token is another one, it is only the memory
  of an entry that may still lie about. What kind of place it is (a stream, a list, asynq) is its `way`:

  open(place, group)        makes the place ready; nil and a sentence when that cannot be
  send(context, j, item)    puts the entry there; its name, or nil and a sentence
  view(relay)               what a look at several entries of one place needs to read only once
  look(view, now, j)        "waiting" | "taken" | "done" | "failed" | "ended" (it is not to be tried again) | "expired" |
                            "vanished" (nobody has it: it is handed out again, a few times); who took it; for how many ms;
                            a text. "done" and "ended" need a positive sign: that something is gone is none.
  recall(j)                 true when the entry was removed before anybody could take it
  ask(j)                    tells the consumer to stop, where there is a way to
  remove(j)                 removes what is left of an entry that no longer counts; false when that has to wait
]]
local outlet = { ways = {} }

local read = job.loader({ "relay", "relay_item", "worker" },
  { "token", "lease_until_ms", "cancel_ms", "started_ms", "timeout_ms" })

function outlet.index(name) return P .. "outlet:" .. name end

--- The relay a text stands for, or nil: everything in it is a text.
local function read_relay(text)
  local sound, relay = pcall(cjson.decode, text)
  if not sound or type(relay) ~= "table" or type(relay.way) ~= "string" then
    return nil
  end
  for name, value in pairs(relay) do
    if type(value) ~= "string" then relay[name] = "" end
  end
  for _, name in ipairs({ "outlet", "place", "group", "entry", "mark", "token", "taken_by", "note", "over" }) do
    relay[name] = relay[name] or ""
  end
  return outlet.ways[relay.way] and relay or nil
end

--- Reads a job with its relay, which is false when it has none.
function outlet.load(id)
  local j = read(id)
  if j then
    j.item, j.relay = j.relay_item, read_relay(record.text(j, "relay")) or false
  end
  return j
end

--- Whether the job is with the consumers of its relay: the lease is still the one it was relayed under.
function outlet.holds(j)
  return j.state == "active" and j.relay and j.token and tonumber(j.relay.token) == j.token
end

--- The present lease's relay of a job that a person's verb acts on, or nil.
local function relayed(j)
  local whole = j.state == "active" and outlet.load(j.id)
  return whole and outlet.holds(whole) and whole.relay.over == "" and whole or nil
end

--- Takes a relayed job back before anybody could take it. False when it is not relayed, or too late for that.
function outlet.recall(j)
  local whole = relayed(j)
  return whole ~= nil and outlet.ways[whole.relay.way].recall(whole)
end

--- Tells the consumer of a relayed job to stop, where there is a way to.
function outlet.ask(j)
  local whole = relayed(j)
  if whole then outlet.ways[whole.relay.way].ask(whole) end
end

--- A command on a key that is not ours: what is wrong there must not stop our scripts. Nil when it failed.
function outlet.try(...)
  local reply = redis.pcall(...)
  if type(reply) == "table" and reply.err then
    return nil, reply.err
  end
  return reply
end
