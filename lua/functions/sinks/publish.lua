--[[
  Hands claimed jobs to consumers outside: each entry is put in its place by the step that says so in the job.
  The jobs stay active, under a lease that the looks at their sink keep.

  ARGV[2]  sink              ARGV[3]  its kind: stream | list | asynq
  ARGV[4]  key of the place    ARGV[5]  consumer group, or ""
  ARGV[6]  lease in ms         ARGV[7]  most jobs with the sink at once
  ARGV[8…] job id, token and what to send (what that means, the kind of sink says), in turn; none to make the place ready

  Returns  {"published", word a job: "published" | "cancel" (asked to stop) | "full" | "unsent" | "lost" | "missing"}
           {"refused", why}: the place cannot take anything; nothing changed
  Events   active -> active
]]
local now = clock.now(ARGV[1])
local name, kind, place, group = ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local lease_until, most = now + clock.given(ARGV[6]), clock.given(ARGV[7])
local of_kind, index = sink.kinds[kind], sink.index(name)

job.expect(index, "zset")
local room = most - redis.call("ZCARD", index)
local words, chosen, seen = { "published" }, {}, {}
for first = 8, #ARGV, 3 do
  local j = not seen[ARGV[first]] and sink.load(ARGV[first])
  seen[ARGV[first]] = true
  local word = "missing"
  if j and job.usable(now, j) then
    word = job.lease(j, ARGV[first + 1])
    if word == "held" and sink.holds(j) then
      word = "published"
    elseif word == "held" and j.cancel_ms then
      word = "cancel"
    elseif word == "held" and room <= 0 and not redis.call("ZSCORE", index, j.id) then
      word = "full"
    elseif word == "held" then
      word, room = "published", room - 1
      table.insert(chosen, { j = j, item = ARGV[first + 2], at = #words + 1 })
    end
  end
  table.insert(words, word)
end
if #chosen == 0 and #ARGV > 7 then
  return words
end

local context, why = of_kind.open(place, group)
if not context then
  return { "refused", why }
end
for _, one in ipairs(chosen) do
  local j = one.j
  if j.publication then sink.kinds[j.publication.kind].remove(j) end
  local entry = of_kind.send(context, j, one.item)
  if entry then
    local publication = {
      sink = name, kind = kind, place = place, group = group, entry = entry, mark = context.mark,
      token = int(j.token), at = int(now),
    }
    job.move(now, j, "active", "sink:" .. name, "published to " .. kind .. " " .. place, {
      publication = cjson.encode(publication), publication_item = of_kind.keeps_item and one.item or false,
      lease_until_ms = lease_until,
    })
    redis.call("ZADD", index, now, j.id)
  else
    words[one.at] = "unsent"
  end
end
job.finish(now)
return words
