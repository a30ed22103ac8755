--[[
  Takes jobs out again that came through an importer, because they go back to
  where they came from. Only a job that nobody has touched since goes; one that
  ran, or that a person changed, stays.

  ARGV[2]  actor           ARGV[3]  importer
  ARGV[4…] records of the importer's journal

  Returns  one list a record: {"withdrawn"}    {"changed" | "active" | "ended" | "gone", id, state}
  Events   <state> -> cancelled -> -
]]
local now = clock.now(ARGV[1])
local actor, import = ARGV[2], ARGV[3]

local taken = imported.taken(import)
job.expect(taken, "hash")

local load = job.standing_loader()

-- What became of each record: see `core/imported.lua`.
local records = { unpack(ARGV, 4) }
local known, ids = #records > 0 and redis.call("HMGET", taken, unpack(records)) or {}, {}
for index = 1, #records do
  known[index] = known[index] or ""
  ids[#ids + 1] = (imported.job(known[index]))
end
record.fetch(ids)

local plans = {}
for index, name in ipairs(records) do
  local id, version, due_ms = imported.job(known[index])
  -- To forget the record takes the own id of its item.
  local own = known[index]:match("^%S+ %d+ %d+ %a* (%S+)$") or known[index]:match("^ (%S+)$")
  local plan = { record = name, id = id, tombstone = own and " " .. own or "" }
  if id then
    plan.j = load(id)
    plan.word = imported.stays(plan.j, tonumber(version), tonumber(due_ms))
    if not plan.word then job.check(now, plan.j) end
  end
  table.insert(plans, plan)
end

local replies, gone, leaves, withdrawn = {}, {}, {}, {}
for _, plan in ipairs(plans) do
  -- Two records of one job: it goes once.
  if plan.id and gone[plan.id] then plan.j = nil end
  if plan.word then
    table.insert(replies, { plan.word, plan.id, plan.j and plan.j.state or "" })
  else
    withdrawn[#withdrawn + 1], withdrawn[#withdrawn + 2] = plan.record, plan.tombstone
    if plan.j then
      gone[plan.id] = true
      table.insert(leaves, plan.j)
    end
    table.insert(replies, { "withdrawn" })
  end
end
-- Nothing may take these records over any more, not even a call that is under way.
if #withdrawn > 0 then redis.call("HSET", taken, unpack(withdrawn)) end
for _, j in ipairs(leaves) do
  if LIVE[j.state] then job.move(now, j, "cancelled", actor, "rolled back", { cancelled_from = j.state }) end
end
job.settle()
for _, j in ipairs(leaves) do job.purge(now, j, actor) end
job.finish(now)
return replies
