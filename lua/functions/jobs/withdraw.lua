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

local taken = P .. "import:" .. import .. ":taken"
job.expect(taken, "hash")

local load = job.standing_loader()

--- Why a job stays: a word; nil when it may go.
local function reason(j, version, due_ms)
  if not j then
    return "gone"
  end
  if j.state == "active" then
    return "active"
  end
  -- It is held so that it does not run; at the source it would.
  if j.state == "held" then
    return "changed"
  end
  -- Only the forwarder moves a job on without changing anything else.
  local forwarded = j.state == "ready" and j.version == version + 1 and j.due_ms == due_ms
  if j.version == version or forwarded then
    return nil
  end
  return LIVE[j.state] and "changed" or "ended"
end

local plans = {}
for index = 4, #ARGV do
  local record = ARGV[index]
  local known = redis.call("HGET", taken, record) or ""
  local id, version, due_ms = known:match("^(%S+) (%d+) (%d+)")
  -- See `adopt.lua`: to forget the record takes the own id of its item.
  local own = known:match("^%S+ %d+ %d+ %a* (%S+)$") or known:match("^ (%S+)$")
  local plan = { record = record, id = id, tombstone = own and " " .. own or "" }
  if id then
    plan.j = load(id)
    plan.word = reason(plan.j, tonumber(version), tonumber(due_ms))
    if not plan.word then job.check(now, plan.j) end
  end
  table.insert(plans, plan)
end

local replies, gone = {}, {}
for _, plan in ipairs(plans) do
  -- Two records of one job: it goes once.
  if plan.id and gone[plan.id] then plan.j = nil end
  if plan.word then
    table.insert(replies, { plan.word, plan.id, plan.j and plan.j.state or "" })
  else
    -- Nothing may take this record over any more, not even a call that is under way.
    redis.call("HSET", taken, plan.record, plan.tombstone)
    if plan.j then
      gone[plan.id] = true
      if LIVE[plan.j.state] then
        job.move(now, plan.j, "cancelled", actor, "rolled back", { cancelled_from = plan.j.state })
        job.settle()
      end
      job.purge(now, plan.j, actor)
    end
    table.insert(replies, { "withdrawn" })
  end
end
job.finish(now)
return replies
