import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, Fatal, type Handler, NotAllowed, Retry, Snooze, Stopped, Worker, type WorkerOptions } from "reprieve-client";
import { Server, until } from "./server.js";

const server = new Server();
let client: Client;
before(async () => {
  client = new Client((await server.start()).url);
});
after(() => server.close());

/** Works on a queue while `meanwhile` runs; the worker has ended at the end. */
async function working(
  queue: string,
  work: Handler,
  meanwhile: (worker: Worker) => Promise<void>,
  options: Partial<WorkerOptions> = {},
  from = client,
): Promise<void> {
  const worker = new Worker(from, { queue, handlers: { work }, warn: () => undefined, ...options });
  const run = worker.run();
  try {
    await meanwhile(worker);
  } finally {
    worker.stop();
    await run;
  }
}

async function state(id: string, from = client): Promise<string> {
  return (await from.job(id)).state;
}

/** Becomes `ends` while a worker with that handler runs. */
async function becomes(id: string, work: Handler, ends: string, options: Partial<WorkerOptions> = {}) {
  await working(id, work, () => until(async () => (await state(id)) === ends), options);
}

const raising = (error: Error) => () => {
  throw error;
};

const OUTCOMES: [string, Handler, string, string][] = [
  ["done", (job) => (job.payload as { n: number }).n + 1, "done", ""],
  ["failed", raising(new RangeError("no ink")), "retrying", "RangeError: no ink"],
  ["again", raising(new Retry("busy", 59_999.6)), "retrying", "busy"],
  ["refused", raising(new Retry("too far away", 1e18)), "retrying", "too far away"],
  ["odd", () => Promise.reject(Object.create(null)), "retrying", "[object Object]"],
  ["fatal", raising(new Fatal("no such address")), "dead", "no such address"],
  ["later", raising(new Snooze("closed", 60_000)), "delayed", ""],
];
for (const [name, work, ends, error] of OUTCOMES) {
  test(`what a handler does is reported: ${name}`, async () => {
    await client.enqueue({ id: name, kind: "work", queue: name, payload: { n: 1 } });
    await becomes(name, work, ends);
    const job = await client.job(name);
    assert.deepEqual([job.last_error.split("\n")[0], job.attempt], [error, name === "later" ? 0 : 1]);
    if (name === "again" || name === "later") {
      const waits = job.due_ms - (job.attempts[0]?.ended_ms ?? 0);
      assert.ok(waits > 59_000 && waits <= 60_000, String(waits));
    }
  });
}

const RESULTS: [string, Handler, unknown][] = [
  ["counts", async (job) => ({ n: (job.payload as { n: number }).n + 1 }), { n: 2 }],
  ["no", () => false, false],
  ["nothing", () => undefined, null],
  ["most", () => "x".repeat(64 * 1_024 - 2), "x".repeat(64 * 1_024 - 2)],
];
for (const [name, work, result] of RESULTS) {
  test(`what a handler returns is the result: ${name}`, async () => {
    await client.enqueue({ id: name, kind: "work", queue: name, payload: { n: 1 } });
    await becomes(name, work, "done");
    assert.deepEqual((await client.job(name)).result, result);
  });
}

const UNFIT: [string, unknown, string][] = [
  ["large", "é".repeat(32 * 1_024), "it has 65538 bytes, at most 65536 are allowed"],
  ["function", () => undefined, "it is no JSON: a function"],
  ["bigint", { n: 1n }, "it is no JSON: TypeError: "],
  // The server says this.
  ["surrogate", "\ud800", "surrogate"],
];
for (const [name, result, why] of UNFIT) {
  test(`a job whose result cannot be kept is done without it: ${name}`, async () => {
    await client.enqueue({ id: name, kind: "work", queue: name });
    const told: string[] = [];
    await becomes(name, () => result, "done", { warn: (message) => told.push(message) });
    const job = await client.job(name);
    assert.deepEqual([job.result, job.attempt, told.length], [null, 1, 1], told.join("\n"));
    assert.ok(told[0]?.startsWith(`the result of job ${name} is not kept: `) && told[0].includes(why), told[0]);
  });
}

const TOLD: [string, Error, string, string][] = [
  ["said-plain", new RangeError("no ink\nat all"), "retrying", "failed: RangeError: no ink"],
  ["said-again", new Retry("busy", 60_000), "retrying", "failed, to be tried again after 60000 ms: busy"],
  ["said-fatal", new Fatal("no such address"), "dead", "failed for good: no such address"],
  ["said-later", new Snooze("closed", 60_000), "delayed", ""],
];
for (const [name, error, ends, said] of TOLD) {
  test(`a handler that throws is one warning: ${name}`, async () => {
    await client.enqueue({ id: name, kind: "work", queue: name });
    const told: string[] = [];
    await becomes(name, raising(error), ends, { warn: (message) => told.push(message) });
    assert.deepEqual(told, said ? [`job ${name} of kind work ${said}`] : []);
  });
}

test("a failure tells what caused it", async () => {
  await client.enqueue({ id: "cause", kind: "work", queue: "cause" });
  await becomes("cause", raising(new TypeError("fetch failed", { cause: new Error("ECONNREFUSED") })), "retrying");
  assert.match((await client.job("cause")).last_error, /^TypeError: fetch failed[^]*\ncaused by: Error: ECONNREFUSED/);
});

test("a text is not cut within a character", async () => {
  await client.enqueue({ id: "half", kind: "work", queue: "half" });
  await becomes("half", raising(new Error(`${"x".repeat(8 * 1_024 - 8)}😀`)), "retrying");
  assert.match((await client.job("half")).last_error, /^Error: x{8000}/);
});

test("an option that is not given has its usual value", () => {
  const options = { concurrency: undefined, timeoutMs: undefined, leaseMs: undefined } as unknown as Partial<WorkerOptions>;
  new Worker(client, { queue: "options", handlers: {}, ...options });
});

test("a kind without a handler waits for another worker", async () => {
  await client.enqueue({ id: "kinds", kind: "other", queue: "kinds" });
  const told: string[] = [];
  await becomes("kinds", raising(new Error("not called")), "delayed", { warn: (message) => told.push(message) });
  const [latest] = (await client.job("kinds")).history;
  assert.match(latest?.reason ?? "", /no handler for kind other/);
  assert.match(told.join("\n"), /^job kinds of kind other is put off for 60000 ms: no handler for kind other in .*$/);
});

test("a payload of bytes comes as bytes", async () => {
  const seen: unknown[] = [];
  await client.enqueue({ id: "bytes", kind: "work", queue: "bytes", payload_base64: "/w==" });
  await becomes("bytes", (job) => seen.push(job.payload), "done");
  assert.deepEqual(seen, [Buffer.of(0xff)]);
});

test("no more jobs run at once than is said", async () => {
  for (let n = 0; n < 4; n += 1) {
    await client.enqueue({ kind: "work", queue: "many", payload: { n, ms: n > 0 ? 200 : 1_500 } });
  }
  let running = 0;
  let most = 0;
  const ended: number[] = [];
  const work: Handler = async (job) => {
    const { n, ms } = job.payload as { n: number; ms: number };
    running += 1;
    most = Math.max(most, running);
    // The work.
    await sleep(ms);
    running -= 1;
    ended.push(n);
  };
  await working("many", work, () => until(async () => ended.length === 4), { concurrency: 2 });
  assert.equal(most, 2);
  assert.deepEqual(ended, [1, 2, 3, 0], "one place takes the short jobs while the long one has the other");
});

test("what is claimed when the worker is told to stop is given back", async () => {
  class Stopping extends Client {
    override async claim(...claim: Parameters<Client["claim"]>) {
      const claimed = await super.claim(...claim);
      worker.stop();
      return claimed;
    }
  }
  const from = new Stopping(server.url);
  const worker = new Worker(from, { queue: "back", handlers: { work: raising(new Fatal("not called")) } });
  await from.enqueue({ id: "back", kind: "work", queue: "back" });
  await worker.run();
  const job = await from.job("back");
  assert.deepEqual([job.state, job.attempt], ["ready", 0]);
});

test("a cancel reaches the handler", async () => {
  await client.enqueue({ id: "stop-me", kind: "work", queue: "cancel" });
  let seen: unknown;
  const told: string[] = [];
  const work: Handler = async ({ signal }) => {
    await sleep(20_000, undefined, { signal }).catch(() => undefined);
    seen = signal.reason;
    signal.throwIfAborted();
  };
  const meanwhile = async () => {
    await until(async () => (await state("stop-me")) === "active");
    assert.equal((await client.cancel("stop-me")).outcome, "requested");
    await until(async () => (await state("stop-me")) === "cancelled");
  };
  await working("cancel", work, meanwhile, { heartbeatMs: 100, warn: (message) => told.push(message) });
  assert.ok(seen instanceof Stopped && seen.reason === "cancel");
  assert.deepEqual(told, ["job stop-me of kind work was cancelled: Stopped: stopped: cancel"]);
});

test("a lease is extended while the handler runs", async () => {
  await client.enqueue({ id: "long", kind: "work", queue: "long" });
  // More than twice the lease.
  await becomes("long", () => sleep(3_500), "done", { leaseMs: 1_500, heartbeatMs: 250 });
  const job = await client.job("long");
  assert.deepEqual([job.attempts.map(({ result }) => result), job.stalls], [["done"], 0]);
});

test("a lost lease stops the handler", async () => {
  await client.enqueue({ id: "lost", kind: "work", queue: "lost" });
  let seen: unknown;
  const work: Handler = async ({ id, token, signal }) => {
    // Somebody else reports with its token meanwhile.
    await client.snooze(id, { token, delay_ms: 60_000 });
    await sleep(15_000, undefined, { signal }).catch(() => undefined);
    seen = signal.reason ?? "nothing";
  };
  await working("lost", work, () => until(async () => seen !== undefined), { heartbeatMs: 100 });
  assert.ok(seen instanceof Stopped && seen.reason === "lost");
  assert.equal(await state("lost"), "delayed");
});

test("a job beyond its time limit is stopped and fails", async () => {
  await client.enqueue({ id: "slow", kind: "work", queue: "slow", timeout_ms: 300 });
  await becomes("slow", (job) => sleep(20_000, undefined, { signal: job.signal }), "retrying");
  assert.match((await client.job("slow")).last_error, /^took longer than its limit of 300 ms/);
});

test("a server that comes back hears what was done and gives more", async () => {
  const own = await new Server().start();
  const from = new Client(own.url);
  try {
    await from.enqueue({ id: "before", kind: "work", queue: "away" });
    const signals = new EventEmitter();
    const work: Handler = async ({ id }) => {
      if (id === "after") return;
      signals.emit("begun");
      await once(signals, "finish");
    };
    const begun = once(signals, "begun");
    const meanwhile = async () => {
      await begun;
      await own.stop();
      signals.emit("finish");
      // Long enough for a report, a heartbeat and a claim to fail.
      await sleep(500);
      await own.start();
      await from.enqueue({ id: "after", kind: "work", queue: "away" });
      for (const id of ["before", "after"]) await until(async () => (await state(id, from)) === "done");
    };
    // With room for another job: a claim waits at the server that goes away.
    await working("away", work, meanwhile, { heartbeatMs: 200, concurrency: 2 }, from);
    assert.equal((await from.job("before")).attempt, 1);
  } finally {
    await own.close();
  }
});

test("a worker whose token may not work ends and says so", async () => {
  const reader = new Client(server.url, { token: server.token("idle", "view") });
  const run = new Worker(reader, { queue: "any", handlers: {} }).run();
  await assert.rejects(run, (error) => error instanceof NotAllowed && error.message.includes("jobs.work"));
});

test("an idle worker ends at once", async () => {
  await client.enqueue({ id: "only", kind: "work", queue: "idle" });
  let began = 0;
  const meanwhile = async () => {
    await until(async () => (await state("only")) === "done");
    // Until its next claim waits at the server, of which nothing tells us.
    await sleep(300);
    began = performance.now();
  };
  await working("idle", () => undefined, meanwhile);
  assert.ok(performance.now() - began < 5_000, "the claim would wait for ten seconds");
});

for (const obeys of [true, false]) {
  test(`a handler that is not done at the end is stopped and its job given back: it obeys ${obeys}`, async () => {
    const id = `end-${obeys}`;
    await client.enqueue({ id, kind: "work", queue: id });
    const letGo = new AbortController();
    let seen: unknown;
    const work: Handler = async ({ signal }) => {
      await sleep(30_000, undefined, { signal: obeys ? signal : letGo.signal }).catch(() => undefined);
      seen = signal.reason;
      signal.throwIfAborted();
    };
    await working(id, work, () => until(async () => (await state(id)) === "active"), { graceMs: 100 });
    assert.equal((seen as Stopped | undefined)?.reason, obeys ? "shutdown" : undefined);
    letGo.abort();
    const job = await client.job(id);
    assert.deepEqual([job.state, job.attempt], ["ready", 0]);
  });
}

test("the example finishes what it has on SIGTERM, and obeys cancels", async () => {
  for (const [id, payload] of [["cancelled", { pages: 60 }], ["wrong", {}], ["finished", { pages: 2 }]] as const) {
    await client.enqueue({ id, kind: "send_notice", queue: "mail", subject: id, payload });
  }
  const env = { ...process.env, REPRIEVE_TOKEN: server.token("mailer", "jobs.work") };
  const example = spawn(process.execPath, ["examples/worker.mjs", server.url], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
    timeout: 30_000,
    killSignal: "SIGKILL",
  });
  const ended = once(example, "exit");
  const lines: string[] = [];
  for await (const line of createInterface({ input: example.stdout })) {
    lines.push(line);
    if (line === "finished: page 1 of 2") {
      await client.cancel("cancelled");
      // Often both come, as from a shell and from what runs in it.
      example.kill("SIGTERM");
      example.kill("SIGINT");
    }
  }
  assert.ok(lines.includes("finished: page 2 of 2"), lines.join("\n"));
  assert.deepEqual(await ended, [0, null]);
  assert.equal(await state("cancelled"), "cancelled");
  const [finished, wrong] = [await client.job("finished"), await client.job("wrong")];
  assert.deepEqual([finished.state, finished.result], ["done", { pages: 2 }]);
  const why = "the payload of a notice needs `pages`, a whole number from 1";
  assert.deepEqual([wrong.state, wrong.last_error], ["dead", why]);
});
