import { startReprieve, stopReprieve, expect, programTest as test, unique } from '../support/reprieve.ts';

/** The promise is 50 ms on a machine that has nothing else to do; here two browsers and a compiler may run. */
const LATE_MS_MAX = 1_000;
/** When the jobs are due of which most keep it: the machine may be stopped for longer than that while one is. */
const DELAYS_MS = [1_500, 2_000, 2_500, 3_000, 3_500];

test('a job arrives at its webhook, never early', async ({ reprieve }) => {
  const jobs = DELAYS_MS.map((delay_ms) => ({ kind: 'ok.arrive', payload: { order: 7 }, delay_ms }));
  const ids = (await reprieve.api.enqueueMany(jobs)).map(({ id }) => id);

  const late = await Promise.all(
    ids.map(async (id) => {
      const { due_ms } = await reprieve.api.job(id);
      return (await reprieve.receiver.first(id)).at - due_ms;
    }),
  );

  late.sort((a, b) => a - b);
  expect(late[0], 'none early').toBeGreaterThanOrEqual(0);
  expect(late[Math.floor(late.length / 2)], `ms late: ${late.join(', ')}`).toBeLessThan(LATE_MS_MAX);
  for (const id of ids) await expect.poll(async () => (await reprieve.api.job(id)).state).toBe('done');
});

test('a cancelled job that is put back keeps its due time to the millisecond', async ({ reprieve }) => {
  const { id } = await reprieve.api.enqueue({ kind: 'ok.undo', delay_ms: 3_600_000 });
  const before = await reprieve.api.job(id);

  expect((await reprieve.api.cancel(id)).outcome).toBe('cancelled');
  expect((await reprieve.api.job(id)).state).toBe('cancelled');
  expect((await reprieve.api.reinstate(id)).outcome).toBe('delayed');

  const after = await reprieve.api.job(id);
  expect(after.due_ms).toBe(before.due_ms);
  expect(after.version).toBeGreaterThan(before.version);
});

test('all jobs of a subject are called off in one step', async ({ reprieve }) => {
  const subject = `resource:${unique('four')}`;
  const ids = await reprieve.api.enqueueMany(
    ['notice', 'notice', 'notice', 'delete'].map((kind) => ({ kind: `ok.${kind}`, subject, delay_ms: 3_600_000 })),
  );

  await reprieve.api.cancelSubject(subject);

  for (const { id } of ids) expect((await reprieve.api.job(id)).state).toBe('cancelled');
});

test('every job arrives although the program is killed while it works', async () => {
  test.slow();
  const reprieve = await startReprieve();
  try {
    const jobs = Array.from({ length: 1_000 }, (_, n) => ({ kind: 'ok.survive', payload: { n }, delay_ms: 1_000 }));
    const enqueued: { id: string }[] = [];
    for (let at = 0; at < jobs.length; at += 500) enqueued.push(...(await reprieve.api.enqueueMany(jobs.slice(at, at + 500))));
    await reprieve.receiver.next();

    await reprieve.program.kill();
    await reprieve.program.run();

    const arrived = () => enqueued.filter(({ id }) => reprieve.receiver.of(id).length > 0).length;
    await expect.poll(arrived, { timeout: 120_000 }).toBe(enqueued.length);
  } finally {
    await stopReprieve(reprieve);
  }
});
