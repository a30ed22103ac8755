// Moves the delayed jobs of a queue to another one as a program with BullMQ would: read a page, add it, remove it.
// node move.mjs URL QUEUE JOBS

import { Queue } from "bullmq";

const PAGE = 500;
const [url, name, jobs] = process.argv.slice(2);
const connection = { url, maxRetriesPerRequest: null };
const from = new Queue(name, { connection });
const to = new Queue(`${name}-moved`, { connection });

const began = performance.now();
let moved = 0;
for (;;) {
  const page = await from.getDelayed(0, PAGE - 1);
  if (page.length === 0) break;
  await to.addBulk(page.map(({ name, data, opts, delay }) => ({ name, data, opts: { ...opts, delay } })));
  await Promise.all(page.map((job) => job.remove()));
  moved += page.length;
}
const rate = Math.round((moved / (performance.now() - began)) * 1000);
console.log(`${"BullMQ to another queue".padEnd(28)} ${String(rate).padStart(9)} jobs/s`);
if (moved !== Number(jobs)) throw new Error(`${moved} of ${jobs}`);
await Promise.all([from.close(), to.close()]);
