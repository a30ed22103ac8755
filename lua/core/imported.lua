--[[
  What became of the items of an importer's journal, and whether their jobs are as they came. The hash `import:<name>:taken`
  has for each record what `adopt` made of it: "<id> <version> <due> <replaced or nothing> <its own id, if it is under
  another>", or once it was withdrawn " <its own id, if it was under another>".
]]
local imported = {}
do

-- What somebody did and undid: a job that went through nothing else waits as it came.
local UNDONE = {
  ["delayed cancelled"] = true, ["cancelled delayed"] = true, ["delayed held"] = true, ["held delayed"] = true,
}
-- Steps that are read of one job.
local STEPS_MAX = 10

function imported.taken(import) return P .. "import:" .. import .. ":taken" end

--- The id, version and due time with which a record became a job, as texts; nil where it is none.
function imported.job(known)
  return known:match("^(%S+) (%d+) (%d+)")
end

-- Whether a job waits for its time as it came, after acts that were undone. Its history tells each step since.
local function is_back(j, version, due_ms)
  local steps = j.version - version
  if j.state ~= "delayed" or j.due_ms ~= due_ms or steps < 1 or steps > STEPS_MAX then return false end
  for back = 1, steps do
    local told = history.told(j.id, -back)
    local is_step = number(tostring(told.version or "")) == j.version - back + 1 and not told.edited
    if not is_step or not UNDONE[tostring(told.from or "") .. " " .. tostring(told.to or "")] then return false end
  end
  return true
end

--- Why a job stays: a word; nil when it may go back to where it came from.
function imported.stays(j, version, due_ms)
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
  if j.version == version or forwarded or is_back(j, version, due_ms) then
    return nil
  end
  return LIVE[j.state] and "changed" or "ended"
end
end
