--[[
  Batches, with what became of their jobs.

  ARGV[1]  unused
  ARGV[2]  a batch id, or "" for the latest
  ARGV[3]  most batches      ARGV[4]  most jobs to name of each sort

  Returns  {now, batch …}, newest first, one a batch that is there: {id, name, rule, completion, created, created by,
           closed since or "", total, live, done, dead, cancelled, {live jobs' ids}, {ids of dead and cancelled ones, the
           latest first}, row of the completion as in core/row.lua}
]]
local id, most, named = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local HEAD = {
  "id", "name", "rule", "completion", "created_ms", "created_by", "closed_ms", "total", "done", "dead", "cancelled",
}

local function view(id)
  local f = redis.pcall("HMGET", job.constraints().batch(id), unpack(HEAD))
  if f.err or not (f[1] and f[4] and f[5]) then
    return nil
  end
  for index in ipairs(HEAD) do f[index] = f[index] or "" end
  local jobs = job.constraints().batch_jobs(id)
  local live = redis.call("ZCOUNT", jobs, 0, 0)
  local live_ids = named > 0 and redis.call("ZRANGE", jobs, 0, 0, "BYSCORE", "LIMIT", 0, named) or {}
  local unmet_ids = named > 0 and redis.call("ZRANGE", jobs, "+inf", "(0", "BYSCORE", "REV", "LIMIT", 0, named) or {}
  return { f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8], live, f[9], f[10], f[11], live_ids, unmet_ids, row(f[4]) }
end

local reply = { clock.now("") }
local ids = id ~= "" and { id } or redis.call("ZRANGE", P .. "batches", 0, most - 1, "REV")
for _, each in ipairs(ids) do table.insert(reply, view(each)) end
return reply
