--[[
  One page of a foreign key: a sorted set by score, a list from the end that its workers take from,
  a set in any order. Only reads.
]]

-- A set has no order to page by; one with more members is left alone.
local SET_MEMBERS_MAX = 10000

--- The page as {name, score or ""} rows, or nil and what is wrong.
local function page(key, shape, skip, count, from_left)
  local found = redis.call("TYPE", key).ok
  if found == "none" then
    return {}
  end
  if found ~= shape then
    return nil, key .. " holds a " .. found .. ", not a " .. shape
  end
  local rows = {}
  if shape == "zset" then
    local flat = redis.call("ZRANGE", key, skip, skip + count - 1, "WITHSCORES")
    for index = 1, #flat, 2 do table.insert(rows, { flat[index], flat[index + 1] }) end
  elseif shape == "list" and from_left then
    local names = redis.call("LRANGE", key, skip, skip + count - 1)
    for index, name in ipairs(names) do rows[index] = { name, "" } end
  elseif shape == "list" then
    local names = redis.call("LRANGE", key, -(skip + count), -(skip + 1))
    for index = #names, 1, -1 do table.insert(rows, { names[index], "" }) end
  else
    if redis.call("SCARD", key) > SET_MEMBERS_MAX then
      return nil, key .. " has more than " .. SET_MEMBERS_MAX .. " members"
    end
    local names = redis.call("SMEMBERS", key)
    table.sort(names)
    for index = skip + 1, math.min(skip + count, #names) do table.insert(rows, { names[index], "" }) end
  end
  return rows
end
