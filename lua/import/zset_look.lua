--[[
  Reads a page of a plain sorted set, lowest score first.

  KEYS[1]  the sorted set
  ARGV[1]  members to skip    ARGV[2]  most members

  Returns  {"rows", {member, score}, …}    {"wrong", what}
]]
local rows, wrong = page(KEYS[1], "zset", tonumber(ARGV[1]), tonumber(ARGV[2]))
if not rows then
  return { "wrong", wrong }
end
return { "rows", unpack(rows) }
