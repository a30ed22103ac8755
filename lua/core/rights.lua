--[[
  What the user of this connection may do. Redis looks at rights command by command: a function that lacked one for its
  last command would have carried out all before it. So they are asked for before a function writes, once a second.
]]
local rights = {}
do

local KEPT_MS = 1000
-- Namespaces; of more they are kept anew.
local KEPT_MAX = 64

-- When they were asked for, by namespace.
local asked, asked_count = {}, 0

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

--- Whether they were asked for already, since the library was loaded.
function rights.are_known() return NAME and asked[P] ~= nil end

--- Fails when the user may not run a command that functions need.
function rights.expect(now)
  local at = NAME and asked[P]
  if at and now >= at and now < at + KEPT_MS or not redis.acl_check_cmd then
    return
  end
  local missing = lacking()
  if #missing > 0 then
    error({ err = "NOPERM the user has no " .. table.concat(missing, " ") })
  end
  if asked_count >= KEPT_MAX then asked, asked_count = {}, 0 end
  if not asked[P] then asked_count = asked_count + 1 end
  asked[P] = now
end
end
