--[[
  Jobs that come again: the first of a window wins (throttle), or the last
  (debounce). Part of taking jobs in.

  throttle:<key>  "<end of the window in ms> <id of the first>"; outlives the job
  unique:<key>    the live job that holds the key, as for every unique job
]]
do

local DEBOUNCED = { delayed = true, held = true, ready = true, retrying = true }

local function throttle_key(key) return P .. "throttle:" .. key end

--- Makes sure that the keys a repeat is told by are what they should be.
function intake.check_repeat(now, new)
  if new.options.throttle_key then expect(throttle_key(new.options.throttle_key), "string") end
  -- The job that gets the new payload may be in any state of its queue.
  if new.options.debounce_ms then job.check(now, new) end
end

--- The job that was first in the window that is still open, or nil.
function intake.first_of_window(now, new)
  local key = new.options.throttle_key
  local found = key and redis.call("GET", throttle_key(key))
  if not found then
    return nil
  end
  local ends, first = found:match("^(%d+) (%S+)$")
  return ends and now < tonumber(ends) and first ~= new.id and first or nil
end

--- Opens the window of a job that was taken in.
function intake.open_window(now, new)
  local window = tonumber(new.options.throttle_ms)
  redis.call("SET", throttle_key(new.options.throttle_key), int(now + window) .. " " .. new.id, "PX", int(window))
end

local load_holder = job.loader({ "worker" }, { "started_ms", "ended_ms", "sequence", "created_ms", "token", "cancel_ms" })

--- Gives the job that holds the key the payload and due time of the new one. Returns the reply; false when the
--- holder runs already, so that the new job takes the key over; nil when there is nothing to replace.
function intake.debounce(now, new, holder)
  local h = load_holder(holder)
  if not h or h.queue ~= new.queue or h.kind ~= new.kind or h.subject ~= new.subject then
    return nil
  end
  if h.state == "active" then
    return false
  end
  -- Who counts on a plan or a batch counts on its jobs as they were made.
  if not DEBOUNCED[h.state] or job.constraints().is_part(h) then
    return nil
  end
  local due, wait = new.due_ms, tonumber(new.options.debounce_ms)
  if wait then due = math.min(due, math.max((h.created_ms or h.due_ms) + wait, now)) end
  local to = h.state
  if to == "delayed" or to == "ready" then to = due > now and "delayed" or "ready" end
  local changes = { payload = new.payload }
  changes.due_ms, changes.headers, changes.tags = due, new.options.headers or false, new.options.tags or false
  job.move(now, h, to, new.by, new.why ~= "" and new.why or "debounced", changes)
  redis.call("SET", job.unique(new.unique_key), h.id, "PX", new.options.unique_ttl_ms)
  return job.standing("debounced", h, now)
end
end
