--[[
  A process's look at the namespace, about once a second: whether this is still the data that it knew, on the same server.
  Where it is other data, or the same as it was before the latest look, or where another server has it now, an epoch
  and a halt begin; where the processes find that clocks are apart, a halt begins or ends (`core/halt.lua`).

  ARGV[2]  the generation that the caller knows, or "" at its first look
  ARGV[3]  the heartbeat it saw last                    ARGV[4]  Redis's time then, in ms
  ARGV[5]  the epoch it saw last                   ARGV[6]  the epoch for which it has said again what it acknowledged
  ARGV[7]  its own name                            ARGV[8]  "leave" when it ends, or ""
  ARGV[9]  Redis's time at the latest look that measured its clock, in ms; "" or left out where none did
  ARGV[10] how far Redis was ahead of the caller's clock then, in ms       ARGV[11] how far Redis's clock had moved then since
           the caller's first look, by what no clock is set by, in ms

  Returns  {generation, heartbeat, Redis's time, server, epoch, halts so far, the halt as `meta` keeps it or "",
            Redis's time where it was seen before, or 0, the latest halt that a person ended, or 0, how far Redis may
            be ahead of the processes because a person said so, in ms, the right that a write of no consequence lacked of
            late or ""}
]]
-- So much is lost when a replica takes over, or with the power of a machine that syncs every second. More than that
-- is a backup, and whether its jobs may run again only a person knows.
local LOST_BY_ITSELF_MS = 30000

-- The name under which this server's data is replicated, and whether it took that over from another server: then the
-- name is another one than when it was last looked at, also where a server has its data back by way of a second one.
local function replication()
  local told = redis.pcall("INFO", "replication")
  if type(told) ~= "string" then return "", false end
  return told:match("master_replid:(%w+)") or "", not told:find("master_replid2:0+%s")
end

-- Each call:
local now = clock.now(ARGV[1])
local knows, heartbeat, seen = ARGV[2], clock.given(ARGV[3]), clock.given(ARGV[4])
local epoch_known, said, leaves = clock.given(ARGV[5]), clock.given(ARGV[6]), ARGV[8] == "leave"
local watcher = assert(ARGV[7], "an argument is missing")

halt.check()
local kept = redis.call("HMGET", P .. "meta", "generation", "heartbeat", "heartbeat_ms", "server", "replication")
local generation = kept[1] or watcher .. "." .. int(clock.raw)
local count, at = number(kept[2]) or 0, number(kept[3]) or 0
local server, replid, took_over = clock.server(), replication()
local moved = kept[4] and (kept[4] ~= server or (kept[5] ~= replid and took_over))

if leaves then
  redis.call("HDEL", P .. "watchers", watcher)
  return { generation, count, clock.raw, server .. replid, clock.epoch, 0, clock.halt or "", at, 0, "0", "" }
end
redis.call("HSET", P .. "meta", "generation", generation, "server", server, "replication", replid)
local replaced, lost = knows ~= "" and knows ~= generation, knows ~= "" and math.max(seen - at, 0) or 0
if replaced or moved or (knows ~= "" and count < heartbeat) or epoch_known > clock.epoch then
  clock.epoch = clock.next_epoch(epoch_known)
  redis.call("HSET", P .. "meta", "epoch", int(clock.epoch), "epoch_ms", int(clock.raw), "epoch_heartbeat", int(count))
  if replaced then
    halt.begin(now, "replaced", 0, 0)
  elseif count >= heartbeat then
    halt.begin(now, "took_over", 0, halt.settles_ms())
  elseif lost <= LOST_BY_ITSELF_MS then
    halt.begin(now, "went_back", lost, halt.settles_ms())
  else
    halt.begin(now, "went_back", lost, 0)
  end
end
count = math.max(count, knows == generation and heartbeat or 0) + 1
-- A clock that is far from where it was seen has jumped, or nobody looked: a process that knows says which at once. Until
-- then it is no ground for those who do not know.
local function is_near(ms) return math.abs(clock.raw - ms) <= constants.UNSEEN_MS end
local tells = at == 0 or is_near(at) or knows ~= "" and is_near(seen)
redis.call("HSET", P .. "meta", "heartbeat", int(count), "heartbeat_ms", int(tells and clock.raw or at))
halt.looked(now, watcher, count, said, number(ARGV[9]), ARGV[10], ARGV[11])
-- One that ends by itself need not last longer than until everybody has spoken.
local why, since, by, ends = (clock.halt or ""):match("^(%S+) (%d+) (%d+) (%d+)$")
if ends and ends ~= "0" and clock.raw < tonumber(ends) and halt.is_settled() then
  clock.halt = table.concat({ why, since, by, int(clock.raw) }, " ")
  redis.call("HSET", P .. "meta", "halt", clock.halt)
end
local counts = redis.call("HMGET", P .. "meta", "halts", "allowed", "lacks")
local halts, allowed = number(counts[1]) or 0, number(counts[2]) or 0
local base = string.format("%.0f", halt.base() or 0)
return { generation, count, clock.raw, server .. replid, clock.epoch, halts, clock.halt or "", at, allowed, base,
  counts[3] or "" }
