--[[
  A job that is replaced under another subject belongs into another shard. Here
  its old self is called off with a mark ("leave"), then removed once the new
  one is in ("forget"), or put back when the new one was refused ("stay").

  ARGV[2]  "leave" | "forget" | "stay"
  ARGV[3]  job id            ARGV[4]  actor
  ARGV[5]  queue of the new job, ARGV[6] shard it goes to; both for "leave" only, as is
  ARGV[7]  "" or its kind, when a job may only leave that is of it and that the actor made

  Returns  {"left" | "stays" | "forgotten", id, state, version, due, …}    {"missing"}
           "stays" also when the job may not be replaced, as a step of a plan and a job of a batch may not
  Events   <waiting state> -> cancelled, cancelled -> -, cancelled -> delayed | held | ready
]]
local now = clock.now(ARGV[1])
local step, id, by, queue, shard, kind = ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7] or ""
-- What a person holds stays where it is: elsewhere nobody would know that it is held.
local REPLACEABLE = { delayed = true, ready = true, retrying = true }

local j = job.loader({ "worker", "moves_to", "cancelled_from" },
  { "started_ms", "ended_ms", "retention_ms", "unique_ttl_ms" })(id)
if not j then
  return { "missing" }
end
local leaving = j.state == "cancelled" and j.moves_to ~= ""

if step == "leave" and not leaving then
  local is_meant = kind == "" or j.kind == kind and record.text(j, "created_by") == by
  if not (REPLACEABLE[j.state] and j.queue == queue and is_meant) or job.constraints().is_part(j) then
    return job.standing("stays", j, now)
  end
  job.check(now, j)
  job.move(now, j, "cancelled", by, "it goes on in another shard, with its new subject", {
    moves_to = shard, cancelled_from = j.state,
  })
elseif step == "forget" and leaving then
  job.check(now, j)
  job.purge(now, j, by)
elseif step == "stay" and leaving then
  job.check(now, j)
  local to = j.due_ms > now and "delayed" or "ready"
  if not operation.unique_holder(j) then operation.retake_unique(j) end
  job.move(now, j, to, by, "its replacement was refused", { cancelled_from = false })
end
job.finish(now)
return job.standing(step == "leave" and "left" or step == "forget" and "forgotten" or "stays", j, now)
