import { expect, programTest as test, unique } from '../support/reprieve.ts';

/** When the jobs are due. How late they may be is asked where nothing else runs. */
const DELAYS_MS = [1_500, 2_000, 2_500];

test('a job arrives at its webhook, never early', async ({ reprieve }) => {
  const jobs = DELAYS_MS.map((delay_ms) => ({ kind: 'ok.arrive', payload: { order: 7 }, delay_ms }));
  const ids = (await reprieve.api.enqueueMany(jobs)).map(({ id }) => id);

  const late = await Promise.all(
    ids.map(async (id) => {
      const { due_ms } = await reprieve.api.job(id);
      return (await reprieve.receiver.first(id)).at - due_ms;
    }),
  );

  expect(Math.min(...late), 'none early').toBeGreaterThanOrEqual(0);
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
