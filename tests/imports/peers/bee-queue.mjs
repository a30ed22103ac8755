// Bee-Queue as its users run it: `node bee-queue.mjs <address of Redis> <order> <queue> …`. Answers with one JSON value a line.

import Queue from 'bee-queue';
import { Redis } from 'ioredis';

const [address, order, ...words] = process.argv.slice(2);
const path = address.replace('unix://', '');
const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
const HOUR_MS = Number(process.env.PEER_HOUR_S ?? 3_600) * 1_000;

const open = (name, settings) => new Queue(name, { redis: { path }, storeJobs: false, ...settings });

/** The nth job: at once, soon, in an hour, with whatever Bee-Queue knows of jobs. */
function job(queue, n) {
  const made = queue.createJob({ n, to: 'ö@example.com', lines: ['a', { b: null }] });
  switch (n % 10) {
    case 0: case 1: return made;
    case 2: return made.delayUntil(Date.now() + 1_500 + n);
    case 3: return made.delayUntil(new Date(Date.now() + HOUR_MS));
    case 4: return made.retries(3).backoff('exponential', 50);
    case 5: return made.delayUntil(Date.now() + HOUR_MS).retries(2).backoff('fixed', 1_000).timeout(5_000);
    case 6: return made.delayUntil(Date.now() + HOUR_MS).setId(`order ${n}/ö`);
    default: return made.delayUntil(Date.now() + HOUR_MS + n);
  }
}

/** Adds that many jobs from the nth on, and says of each the id it has here, and when it is due. */
async function fill(name, from, count) {
  const queue = open(name, { isWorker: false });
  const redis = new Redis({ path });
  for (let n = from; n < from + count; n += 1) {
    const { id } = await job(queue, n).save();
    const due = await redis.zscore(`bq:${name}:delayed`, id);
    const here = /^\d+$/.test(id) ? `${name}:${id}` : id.replaceAll(' ', '@20').replaceAll('ö', '@C3@B6');
    say({ job: here, due: due === null ? null : Number(due) });
  }
  await Promise.all([queue.close(), redis.quit()]);
}

/** Has a job fail for good. */
async function fail(name) {
  const queue = open(name);
  await queue.createJob({ n: -1 }).setId('dead0000').save();
  const failed = new Promise((resolve) => queue.on('failed', resolve));
  queue.process(async () => {
    // Its own stack would tell where this file is.
    throw Object.assign(new Error('no route'), { stack: 'Error: no route\n    at work' });
  });
  await failed;
  await queue.close();
}

/** Makes everything due that waits for its time. */
async function promote(name) {
  const redis = new Redis({ path });
  const now = Date.now();
  for (const id of await redis.zrange(`bq:${name}:delayed`, 0, -1)) await redis.zadd(`bq:${name}:delayed`, 'XX', now, id);
  await redis.publish(`bq:${name}:earlierDelayed`, now);
  await redis.quit();
}

/** Works until it is killed, and says the id of each job it has done. */
async function work(...names) {
  say('ready');
  for (const name of names) {
    const queue = open(name, { activateDelayedJobs: true });
    queue.process(10, async ({ id }) => {
      say({ job: /^\d+$/.test(id) ? `${name}:${id}` : id.replaceAll(' ', '@20').replaceAll('ö', '@C3@B6') });
    });
    await queue.ready();
  }
  await new Promise(() => {});
}

switch (order) {
  case 'fill': await fill(words[0], Number(words[1]), Number(words[2])); break;
  case 'fail': await fail(words[0]); break;
  case 'keep': break;
  case 'promote': await promote(words[0]); break;
  case 'work': await work(...words); break;
  default: throw new Error(`no such order: ${order}`);
}
