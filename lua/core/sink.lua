--[[
  Jobs that were handed to consumers outside. What a job's record says of it is its `publication`: where its entry
  lies, since when, who took it. A sink's index holds its jobs by when they were looked at last.

  A publication belongs to the lease under which it was made: once the token is another one, it is only the memory
  of an entry that may still lie about. What kind of place it is (a stream, a list, asynq) is its `kind`:

  open(place, group)        makes the place ready; nil and a sentence when that cannot be
  send(context, j, item)    puts the entry there; its name, or nil and a sentence
  view(publication)               what a look at several entries of one place needs to read only once
  look(view, now, j)        "waiting" | "taken" | "done" | "failed" | "ended" (it is not to be tried again) | "expired" |
                            "vanished" (nobody has it: it is published again, a few times); who took it; for how many ms;
                            a text. "done" and "ended" need a positive sign: that something is gone is none.
  recall(j)                 true when the entry was removed before anybody could take it
  ask(j)                    tells the consumer to stop, where it can be told
  remove(j)                 removes what is left of an entry that no longer counts; false when that has to wait
]]
local sink = { kinds = {} }
do

local read = job.loader({ "publication", "publication_item", "worker" },
  { "token", "lease_until_ms", "cancel_ms", "started_ms", "timeout_ms" })

function sink.index(name) return P .. "sink:" .. name end

--- The publication a text stands for, or nil: everything in it is a text.
local function read_publication(text)
  local sound, publication = pcall(cjson.decode, text)
  if not sound or type(publication) ~= "table" or type(publication.kind) ~= "string" then
    return nil
  end
  for name, value in pairs(publication) do
    if type(value) ~= "string" then publication[name] = "" end
  end
  for _, name in ipairs({ "sink", "place", "group", "entry", "mark", "token", "taken_by", "note", "over" }) do
    publication[name] = publication[name] or ""
  end
  return sink.kinds[publication.kind] and publication or nil
end

--- Reads a job with its publication, which is false when it has none.
function sink.load(id)
  local j = read(id)
  if j then
    j.item, j.publication = j.publication_item, read_publication(record.text(j, "publication")) or false
  end
  return j
end

--- Whether the job is with the consumers of its publication: the lease is still the one it was published under.
function sink.holds(j)
  return j.state == "active" and j.publication and j.token and tonumber(j.publication.token) == j.token
end

--- The present lease's publication of a job that a person's verb acts on, or nil.
local function published(j)
  local whole = j.state == "active" and sink.load(j.id)
  return whole and sink.holds(whole) and whole.publication.over == "" and whole or nil
end

--- Takes a published job back before anybody could take it. False when it is not published, or too late for that.
function sink.recall(j)
  local whole = published(j)
  return whole ~= nil and sink.kinds[whole.publication.kind].recall(whole)
end

--- Tells the consumer of a published job to stop, where it can be told.
function sink.ask(j)
  local whole = published(j)
  if whole then sink.kinds[whole.publication.kind].ask(whole) end
end

--- A command on a key that is not ours: what is wrong there must not stop our scripts. Nil when it failed.
function sink.try(...)
  local reply = redis.pcall(...)
  if type(reply) == "table" and reply.err then
    return nil, reply.err
  end
  return reply
end
end
