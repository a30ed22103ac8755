import { expect, open, test, unique } from '../support/reprieve.ts';
import { Screens } from '../support/screens.ts';

const HOUR_MS = 3_600_000;
/** Less than a row. */
const NEAR_PX = 40;

test('ticks, rows and the place come back after a run', async ({ page, reprieve }) => {
  const queue = unique('recall');
  const jobs = await reprieve.api.enqueueMany(
    Array.from({ length: 60 }, (_, n) => ({ kind: 'ok.recall', queue, delay_ms: HOUR_MS + n * 60_000 })),
  );
  const [above, first, second] = jobs.slice(29, 32).map(({ id }) => id);
  if (!above || !first || !second) throw new Error('nothing was enqueued');
  const screens = new Screens(page, reprieve.program.address);
  const rows = page.locator('tr[data-id]');
  /** How far from the upper edge of the window a row is. */
  const height = async (id: string) => (await screens.row(id).boundingBox())?.y ?? 0;
  const top = () => page.evaluate(() => window.scrollY);
  const tick = (id: string) => screens.row(id).getByRole('checkbox');
  const bar = page.getByRole('group', { name: 'What to do with the jobs ticked' });
  await open(page, reprieve.url(`/jobs/delay?queue=${queue}&size=25`));
  await screens.more().click();
  await expect(rows).toHaveCount(50);
  await tick(first).check();
  await tick(second).check();
  await screens.row(second).evaluate((row) => row.scrollIntoView({ block: 'center' }));

  // They are due later, and still in the list.
  await bar.getByRole('button', { name: 'Reschedule' }).click();
  expect(await top(), 'the list is longer than the screen').toBeGreaterThan(300);
  const button = page.getByRole('button', { name: 'Look at what it would do' });
  // A person sees what they press; the page may have to be scrolled for that.
  await button.scrollIntoViewIfNeeded();
  const place = await height(above);
  await button.click();
  await page.getByRole('button', { name: 'Reschedule 2 jobs' }).click();
  await expect(page.getByRole('main').getByText('2 of 2')).toBeVisible();
  await page.goBack();

  await expect(rows).toHaveCount(50);
  await expect(page.getByText('2 selected')).toBeVisible();
  await expect(tick(first)).toBeChecked();
  await expect.poll(async () => Math.abs((await height(above)) - place)).toBeLessThan(NEAR_PX);

  // A link begins at the top with one page; the next act is on the rows as they are now.
  await page.getByRole('navigation', { name: 'Lists of jobs' }).getByRole('link', { name: /^Ready/ }).click();
  await expect(rows).toHaveCount(0);
  await page.goBack();
  await expect(page.getByText('2 selected')).toBeVisible();
  await bar.getByRole('button', { name: 'Cancel' }).click();
  await page.getByLabel('Reason').selectOption('Incident');
  await page.getByRole('button', { name: 'Cancel 2 jobs' }).click();
  await expect(page.getByRole('main').getByText('2 of 2')).toBeVisible();
  for (const id of [first, second]) expect((await reprieve.api.job(id)).state).toBe('cancelled');
  await page.goBack();
  await expect(rows).toHaveCount(50);
  await expect(bar, 'what has left the list is not chosen any more').toBeHidden();
  await page.getByRole('navigation', { name: 'Lists of jobs' }).getByRole('link', { name: /^Ready/ }).click();
  await page.getByRole('navigation', { name: 'Lists of jobs' }).getByRole('link', { name: /^Delay/ }).click();
  await expect(rows).toHaveCount(25);
  await expect.poll(top).toBe(0);
});
