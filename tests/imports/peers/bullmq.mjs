// BullMQ as its users run it: `node bullmq.mjs <5 | 6> <address of Redis> <order> <queue> …`. Answers with one JSON value
// a line.

import { Redis } from 'ioredis';

const [version, address, order, ...words] = process.argv.slice(2);
const { Queue, Worker, FlowProducer } = await import(version === '5' ? 'bullmq-5' : 'bullmq');

const connection = { path: address.replace('unix://', '') };
const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
const HOUR_MS = 3_600_000;

/** The nth job: at once, past, soon, in an hour, with whatever BullMQ knows of jobs. */
function job(n) {
  const name = ['welcome', 'order:paid', 'Größe ändern'][n % 3];
  const data = { n, to: 'ö@example.com', lines: ['a', { b: null }] };
  switch (n % 10) {
    case 0: return { name, data, opts: { delay: 1 } };
    case 1: return { name, data };
    case 2: return { name, data, opts: { delay: 1_500 + n } };
    case 3: return { name, data, opts: { delay: HOUR_MS } };
    case 4: return { name, data, opts: { priority: (n % 70) + 1 } };
    case 5: return { name, data, opts: { delay: HOUR_MS + n, priority: 2_097_151 } };
    case 6: return { name, data, opts: { delay: HOUR_MS, jobId: `order ${n}/ö`, removeOnComplete: { age: 60, count: 5 } } };
    case 7: return { name, data, opts: { delay: HOUR_MS + n / 7, attempts: 7, backoff: { type: 'exponential', delay: 50 } } };
    case 8: return { name, data, opts: { delay: HOUR_MS, deduplication: { id: `once:${n}`, ttl: HOUR_MS } } };
    default: return { name, data: n, opts: { delay: 2_000, lifo: true, keepLogs: 3 } };
  }
}

/** Adds that many jobs from the nth on, and says of each its data as they are stored, and when it is due. */
async function fill(name, from, count) {
  const queue = new Queue(name, { connection });
  const redis = new Redis(connection);
  for (let n = from; n < from + count; n += 100) {
    const length = Math.min(100, from + count - n);
    const added = await queue.addBulk(Array.from({ length }, (_, at) => job(n + at)));
    for (const { id, data, timestamp, opts: { delay } } of added) {
      // A delay with a fraction may become the next millisecond, behind what is due then.
      const score = () => redis.zscore(`bull:${name}:delayed`, id);
      const due = Number.isInteger(delay) ? timestamp + delay : delay ? Math.floor((await score()) / 4096) : null;
      say({ job: JSON.stringify(data), due });
    }
  }
  await Promise.all([queue.close(), redis.quit()]);
}

/** Adds what only BullMQ can go on with: a schedule and a flow. */
async function keep(name) {
  const queue = new Queue(name, { connection });
  await queue.upsertJobScheduler('nightly', { pattern: '0 0 4 * * *' }, { name: 'report', data: {} });
  const flow = new FlowProducer({ connection });
  const child = { name: 'child', queueName: name, data: {}, opts: { delay: HOUR_MS } };
  await flow.add({ name: 'parent', queueName: name, data: {}, children: [child] });
  await Promise.all([queue.close(), flow.close()]);
}

/** Makes everything due that waits for its time. */
async function promote(name) {
  const queue = new Queue(name, { connection });
  await queue.promoteJobs();
  await queue.close();
}

/** Works until it is killed, and says the data of each job it has done. */
async function work(...names) {
  const done = async ({ data }) => say({ job: JSON.stringify(data) });
  for (const name of names) {
    await new Worker(name, done, { connection, concurrency: 10 }).waitUntilReady();
  }
  say('ready');
  await new Promise(() => {});
}

switch (order) {
  case 'fill': await fill(words[0], Number(words[1]), Number(words[2])); break;
  case 'keep': await keep(words[0]); break;
  case 'promote': await promote(words[0]); break;
  case 'work': await work(...words); break;
  default: throw new Error(`no such order: ${order}`);
}
