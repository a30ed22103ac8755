--[[
  One call of a function. All functions of the library share one Lua that goes on living between calls, of any
  namespace: what a file keeps in mind during a call it names in `fresh`, and every call begins with that, however
  the one before ended.
]]

-- The prefix of the namespace, the declared keys and the arguments of the present call.
local P, KEYS, ARGV

local forget = {}

--- Has a function called at the beginning of every call: it makes anew what its file keeps in mind.
local function fresh(anew)
  forget[#forget + 1] = anew
end

local function begin(keys, args)
  P, KEYS, ARGV = keys[1], keys, args
  for index = 1, #forget do forget[index]() end
end

--- A write whose loss costs a line of somebody's reading, never a job: a key of another type is
--- counted instead of checked for beforehand. Returns nil when it failed.
local function soft(...)
  local reply = redis.pcall(...)
  if type(reply) == "table" and reply.err then
    redis.call("HINCRBY", P .. "meta", "damaged", 1)
    return nil
  end
  return reply
end
