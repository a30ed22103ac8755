--[[
  Keeps a view under its owner and name; in place of one of the same name only
  where that is what was asked for.

  ARGV[1]  unused            ARGV[2]  owner and name    ARGV[3]  the view as JSON
  ARGV[4]  "1" to put it in place of one of the same name

  Returns  {"saved"}    {"taken"}    {"too_many"}    {"too_many_own"}
]]
local field, view, replaces = ARGV[2], ARGV[3], ARGV[4] == "1"
-- Of all people together: a screen shows them in one row.
local VIEWS_MAX = 200
-- Of one person: four have to be at it before nobody else can save one.
local OWN_MAX = 50
local key = P .. "views"

job.expect(key, "hash")
local is_there = redis.call("HEXISTS", key, field) == 1
if is_there and not replaces then
  return { "taken" }
end
if not is_there and redis.call("HLEN", key) >= VIEWS_MAX then
  return { "too_many" }
end
if not is_there then
  local owner, own = string.sub(field, 1, string.find(field, "\n", 1, true)), 0
  local all = redis.call("HGETALL", key)
  for index = 1, #all, 2 do
    if string.sub(all[index], 1, #owner) == owner then own = own + 1 end
  end
  if own >= OWN_MAX then return { "too_many_own" } end
end
redis.call("HSET", key, field, view)
return { "saved" }
