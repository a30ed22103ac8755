--[[
  The people who may sign in and their sessions.

  `people` keeps each person as JSON under the name; what is kept of a session stands in a hash of its own under the
  hash of its id, which ends by itself, and `sessions:<name>` says which ones there are of a person.
]]
local person = {}
do

-- More than this many people want a directory of their own in front of this.
person.PEOPLE_MAX = 500
-- Browsers one person is signed in with; the one that was idle longest makes room.
person.SESSIONS_MAX = 20

function person.key() return P .. "people" end
function person.session(hash) return P .. "session:" .. hash end
function person.sessions(name) return P .. "sessions:" .. name end

--- What is kept of somebody, or nil.
function person.load(name)
  local text = redis.call("HGET", person.key(), name)
  return text and cjson.decode(text)
end

--- Changes what is known of somebody: texts under names, where "" forgets one.
function person.change(known, patch)
  for field, value in pairs(patch) do
    if value == "" then known[field] = nil else known[field] = value end
  end
end

--- Keeps what is known of somebody as their next revision.
function person.keep(name, known)
  known.revision = int(tonumber(known.revision) + 1)
  redis.call("HSET", person.key(), name, cjson.encode(known))
end

--- Whether somebody can sign in and decide who else may. Who is bound to queues does not.
function person.decides(known)
  return known.role == "admin" and (known.queues or "") == "" and known.disabled ~= "1"
    and (known.password or "") ~= ""
end

--- Whether nobody but `name` decides. Bounded by the number of people there may be.
function person.decides_alone(name)
  local all = redis.call("HGETALL", person.key())
  for index = 1, #all, 2 do
    if all[index] ~= name and person.decides(cjson.decode(all[index + 1])) then return false end
  end
  return true
end

--- Ends the sessions of somebody but for one; returns how many.
function person.end_sessions(name, keep)
  local ended = 0
  for _, hash in ipairs(redis.call("SMEMBERS", person.sessions(name))) do
    if hash ~= keep then
      redis.call("DEL", person.session(hash))
      redis.call("SREM", person.sessions(name), hash)
      ended = ended + 1
    end
  end
  return ended
end
end
