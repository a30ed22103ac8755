--[[
  The index of fields of payloads, by which filters find jobs at once. Rust reads payloads and enters what they have,
  a moment behind the event stream; a job that is removed leaves it in the same step.

    index          hash: the fields (a JSON array of paths); `at`, the last entry of the event stream that is in it; the
                   cursor of the walk through all jobs, "" once that is over, and the server whose cursor it is; who
                   entered last, and when
    index:values   sorted set, every score 0: a value, US, an id
    index:jobs     hash by id: its values, one a line

  A value is which of the fields, a digit; then "t" and its text, or "n" and its number, written so that texts compare as
  the numbers do. `src/index.rs` makes them.
]]
local payload_index = {}
do

-- Stands between a value and an id, which have no such character.
local US = "\31"

function payload_index.keys() return P .. "index", P .. "index:values", P .. "index:jobs" end

--- How far it is. Without one, or with one that other hands have damaged, all is "".
function payload_index.read()
  local state, values, jobs = payload_index.keys()
  local told = redis.pcall("HMGET", state, "fields", "at", "cursor", "server", "by", "on_ms")
  local value_count, job_count = redis.pcall("ZCARD", values), redis.pcall("HLEN", jobs)
  local is_whole = not told.err and told[1] and told[2] and type(value_count) == "number"
    and type(job_count) == "number" and (value_count > 0) == (job_count > 0)
  if not is_whole then told, job_count = {}, 0 end
  return {
    fields = told[1] or "", at = told[2] or "", cursor = told[3] or "", server = told[4] or "", by = told[5] or "",
    on_ms = told[6] or "", jobs = job_count,
  }
end

local function members(id, values)
  local list = {}
  for value in values:gmatch("[^\n]+") do list[#list + 1] = value .. US .. id end
  return list
end

--- Enters a job with these values, one a line, in place of those that it had.
function payload_index.enter(id, values)
  local _, all, jobs = payload_index.keys()
  local before = redis.call("HGET", jobs, id) or ""
  if before == values then return end
  if before ~= "" then redis.call("ZREM", all, unpack(members(id, before))) end
  if values == "" then
    redis.call("HDEL", jobs, id)
    return
  end
  local scored = {}
  for _, member in ipairs(members(id, values)) do
    scored[#scored + 1] = "0"
    scored[#scored + 1] = member
  end
  redis.call("ZADD", all, unpack(scored))
  redis.call("HSET", jobs, id, values)
end

--- Takes out a job that is removed.
function payload_index.forget(id)
  local _, all, jobs = payload_index.keys()
  local values = soft("HGET", jobs, id)
  if not values then return end
  soft("ZREM", all, unpack(members(id, values)))
  redis.call("HDEL", jobs, id)
end

--- The id of a member.
function payload_index.id_of(member)
  return member:match(US .. "([^" .. US .. "]*)$")
end
end
