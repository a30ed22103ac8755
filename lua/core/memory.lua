--[[
  What functions know of a namespace from earlier calls, beside its jobs:

  sound       shared keys that are of the type they should be
  checked     by queue, for which sets it was checked
  listed      queues that are in the directory
  open        by queue, whether people have neither paused nor limited it
  retention   how long ended jobs are kept; and `undo_window_ms`

  It counts for a second, is kept by prefix and by generation, which another database and another life of the data have of
  their own, and is forgotten by every function that is not a step of a job's way. What decides whether a job may start, and
  under which token, is not among it.
]]
local memory = {}
do

local KEPT_MS = 1000
-- Namespaces; of more they are kept anew.
local KEPT_MAX = 64

local kept, kept_count = {}, 0

--- What is remembered of this namespace: `known`, and when its rights were asked for.
function memory.of_namespace()
  local own = kept[P]
  if not own then
    if kept_count >= KEPT_MAX then kept, kept_count = {}, 0 end
    own, kept_count = {}, kept_count + 1
    kept[P] = own
  end
  return own
end

function memory.empty() return { sound = {}, checked = {}, listed = {}, open = {}, retention = {} } end

--- What is known of this namespace. A script of its own begins with nothing, each time.
function memory.recall(now, generation)
  local own = memory.of_namespace()
  local known = own.known
  if known and known.generation == generation and now >= known.from and now < known.from + KEPT_MS then
    return known
  end
  known = memory.empty()
  known.generation, known.from = generation, now
  own.known = known
  return known
end

function memory.forget()
  if kept[P] then kept[P].known = nil end
end
end
