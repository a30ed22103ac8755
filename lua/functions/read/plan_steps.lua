--[[
  A plan with all its steps and where each stands.

  ARGV[1]  unused            ARGV[2…] plan ids

  Returns  {now, plan …}, one a plan that is there: {id, subject, name, anchor, version, created, created by,
           held since or "", held by, held why, steps (JSON as in `core/plan.lua`), {how each ended, or ""}, row …},
           a row a step, as in core/row.lua; of one that is called off with the time at which it would be put back
]]
local HEAD = {
  "id", "subject", "name", "anchor_ms", "version", "created_ms", "created_by", "held_ms", "held_by", "held_why", "steps",
}
-- Where these stand in a row.
local STATE, DUE = 5, 10

local function view(id)
  local head = redis.pcall("HMGET", plan.key(id), unpack(HEAD))
  local reads, steps = pcall(cjson.decode, not head.err and head[11] or "")
  if not (reads and type(steps) == "table") then
    return nil
  end
  for index in ipairs(HEAD) do head[index] = head[index] or "" end
  local fields, ends, dues = {}, {}, {}
  for index, step in ipairs(steps) do fields[index], dues[index] = "end:" .. step.name, "due:" .. step.name end
  for index, word in ipairs(redis.call("HMGET", plan.key(id), unpack(fields))) do ends[index] = word or "" end
  table.insert(head, ends)
  dues = redis.call("HMGET", plan.key(id), unpack(dues))
  for index, step in ipairs(steps) do
    local told = row(plan.job_id(id, step.name))
    if told[STATE] == "cancelled" and dues[index] then told[DUE] = dues[index] end
    table.insert(head, told)
  end
  return head
end

local reply = { clock.now("") }
for index = 2, #ARGV do table.insert(reply, view(ARGV[index])) end
return reply
