--[[
  One call of a function. All functions of the library share one Lua that goes on living between calls, of any
  namespace: what a file keeps in mind during a call it names in `fresh`, and every call begins with that, however
  the one before ended.

  Of every function `KEYS[1]` is the namespace prefix, "reprieve:{ns}:", and `ARGV[1]` the present time in ms, or "" for the
  server's clock (`clock.lua`). Its header tells the other arguments, what it returns, and the events it writes: none where
  it names none.
]]

-- What Lua and Redis give to a function, of which most is made use. A library looks for each of these names in a table of
-- its own and then in the one behind it, at every use: as locals of all files they are there. While the library is loaded
-- there are none but `redis`, which is another one then: the first call finds them.
local function given_names()
  return redis, math, table, ipairs, pairs, next, type, tonumber, unpack
end
local redis = redis
local math, table, ipairs, pairs, next, type, tonumber, unpack

-- The prefix of the namespace, the declared keys and the arguments of the present call.
local P, KEYS, ARGV
-- Who calls, where more is known of them than the name: { by, role, address, request }; else nil.
local caller
-- Whether the present function may write.
local writes

local forget = {}

--- Has a function called at the beginning of every call: it makes anew what its file keeps in mind. A table in which
--- there is nothing stays as it is: most calls use few of them, and to make one costs three times what it costs to look.
local function fresh(anew)
  forget[#forget + 1] = anew
end

-- Behind the time in the first argument may stand who calls: name, role, address and id of the request, each on a
-- line of its own. It is taken from there, so that the functions see the time alone.
local function begin(keys, args, may_write)
  if not pairs then
    redis, math, table, ipairs, pairs, next, type, tonumber, unpack = given_names()
  end
  P, KEYS, ARGV, caller, writes = keys[1], keys, args, nil, may_write
  local given = args[1]
  local ends = given and given:find("\n", 1, true)
  if ends then
    local by, role, address, request = given:match("^([^\n]*)\n([^\n]*)\n([^\n]*)\n([^\n]*)$", ends + 1)
    caller = by and role .. address .. request ~= "" and { by = by, role = role, address = address, request = request }
    args[1] = given:sub(1, ends - 1)
  end
  for index = 1, #forget do forget[index]() end
end

--- A write whose loss costs a line of somebody's reading, never a job: a key of another type is
--- counted instead of checked for beforehand. A right that the user lacks is no damage: `meta` names it for those who
--- watch, who make an outage of it. Returns nil when it failed.
local function soft(command, ...)
  local reply = redis.pcall(command, ...)
  if type(reply) == "table" and reply.err then
    local function says(words) return reply.err:find(words, 1, true) end
    -- How Redis says within a function that a right is missing, since 7.2 and before.
    if says("ACL failure in script") or says("The user executing the script can't") or says("NOPERM") then
      redis.pcall("HSET", P .. "meta", "lacks", "+" .. command:lower())
    else
      redis.call("HINCRBY", P .. "meta", "damaged", 1)
    end
    return nil
  end
  return reply
end
