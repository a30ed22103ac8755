--[[
  The present rows of given jobs.

  ARGV[1]  unused            ARGV[2…] job ids

  Returns  {now, row …}, a row as in core/row.lua
]]
local reply = { clock.now("") }
for index = 2, #ARGV do table.insert(reply, row(ARGV[index])) end
return reply
