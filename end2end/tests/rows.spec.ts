import type { Api } from '../support/api.ts';
import { amend } from '../support/planted.ts';
import { expect, open, test, unique } from '../support/reprieve.ts';
import { Screens } from '../support/screens.ts';

const HOUR_MS = 3_600_000;

/** A job that a worker elsewhere has. The program's own sets aside what it does not know, so it must not come first. */
async function claimed(api: Api): Promise<{ id: string; token: number; queue: string }> {
  for (;;) {
    const queue = unique('runs');
    await api.enqueue({ kind: 'none.says', queue });
    const { items } = await api.call<{ items: { id: string; token: number }[] }>('POST', `/queues/${queue}/claim`, { worker: 'w', most: 1 });
    if (items[0]) {
      return { ...items[0], queue };
    }
  }
}

test('a job that was run before its time says how early', async ({ page, reprieve }) => {
  const { id } = await reprieve.api.enqueue({ kind: 'ok.early', queue: unique('early'), delay_ms: 3 * HOUR_MS });
  const screens = new Screens(page, reprieve.program.address);
  await screens.job(id);
  await screens.runNow();
  await expect(screens.state()).toHaveText(/Done/);
  await expect(page.getByText(/^early by (2 h 59 m|3 h)$/)).toBeVisible();
  await expect(page.getByText(/^late by/)).toHaveCount(0);
});

test('a row says who enqueued the job, how far it is, and what its error calls itself', async ({ page, reprieve }) => {
  const queue = unique('says');
  const screens = new Screens(page, reprieve.program.address);
  const { id } = await reprieve.api.enqueue({ kind: 'none.says', queue, delay_ms: HOUR_MS });
  // The page's own function: as whoever sits at the dashboard.
  const moved = await page.request.post(reprieve.url('/api/fn/reschedule_job'), {
    form: { id, preset: '+900', reason: 'Duplicate' },
    headers: { origin: reprieve.program.address },
  });
  expect(moved.ok()).toBe(true);
  await screens.list('delay', queue);
  await expect(screens.row(id).locator('.cell-own')).toHaveText(/^api\s*someone at the dashboard: Duplicate$/);

  const { id: runs, token, queue: fresh } = await claimed(reprieve.api);
  const told = { percent: '40', text: 'copying', at: String(Date.now()), attempt: '1' };
  await amend(reprieve.program, runs, { progress: JSON.stringify(told) });
  await screens.list('active', fresh);
  await expect(screens.row(runs).locator('.cell-own')).toContainText('40 %');

  const error = 'TimeoutError: no answer within 30 s';
  await reprieve.api.call('POST', `/jobs/${runs}/fail`, { token, error, fatal: true });
  await screens.list('dead', fresh);
  await expect(screens.row(runs).locator('.cell-own')).toContainText(error);
  await expect(screens.row(runs).locator('.error-class')).toHaveText('TimeoutError');
});

test('id, subject and error of a row are copied', async ({ page, context, reprieve }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const queue = unique('copied');
  const subject = `customer:${queue}`;
  const { id } = await reprieve.api.enqueue({ kind: 'fatal.copied', queue, subject });
  await expect.poll(async () => (await reprieve.api.job(id)).state).toBe('dead');
  const screens = new Screens(page, reprieve.program.address);
  await screens.list('dead', queue);
  const row = screens.row(id);
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  const copyId = row.getByRole('button', { name: 'Copy id' });
  await expect(copyId).toHaveCSS('opacity', '0');
  await copyId.focus();
  await expect(copyId, 'it is seen where the focus is').toHaveCSS('opacity', '1');
  await page.keyboard.press('Enter');
  await expect.poll(copied).toBe(id);
  await row.hover();
  await row.getByRole('button', { name: 'Copy subject' }).click();
  await expect.poll(copied).toBe(subject);
  await row.getByRole('button', { name: 'Copy error' }).click();
  await expect.poll(copied).toContain('410');
});

test('a row of two lines has 44 pixels, and one of one line 32', async ({ page, reprieve }) => {
  const queue = unique('high');
  await reprieve.api.enqueueMany([
    { kind: 'ok.high', queue, subject: 'customer:1', payload: { order: 7 }, delay_ms: HOUR_MS },
    { kind: 'fatal.high', queue, subject: 'customer:2' },
    { kind: 'ok.high', queue },
  ]);
  for (const list of ['delay', 'dead', 'done']) {
    for (const [rows, height] of [['roomy', 44], ['compact', 32]] as const) {
      await expect(async () => {
        await open(page, reprieve.url(`/jobs/${list}?queue=${queue}&rows=${rows}`));
        const box = await page.locator('tr[data-id]').first().boundingBox({ timeout: 2_000 });
        expect(box?.height, `${list}, ${rows}`).toBeGreaterThanOrEqual(height);
        expect(box?.height, `${list}, ${rows}`).toBeLessThanOrEqual(height + 1);
      }).toPass();
    }
  }
});
