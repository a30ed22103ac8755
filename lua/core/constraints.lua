--[[
  What the start or the end of a job means beyond the job: the step of a plan
  it is, the steps it waits for, how late it may start, the delivery windows
  of its kind.

  The field `constraints` of a job is JSON, every value a text or a list of texts:

    plan, step          the plan whose step it is
    after, unmet        the steps that must be done before it, and what becomes of it when one of them
                        ended otherwise: "cancel", or "hold" for a person
    late_ms, late       how late it may start, and what becomes of it then: "run", "skip" or "dead"
    window              "any" when the windows of its kind do not concern it
    wanted_ms, moved_ms the due time it had before a window moved it to `moved_ms`
    batch               the batch it is counted in
    completes           the batch whose end it waits for; `unmet` as above, when that is not the end it asks for

  A batch is `batch:<id>`, and `batch_jobs:<id>` has those of its jobs that are not done: live ones with score 0, dead
  and cancelled ones by when they ended (`core/batch.lua`).

  A job that waits for others is held, with the field `gated` "wait"; "shut" when it waits for a person,
  because one of the others did not end well. When one of them ends, the same script looks again. The field means nothing
  while the job is not held; it stays with one that is called off, or released by a bulk run, for the undo. To hold a
  job removes it, and `plan_held_ms` with it: no gate and no plan lets go what a person holds.
]]

local constraints = {}
do

-- A window nobody knows the next opening of is asked again after a minute: no storm, and no breach.
local WINDOW_UNKNOWN_MS = 60000
-- Nothing is spread into the last minute of an opening: a job that comes late there waits for the next one, where it comes as
-- late again.
local OPENING_TAIL_MS = 60000

local plans_noted, batches_noted, rules_of = {}, {}, {}
fresh(function()
  if next(plans_noted) then plans_noted = {} end
  if next(batches_noted) then batches_noted = {} end
  if next(rules_of) then rules_of = {} end
end)

function constraints.plan(id) return P .. "plan:" .. id end
-- The id comes last: it may hold colons.
function constraints.batch(id) return P .. "batch:" .. id end
function constraints.batch_jobs(id) return P .. "batch_jobs:" .. id end

--- The constraints of a job, read once; empty when there are none, or none that read.
function constraints.of(j)
  if not j.read_constraints then
    local reads, t = pcall(cjson.decode, (j.constraints or "") ~= "" and j.constraints or "{}")
    j.read_constraints = reads and type(t) == "table" and t or {}
  end
  return j.read_constraints
end

--- Whether a job has its place in a plan or a batch, which it would lose as another job.
function constraints.is_part(j)
  local t = constraints.of(j)
  return (t.plan or t.batch or t.completes) ~= nil
end

--- Has a batch looked at when the script ends. Returns what is noted of it: `counts` by state, and `scores` in the set
--- of its jobs, false for those that were done.
function constraints.note_batch(id)
  batches_noted[id] = batches_noted[id] or { counts = {}, scores = {} }
  return batches_noted[id]
end

local function count_in_batch(id, j, from, to)
  local noted = constraints.note_batch(id)
  if ENDED[from] then
    noted.counts[from] = (noted.counts[from] or 0) - 1
    noted.back = true
  end
  if ENDED[to] then noted.counts[to] = (noted.counts[to] or 0) + 1 end
  if to == "done" then noted.scores[j.id] = false
  else noted.scores[j.id] = ENDED[to] and int(j.ended_ms) or "0" end
end

--- Notes that a job ended or came to life again. `move` calls it for each job that has constraints.
function constraints.note(j, from, to)
  if not (ENDED[from] or ENDED[to]) then
    return
  end
  local t = constraints.of(j)
  if t.plan and t.step then
    plans_noted[t.plan] = true
    if ENDED[to] then soft("HSET", constraints.plan(t.plan), "end:" .. t.step, to)
    else soft("HDEL", constraints.plan(t.plan), "end:" .. t.step, "due:" .. t.step) end
  end
  if t.batch then count_in_batch(t.batch, j, from, to) end
end

local function steps_gate(t)
  local fields = {}
  for index, step in ipairs(t.after) do fields[index] = "end:" .. step end
  local found = soft("HMGET", constraints.plan(t.plan), unpack(fields)) or {}
  local waits, failed = {}, {}
  for index, step in ipairs(t.after) do
    local state = found[index]
    if not state then table.insert(waits, step)
    elseif state ~= "done" then table.insert(failed, step .. " is " .. state) end
  end
  if #failed > 0 then return "shut", table.concat(failed, ", ") end
  if #waits > 0 then return "wait", "waits for " .. table.concat(waits, ", ") end
  return "open", ""
end

-- Also which job completes the batch.
local function batch_gate(id)
  local f = soft("HMGET", constraints.batch(id), "completion", "closed_ms", "rule", "dead", "cancelled") or {}
  local live = soft("ZCOUNT", constraints.batch_jobs(id), 0, 0)
  -- Nothing is started or called off on the word of a record that does not read.
  if not f[1] or not live then return "wait", "its batch cannot be read", f[1] end
  if not f[2] then return "wait", "its batch is open", f[1] end
  if live > 0 then return "wait", "waits for its batch", f[1] end
  local dead, cancelled = number(f[4]) or 0, number(f[5]) or 0
  if f[3] == "done" and dead + cancelled > 0 then
    return "shut", "of its batch " .. int(dead) .. " are dead and " .. int(cancelled) .. " cancelled", f[1]
  end
  return "open", "", f[1]
end

--- Whether what a job waits for lets it run: "open", "wait" or "shut", and why.
local function gate(t)
  if t.completes then return batch_gate(t.completes) end
  if t.after and #t.after > 0 and t.plan then return steps_gate(t) end
  return "open", ""
end

--- Whether a job would be held again for what it waits for, were it forwarded now.
function constraints.still_waits(j)
  local t = constraints.of(j)
  local word = gate(t)
  return word == "wait" or word == "shut" and t.unmet == "hold"
end

--- Since when the plan of a job is held, in ms; nil when it is not, or there is none.
function constraints.plan_held_ms(j)
  local id = (j.constraints or "") ~= "" and constraints.of(j).plan
  return id and number(soft("HGET", constraints.plan(id), "held_ms")) or nil
end

--- When a step that is called off would be due, where its plan has been moved since, in ms; nil otherwise.
function constraints.moved_ms(j)
  local t = j.state == "cancelled" and (j.constraints or "") ~= "" and constraints.of(j)
  return t and t.plan and t.step and number(soft("HGET", constraints.plan(t.plan), "due:" .. t.step)) or nil
end

--- Whether nothing keeps a job any more that waited for others: were it forwarded now, it would run.
function constraints.is_free(j)
  local word = gate(constraints.of(j))
  return word == "open"
end

--- Where a running job goes that would wait or be ready again, and what is to be said of it: "held" with its plan while that
--- is held, and not `to`. Notes in `changes` what goes with it.
function constraints.goes_on(j, to, why, changes)
  local held_ms = constraints.plan_held_ms(j)
  if not held_ms then return to, why end
  changes.gated, changes.plan_held_ms = false, held_ms
  return "held", (why ~= "" and why .. "; " or "") .. "its plan is held"
end

local function waiting_in(key)
  local text = soft("HGET", key, "waiting")
  local ids = {}
  for id in (text or ""):gmatch("%S+") do table.insert(ids, id) end
  return ids
end

--- Enters a job into the list of those that wait in a plan.
local function wait_in(key, id)
  local ids = waiting_in(key)
  for _, other in ipairs(ids) do
    if other == id then return end
  end
  table.insert(ids, id)
  soft("HSET", key, "waiting", table.concat(ids, " "))
end

--- Enters a job that is to be held again for what it waited for: what keeps it, as `gated` says it; nil where it would not
--- be held, were it forwarded now.
function constraints.waits_again(j)
  local t = constraints.of(j)
  local word = gate(t)
  if word == "open" or word == "shut" and t.unmet ~= "hold" then return nil end
  if t.plan then wait_in(constraints.plan(t.plan), j.id) end
  return word
end

local load_gated = job.loader({ "gated", "worker" }, { "retention_ms", "sequence" })

--- Moves a held job whose gate has opened or shut; tells whether it goes on waiting.
local function let_go(now, id)
  local j = load_gated(id)
  if not (j and j.state == "held" and j.gated ~= "") then
    return false
  end
  -- One damaged job does not hold up the rest of the script, which has written already. It waits until that is mended.
  if not pcall(job.check, now, j) then
    return true
  end
  local t = constraints.of(j)
  local word, why = gate(t)
  if word == "open" then
    job.move(now, j, j.due_ms <= now and "ready" or "delayed", "gate", "what it waited for is done", { gated = false })
    return false
  elseif word == "shut" and t.unmet ~= "hold" then
    job.move(now, j, "cancelled", "gate", why, { cancelled_from = "held" })
    return false
  end
  if word ~= j.gated then job.move(now, j, "held", "gate", why, { gated = word }) end
  return true
end

--- Whether a job waits that would be let go: what it waited for ended while it could not be moved.
function constraints.was_missed(j)
  return j.state == "held" and j.gated ~= "" and not constraints.still_waits(j)
end

--- Lets such a job go; whether it did.
function constraints.let_go(now, id)
  return not let_go(now, id)
end

--- Looks again at the jobs that wait in a plan. What it moves is noted in its turn.
local function look_again(now, key)
  local stay = {}
  local ids = waiting_in(key)
  for _, id in ipairs(ids) do
    if let_go(now, id) then table.insert(stay, id) end
  end
  if #stay < #ids then
    if #stay == 0 then soft("HDEL", key, "waiting") else soft("HSET", key, "waiting", table.concat(stay, " ")) end
  end
end

--- Writes what became of jobs of a batch, and moves the job that completes it.
local function look_at_batch(now, id, noted)
  for state, count in pairs(noted.counts) do
    if count ~= 0 then soft("HINCRBY", constraints.batch(id), state, count) end
  end
  local gone, placed = {}, {}
  for member, score in pairs(noted.scores) do
    if score then
      placed[#placed + 1] = score
      placed[#placed + 1] = member
    else
      gone[#gone + 1] = member
    end
  end
  if #gone > 0 then soft("ZREM", constraints.batch_jobs(id), unpack(gone)) end
  if #placed > 0 then soft("ZADD", constraints.batch_jobs(id), unpack(placed)) end
  local word, _, completion = batch_gate(id)
  if completion and (word ~= "wait" or noted.back) then let_go(now, completion) end
end

--- Writes what was noted, and moves what waited for it. `finish` calls it once; a job that is called off here may
--- be what another waits for, so it goes on until nothing is left: each turn ends at least one job of a plan.
function constraints.settle(now)
  while next(plans_noted) or next(batches_noted) do
    local plans, batches = plans_noted, batches_noted
    plans_noted, batches_noted = {}, {}
    for id in pairs(plans) do look_again(now, constraints.plan(id)) end
    for id, noted in pairs(batches) do look_at_batch(now, id, noted) end
  end
end

--- Whether a record has lost the last of its jobs.
local function was_last(key)
  local left = soft("HINCRBY", key, "kept", -1)
  return left ~= nil and left <= 0
end

--- Forgets a job that is purged, and with the last of them its plan or batch.
function constraints.purge(now, j)
  local t = constraints.of(j)
  if t.plan and was_last(constraints.plan(t.plan)) then
    local key = constraints.plan(t.plan)
    local of = soft("HMGET", key, "subject", "id", "version") or {}
    redis.call("DEL", key)
    clock.note_removed(number(of[3]) or 0)
    if of[1] and of[2] then soft("ZREM", P .. "plans:" .. of[1], of[2]) end
  end
  local batch = t.batch or t.completes
  if not batch then
    return
  end
  soft("ZREM", constraints.batch_jobs(batch), j.id)
  if was_last(constraints.batch(batch)) then
    redis.call("DEL", constraints.batch(batch), constraints.batch_jobs(batch))
    soft("ZREM", P .. "batches", batch)
  end
end

--- The rule of a kind, or nil; read once a call.
local function rule_of(kind)
  local rule = rules_of[kind]
  if rule == nil then
    local reads, found = pcall(cjson.decode, soft("HGET", P .. "rules", kind) or "")
    rule = reads and type(found) == "table" and found or false
    rules_of[kind] = rule
  end
  return rule or nil
end

--- Whether there is a rule for a kind.
function constraints.has_rule(kind) return rule_of(kind) ~= nil end

--- Whether a rule keeps bulk runs from jobs of its kind.
function constraints.protects(j)
  local rule = rule_of(j.kind)
  return rule and rule.protected == "1"
end

--- What becomes of a job that starts too late: nil when it is in time, or may run late.
local function judge_lateness(now, j, t, rule)
  local policy, most = t.late, tonumber(t.late_ms)
  if not policy then policy, most = rule.late, tonumber(rule.late_ms) end
  if not most or policy == "run" then
    return nil
  end
  local wanted = tonumber(t.moved_ms) == j.due_ms and tonumber(t.wanted_ms) or j.due_ms
  local late = now - wanted
  if late <= most then
    return nil
  end
  stats.count(j, "expired")
  local why = "expired: " .. int(late) .. " ms late, at most " .. int(most) .. " are allowed"
  if policy == "dead" then return "dead", why, { last_error = why } end
  return "cancelled", why, { cancelled_from = j.state }
end

--- A number from 0 to `spread` - 1 that is always the same for an id, so that a move repeated moves nothing. It stays within
--- an opening of that length: one beyond its end would be moved to the next for ever.
local function spread_of(id, spread, length)
  spread = math.min(spread, length - OPENING_TAIL_MS)
  return spread > 0 and tonumber(redis.sha1hex(id):sub(1, 8), 16) % spread or 0
end

--- Where a delivery window moves a job: nil when it is open, or when there is none.
local function judge_window(now, j, t, rule)
  local open = rule.open
  if t.window == "any" or not open then
    return nil
  end
  local opening, closing
  for index = 1, #open, 2 do
    local from, to = tonumber(open[index]), tonumber(open[index + 1])
    if now >= from and now < to then return nil end
    if from > now and not opening then opening, closing = from, to end
  end
  local why = "outside the window of its kind"
  local due = now + WINDOW_UNKNOWN_MS
  if opening then due = opening + spread_of(j.id, tonumber(rule.spread_ms) or 0, closing - opening)
  else why = "the windows of its kind are not known at present" end
  local wanted = tonumber(t.moved_ms) == j.due_ms and tonumber(t.wanted_ms) or j.due_ms
  t.wanted_ms, t.moved_ms = int(wanted), int(due)
  return j.state == "retrying" and "retrying" or "delayed", why, { due_ms = due, constraints = cjson.encode(t) }
end

--- What becomes of a job whose time has come: the state, why, and what changes with it. `to` is where it goes
--- when nothing is in its way.
function constraints.judge(now, j, to)
  local rule = clock.rules and rule_of(j.kind) or {}
  local t = constraints.of(j)
  local state, why, changes = judge_lateness(now, j, t, rule)
  if not state then state, why, changes = judge_window(now, j, t, rule) end
  if state then
    return state, why, changes
  end
  if to == "ready" then
    local word, because = gate(t)
    if word == "shut" and t.unmet ~= "hold" then
      return "cancelled", because, { cancelled_from = j.state }
    elseif word ~= "open" then
      if t.plan then wait_in(constraints.plan(t.plan), j.id) end
      return "held", because, { gated = word }
    end
  end
  return to, "", {}
end

--- The functions above, for what comes before them.
function job.constraints() return constraints end
end
