import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { Client, Conflict, Invalid, NotAllowed, NotFound, ReprieveError, Unavailable } from "reprieve-client";
import { Proxy, Server } from "./server.js";

const server = new Server();
let client: Client;
before(async () => {
  client = new Client((await server.start()).url);
});
after(() => server.close());

/** The error that a call ends with. */
async function refusal(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    (answer) => assert.fail(`it was done: ${JSON.stringify(answer)}`),
    (error: unknown) => error,
  );
}

test("a job is enqueued, cancelled and reinstated for its original time", async () => {
  const unique = { key: "k", ttl_ms: 9_000 };
  const job = { id: "a/1", kind: "notice", subject: "order:1", delay_ms: 3_600_000, payload: { n: 1 }, unique };
  const planned = await client.enqueue(job);
  assert.deepEqual([planned.outcome, planned.state], ["delayed", "delayed"]);

  const cancelled = await client.cancel("a/1", { reason: "the customer renewed", version: planned.version });
  const back = await client.reinstate("a/1", { reason: "a mistake" });

  assert.deepEqual([cancelled.outcome, back.outcome], ["cancelled", "delayed"]);
  assert.equal(back.due_ms, planned.due_ms);
  const shown = await client.job("a/1");
  assert.deepEqual([shown.state, shown.payload, shown.subject], ["delayed", { n: 1 }, "order:1"]);
  const reasons = shown.history.map((change) => change.reason);
  assert.deepEqual(reasons.slice(0, 2), ["a mistake", "the customer renewed"]);
});

test("all jobs of a subject are cancelled at once", async () => {
  const job = { kind: "notice", subject: "ann+a/b@example.com", delay_ms: 60_000 };
  const ids = [(await client.enqueue(job)).id, (await client.enqueue(job)).id];
  const cancelled = await client.cancelSubject("ann+a/b@example.com", { reason: "she left" });
  assert.deepEqual(cancelled.jobs.map(({ id }) => id).sort(), ids.sort());
  for (const id of ids) assert.equal((await client.job(id)).state, "cancelled");
});

test("a key makes a repeat the same request", async () => {
  const once = { idempotencyKey: "once" };
  const first = await client.enqueue({ kind: "notice", delay_ms: 60_000 }, once);
  assert.equal((await client.enqueue({ kind: "notice", delay_ms: 60_000 }, once)).id, first.id);
  const error = await refusal(client.enqueue({ kind: "another", delay_ms: 60_000 }, once));
  assert.ok(error instanceof Invalid && error.code === "idempotency_key_reused");
});

test("errors say what the caller can do", async () => {
  const invalid = await refusal(client.enqueue({ kind: "notice", priority: 10, delay_ms: -1 }));
  assert.ok(invalid instanceof Invalid && invalid.message.includes("2 mistakes"));
  assert.deepEqual(new Set(invalid.errors.map(({ pointer }) => pointer)), new Set(["/priority", "/delay_ms"]));

  const missing = await refusal(client.job("nobody"));
  assert.ok(missing instanceof NotFound && missing.message.includes("nobody"));

  const unique = { key: "held", ttl_ms: 60_000 };
  const holder = (await client.enqueue({ kind: "notice", delay_ms: 60_000, unique })).id;
  const duplicate = await refusal(client.enqueue({ kind: "notice", unique }));
  assert.ok(duplicate instanceof Conflict);
  assert.deepEqual([duplicate.code, duplicate.body.holder], ["duplicate", holder]);

  const live = await refusal(client.reinstate(holder));
  assert.ok(live instanceof Conflict);
  assert.deepEqual([live.code, live.body.state], ["wrong_state", "delayed"]);
});

test("a token without the permission is refused with its name", async () => {
  const reader = new Client(server.url, { token: server.token("reader", "view") });
  const error = await refusal(reader.enqueue({ kind: "notice" }));
  assert.ok(error instanceof NotAllowed && error.message.includes("jobs.enqueue"), String(error));
  assert.deepEqual([error.code, error.status], ["forbidden", 403]);
});

for (const loses of ["answer", "gateway"] as const) {
  test(`a lost answer is asked for again under the same key: ${loses}`, async () => {
    const proxy = new Proxy(server.url, loses);
    const subject = `lost:${loses}`;
    const through = new Client(await proxy.start());
    const began = performance.now();
    const job = await through.enqueue({ kind: "notice", subject, delay_ms: 60_000 });
    proxy.close();
    // The page of the gateway says when to try again.
    assert.ok(performance.now() - began >= (loses === "gateway" ? 1_000 : 0));
    assert.ok(proxy.keys.length === 2 && proxy.keys[0] && proxy.keys[0] === proxy.keys[1], String(proxy.keys));
    assert.deepEqual((await client.cancelSubject(subject)).jobs.map(({ id }) => id), [job.id]);
  });
}

for (const status of [301, 302, 307]) {
  test(`a redirect is an error, and no GET in place of a POST: ${status}`, async () => {
    const proxy = createServer((request, response) => {
      response.writeHead(status, { location: `${server.url}${request.url}` }).end("[]");
    }).listen(0, "127.0.0.1");
    await once(proxy, "listening");
    const { port } = proxy.address() as AddressInfo;
    const error = await refusal(new Client(`http://127.0.0.1:${port}`).enqueue({ kind: "notice" }));
    proxy.closeAllConnections();
    proxy.close();
    assert.ok(error instanceof ReprieveError && error.code === `http_${status}`, String(error));
  });
}

test("what is no address, token or key is told at once", async () => {
  for (const url of ["localhost:8080", "", "ftp://localhost"]) assert.throws(() => new Client(url), TypeError);
  for (const token of ["rpv_…", "rpv_ab\n"]) {
    assert.throws(() => new Client(server.url, { token }), /^TypeError: the token contains "(…|\\n)"/);
  }
  const began = performance.now();
  const error = await refusal(client.cancel("a", {}, { idempotencyKey: "ключ" }));
  assert.ok(error instanceof TypeError && performance.now() - began < 10_000, String(error));
});

test("a server that is away is asked for a while", async () => {
  const proxy = new Proxy(server.url, "answer");
  const gone = new Client(await proxy.start(), { retryForMs: 200 });
  proxy.close();
  const error = await refusal(gone.cancel("a", {}, { idempotencyKey: "once" }));
  assert.ok(error instanceof Unavailable);
  assert.deepEqual([error.code, error.idempotencyKey], ["unreachable", "once"]);
});
