import { expect, open, test, unique } from '../support/reprieve.ts';
import { Screens } from '../support/screens.ts';

const HOUR_MS = 3_600_000;

test('a job that was run before its time says how early', async ({ page, reprieve }) => {
  const { id } = await reprieve.api.enqueue({ kind: 'ok.early', queue: unique('early'), delay_ms: 3 * HOUR_MS });
  const screens = new Screens(page, reprieve.program.address);
  await screens.job(id);
  await screens.runNow();
  await expect(screens.state()).toHaveText(/Done/);
  await expect(page.getByText(/^early by (2 h 59 m|3 h)$/)).toBeVisible();
  await expect(page.getByText(/^late by/)).toHaveCount(0);
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
