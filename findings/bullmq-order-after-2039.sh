#!/bin/sh
# BullMQ 5.81.5 and 6.7.0: delayed jobs of one millisecond lose their order from 2039-09-07 on.
#
# A score of `bull:<queue>:delayed` is the due time in ms × 4096, and a counter that keeps jobs of one millisecond in the
# order in which they were added. From 2^53 / 4096 ms on, 2039-09-07T15:47:35.552Z, a double has no room for the counter:
# adding 1 gives the same score, and Redis puts members of one score in the order of their bytes. The due time itself stays
# exact. Reprieve takes such jobs over with their due times, and in the order in which BullMQ would start them.
#
# Adds jobs 1 to 12 for one millisecond, before and after that date. Seen, with both versions:
#   2039-09-07T15:00:00Z: 1 2 3 4 5 6 7 8 9 10 11 12
#   2045-01-01T00:00:00Z: another order
# Exits with 1 if that changes. Needs redis-server, Node 20 and npm.
set -eu

folder="$(mktemp -d)"
trap 'kill "$(cat "$folder/redis.pid" 2>/dev/null)" 2>/dev/null || true; rm -rf "$folder"' EXIT
(cd "$folder" && echo '{"private":true}' > package.json \
  && npm install --silent --no-fund --no-audit bullmq@6.7.0 bullmq-5@npm:bullmq@5.81.5 ioredis@5.11.1 > /dev/null)
redis-server --port 0 --unixsocket "$folder/redis.sock" --save '' --dir "$folder" --daemonize yes \
  --pidfile "$folder/redis.pid" > "$folder/log"
while ! [ -S "$folder/redis.sock" ]; do sleep 0.1; done

for package in bullmq-5 bullmq; do
  (cd "$folder" && SOCKET="$folder/redis.sock" PACKAGE="$package" node --input-type=module -e '
    import { Redis } from "ioredis";
    const { Queue } = await import(process.env.PACKAGE);
    const connection = { path: process.env.SOCKET };
    const redis = new Redis(connection);
    const added = Array.from({ length: 12 }, (_, n) => String(n + 1)).join(" ");
    for (const [date, keeps] of [["2039-09-07T15:00:00Z", true], ["2045-01-01T00:00:00Z", false]]) {
      const queue = new Queue("q", { connection });
      const timestamp = Date.now();
      const delay = Date.parse(date) - timestamp;
      for (let n = 1; n <= 12; n += 1) await queue.add("job", {}, { timestamp, delay });
      const order = (await redis.zrange("bull:q:delayed", 0, -1)).join(" ");
      console.log(`${await queue.getVersion()} ${date}: ${order}`);
      if ((order === added) !== keeps) process.exitCode = 1;
      await queue.close();
      await redis.flushall();
    }
    await redis.quit();
  ') || { echo 'this has changed' >&2; exit 1; }
done
