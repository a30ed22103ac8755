import { expect, test, unique } from '../support/reprieve.ts';
import { Screens } from '../support/screens.ts';

// The browser itself notes the refusal on the console.
test.use({ expectedComplaints: /status of 409/ });

test('whoever comes second is told what happened, and nothing is overwritten', async ({ context, reprieve }) => {
  const { id } = await reprieve.api.enqueue({ kind: 'hold.conflict', queue: unique('conflict'), delay_ms: 3_600_000 });
  const mine = new Screens(await context.newPage(), reprieve.program.address);
  const theirs = new Screens(await context.newPage(), reprieve.program.address);
  await mine.job(id);
  await theirs.job(id);

  // I look at the form while the other one runs the job.
  await mine.page.getByRole('button', { name: /Pause live updates/ }).click();
  await mine.openCancel();
  await theirs.runNow();
  await reprieve.receiver.first(id);
  await mine.confirmCancel('Customer asked');

  await expect(mine.said(/This job started .* ago on .*|This job is .* by now/)).toBeVisible();
  expect((await reprieve.api.job(id)).state).toBe('active');
  reprieve.receiver.release();
  await expect.poll(async () => (await reprieve.api.job(id)).state).toBe('done');
});

test('a job that runs stops when it is asked to', async ({ page, reprieve }) => {
  const screens = new Screens(page, reprieve.program.address);
  const { id } = await reprieve.api.enqueue({ kind: 'hold.stop', queue: unique('stop') });
  await reprieve.receiver.first(id);
  await screens.job(id);
  await expect(screens.state()).toHaveText(/Active/);

  await screens.button(/Ask (it )?to stop/).first().click();
  await screens.confirm(/Ask (it )?to stop/, 'Customer asked');

  // Its worker hears of it with the next heartbeat.
  await expect.poll(async () => (await reprieve.api.job(id)).state, { timeout: 20_000 }).toBe('cancelled');
  reprieve.receiver.release();
});
