import { expect, startReprieve, stopReprieve, test, unique } from '../support/reprieve.ts';
import { Screens } from '../support/screens.ts';

const HOUR_MS = 3_600_000;

test('the four queues change on screen while a program enqueues', async ({ page }) => {
  // Alone on its program, so that every number is known.
  const reprieve = await startReprieve();
  try {
    const screens = new Screens(page, reprieve.program.address);
    await screens.overview();
    await page.evaluate(() => Object.assign(window, { marked: true }));

    await reprieve.api.enqueueMany(Array.from({ length: 3 }, () => ({ kind: 'ok.later', delay_ms: HOUR_MS })));
    await expect.poll(() => screens.tile('Delay')).toBe(3);

    const { id } = await reprieve.api.enqueue({ kind: 'hold.work' });
    await reprieve.receiver.first(id);
    await expect.poll(() => screens.tile('Active')).toBe(1);
    reprieve.receiver.release();
    await expect.poll(() => screens.tile('Active')).toBe(0);

    await reprieve.api.enqueue({ kind: 'fatal.work' });
    await expect.poll(() => screens.tile('Dead')).toBe(1);

    // Nobody takes jobs of a queue that is paused.
    await reprieve.api.pause('default');
    await reprieve.api.enqueueMany([{ kind: 'ok.now' }, { kind: 'ok.now' }]);
    await expect.poll(() => screens.tile('Ready')).toBe(2);
    await reprieve.api.resume('default');
    await expect.poll(() => screens.tile('Ready')).toBe(0);

    expect(await page.evaluate(() => 'marked' in window), 'the page was not loaded again').toBe(true);
  } finally {
    // Before its server, whose absence it would notice.
    await page.close();
    await stopReprieve(reprieve);
  }
});

test('rows under the eyes of a reader stay where they are', async ({ page, reprieve }) => {
  const screens = new Screens(page, reprieve.program.address);
  const queue = unique('calm');
  const ids = await reprieve.api.enqueueMany(
    Array.from({ length: 5 }, (_, n) => ({ kind: 'ok.calm', queue, delay_ms: HOUR_MS + n * 60_000 })),
  );
  await screens.list('delay', queue);
  const [first, second] = ids;
  if (!first || !second) throw new Error('nothing was enqueued');
  const place = await screens.link(second.id).boundingBox();

  // An earlier job would come first in a new list; a cancelled one would leave it.
  await reprieve.api.enqueue({ kind: 'ok.calm', queue, delay_ms: HOUR_MS / 2 });
  await reprieve.api.cancel(first.id);

  await expect(screens.row(first.id)).toContainText(/cancelled/i);
  await expect(screens.newChip()).toContainText('1 new');
  expect(await screens.link(second.id).boundingBox()).toEqual(place);

  await screens.newChip().click();
  await expect(screens.row(first.id)).toHaveCount(0);
  await expect(screens.row(second.id)).toBeVisible();
});

test('a paused screen stands still until it is resumed', async ({ page, reprieve }) => {
  const screens = new Screens(page, reprieve.program.address);
  const { id } = await reprieve.api.enqueue({ kind: 'ok.pause', queue: unique('pause'), delay_ms: HOUR_MS });
  await screens.job(id);

  await page.getByRole('button', { name: /Pause live updates/ }).click();
  await reprieve.api.cancel(id);
  await expect(page.getByText(/Paused .* [1-9]\d* changes? waiting/)).toBeVisible();
  await expect(screens.state()).toHaveText(/Delayed/);

  await screens.button('Resume').click();
  await expect(screens.state()).toHaveText(/Cancelled/);
});

test.describe('without its server', () => {
  test.use({ expectedComplaints: /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|Failed to load resource|EventSource/ });

  test('a page says that it is not live, and catches up', async ({ page }) => {
    const reprieve = await startReprieve();
    try {
      const screens = new Screens(page, reprieve.program.address);
      const { id } = await reprieve.api.enqueue({ kind: 'ok.wait', delay_ms: HOUR_MS });
      await screens.job(id);
      await expect(page.getByRole('button', { name: /^Live\b/ })).toBeVisible();

      await reprieve.program.kill();
      await expect(page.getByText(/Not live\. Showing data from .* ago\)\. Reconnecting/)).toBeVisible();
      await expect(screens.state(), 'what was known stays visible').toHaveText(/Delayed/);

      await reprieve.program.run();
      await reprieve.api.cancel(id);
      await expect(page.getByText(/Not live/)).toHaveCount(0, { timeout: 20_000 });
      await expect(screens.state()).toHaveText(/Cancelled/);
    } finally {
      await stopReprieve(reprieve);
    }
  });
});

test('a ticked row and the order stay while a hundred jobs arrive', async ({ page, reprieve }) => {
  const screens = new Screens(page, reprieve.program.address);
  const queue = unique('hundred');
  const ids = await reprieve.api.enqueueMany(
    Array.from({ length: 5 }, (_, n) => ({ kind: 'ok.hundred', queue, delay_ms: HOUR_MS + n * 60_000 })),
  );
  await screens.list('delay', queue);
  const order = () => page.locator('.job-table tbody tr').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-id')));
  const before = await order();
  expect(before).toEqual(ids.map(({ id }) => id));
  const third = ids[2]?.id ?? '';
  const tick = screens.row(third).getByRole('checkbox');
  await tick.check();
  const place = await tick.boundingBox();

  // All of them would stand before those on screen.
  await reprieve.api.enqueueMany(Array.from({ length: 100 }, () => ({ kind: 'ok.hundred', queue, delay_ms: HOUR_MS / 2 })));

  await expect(screens.newChip()).toContainText('99+ new');
  expect(await order()).toEqual(before);
  await expect(tick).toBeChecked();
  await expect(page.getByText('1 selected').first()).toBeVisible();
  const moved = await tick.boundingBox();
  expect(moved?.x, 'it stands where it stood').toBe(place?.x);

  await screens.newChip().click();
  await expect.poll(order).not.toEqual(before);
});
