--[[
  What the user of this connection may do. Redis checks rights command by command, and takes nothing back: a function that
  lacked one for its last command would have carried out all before it. So they are asked for before a function writes,
  once a second.
]]
local rights = {}
do

local KEPT_MS = 1000

local function lacking()
  local missing = {}
  for _, command in ipairs(constants.COMMANDS) do
    local words = {}
    for word in command:gmatch("%S+") do words[#words + 1] = word == "@" and P .. "meta" or word end
    -- A command that the server does not have is told where it is called.
    local known, may = pcall(redis.acl_check_cmd, unpack(words))
    if known and not may then missing[#missing + 1] = "+" .. words[1] end
  end
  return missing
end

--- Fails when the user may not run a command that functions need. A call that has not read the time yet gives none, and asks
--- only where nobody has.
function rights.expect(now)
  local own = memory.of_namespace()
  local at = own.rights_ms
  if at and (not now or now >= at and now < at + KEPT_MS) or not redis.acl_check_cmd then
    return
  end
  local missing = lacking()
  if #missing > 0 then
    error({ err = "NOPERM the user has no " .. table.concat(missing, " ") })
  end
  own.rights_ms = now or 0
end
end
