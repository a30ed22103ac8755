--[[
  Ending jobs well, shared by `complete` and `complete_and_claim`: reports are read and
  checked (`read`), and what the general way has to move is moved later
  (`move`), when the script has checked everything else too.
]]
local complete = {}

local load = job.loader({ "worker", "spent_as" }, { "started_ms", "token", "spent_token", "cancel_ms", "retention_ms" })
local STATES_TOUCHED = { "active", "done" }

local held

local function judge(now, id, token, loaded)
  -- The same id twice is one job, which the second time has been reported already.
  local j = loaded[id] or load(id)
  loaded[id] = j
  if not j then
    return "missing"
  end
  job.check_queue(now, j.queue, STATES_TOUCHED)
  local word = job.spent(j, token) or job.lease(j, token)
  if word ~= "held" then
    return word
  end
  held[#held + 1] = j
  limits.ends(j.queue)
  return "done"
end

--- Adds the word of each report to `words`: job id and token in turn, as many values as `last` says.
function complete.read(now, values, first, last, words)
  local ids, loaded, now_text = {}, {}, int(now)
  held = {}
  for at = first, last, 2 do ids[#ids + 1] = values[at] end
  record.fetch(ids)
  for at = first, last, 2 do
    local id, token = values[at], values[at + 1]
    local queue = routine.done(now, now_text, id, token)
    if queue then limits.ends(queue) end
    words[#words + 1] = queue and "done" or judge(now, id, token, loaded)
  end
end

--- Moves what the general way has to move; whether there was any.
function complete.move(now)
  for _, j in ipairs(held) do
    if j.state == "active" then
      stats.took(j, "run", now - (j.started_ms or now))
      -- Otherwise the token is told from the version.
      local as = j.token_kept and "done" or nil
      job.move(now, j, "done", "worker:" .. j.worker, "", job.lease_ends(j, as, {}))
    end
  end
  return #held > 0
end
