// Drives BullMQ by orders on stdin, one JSON object a line: see bench/src/protocol.rs.

import { createInterface } from "node:readline";
import { Queue, Worker } from "bullmq";

const QUEUE = "bench";
const PAYLOAD_BYTES = 100;

const nowUs = () => Math.round((performance.timeOrigin + performance.now()) * 1000);

let connection, queue, worker;
let serial = 0;
let ids = [];
let starts = { first: 0, last: 0, late: [] };
let wanted = null;

/** JSON of exactly 100 bytes, as every competitor stores it. */
function data(dueUs) {
  const made = { due_us: dueUs, serial: serial++, pad: "" };
  made.pad = "x".repeat(Math.max(0, PAYLOAD_BYTES - JSON.stringify(made).length));
  return made;
}

/** BullMQ keeps ended jobs for ever unless told otherwise; a service that lives long tells it. */
function job(load, n) {
  const dueUs = load.due_us > 0 ? load.due_us + n * load.step_us : 0;
  const opts = { removeOnComplete: true };
  if (dueUs) opts.delay = Math.max(0, Math.round((dueUs - nowUs()) / 1000));
  return { name: "bench", data: data(dueUs || nowUs()), opts };
}

async function enqueue(load) {
  let next = 0;
  const began = nowUs();
  const produce = async () => {
    while (next < load.count) {
      const from = next;
      next += load.batch;
      const until = Math.min(load.count, from + load.batch);
      let added;
      if (load.batch === 1) {
        const { name, data, opts } = job(load, from);
        added = [await queue.add(name, data, opts)];
      } else {
        const jobs = [];
        for (let n = from; n < until; n++) jobs.push(job(load, n));
        added = await queue.addBulk(jobs);
      }
      if (load.due_us > 0) for (const one of added) ids.push(one.id);
    }
  };
  await Promise.all(Array.from({ length: load.producers }, produce));
  return { took_us: nowUs() - began, count: load.count };
}

function start({ concurrency, hold }) {
  const handle = async (one) => {
    const now = nowUs();
    if (starts.late.length === 0) starts.first = now;
    starts.last = now;
    starts.late.push(now - one.data.due_us);
    if (wanted && starts.late.length >= wanted.count) wanted.resolve();
    if (hold) await new Promise(() => {});
  };
  worker = new Worker(QUEUE, handle, { connection, concurrency });
  worker.on("error", (error) => console.error("bullmq:", error.message));
  return worker.waitUntilReady().then(() => ({}));
}

async function wait({ count, limit_ms }) {
  if (starts.late.length < count) {
    let timer;
    await new Promise((resolve) => {
      wanted = { count, resolve };
      timer = setTimeout(resolve, limit_ms);
    });
    clearTimeout(timer);
    wanted = null;
  }
  const { first, last, late } = starts;
  starts = { first: 0, last: 0, late: [] };
  return { count: late.length, first_us: first, last_us: last, late_us: late };
}

async function stop() {
  await worker?.close();
  worker = undefined;
  return {};
}

async function cancel({ count, callers }) {
  for (let n = ids.length - 1; n > 0; n--) {
    const other = Math.floor(Math.random() * (n + 1));
    [ids[n], ids[other]] = [ids[other], ids[n]];
  }
  const chosen = ids.splice(Math.max(0, ids.length - count));
  let next = 0;
  let removed = 0;
  const began = nowUs();
  const call = async () => {
    while (next < chosen.length) {
      const gone = await queue.remove(chosen[next++]);
      // Not in one expression, which would read the sum before the wait.
      removed += gone;
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  return { took_us: nowUs() - began, count: removed };
}

async function open({ url }) {
  const { hostname, port } = new URL(url);
  connection = { host: hostname, port: Number(port), maxRetriesPerRequest: null };
  queue = new Queue(QUEUE, { connection });
  await queue.waitUntilReady();
  return {};
}

const orders = {
  open,
  enqueue,
  start,
  wait,
  stop,
  cancel,
  cancel_subjects: async () => ({ unsupported: "does not know what a job is about" }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line);
  let answer;
  try {
    answer = await orders[order.do](order);
  } catch (error) {
    answer = { error: String(error) };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}
process.exit(0);
