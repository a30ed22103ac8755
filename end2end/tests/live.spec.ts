import { expect, open, test, unique } from '../support/reprieve.ts';
import { Screens, isReading, show } from '../support/screens.ts';
import { Wire } from '../support/wire.ts';

const HOUR_MS = 3_600_000;

test('the four queues change on screen while a program enqueues', async ({ page, alone: reprieve }) => {
  // Alone on its program, so that every number is known.
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
});

test('a figure moves once a second at most while ten jobs a second come', async ({ page, alone: reprieve }) => {
  // Alone on its program, so that nothing else moves it.
  const screens = new Screens(page, reprieve.program.address);
  const { id } = await reprieve.api.enqueue({ kind: 'ok.figure', delay_ms: HOUR_MS });
  await screens.job(id);
  await expect(page.getByRole('button', { name: /^Live\b/ })).toBeVisible();
  // By the page's own clock: when the figure was another one. The links may be made anew, so all of the strip is watched.
  await page.evaluate(() => {
    const strip = document.querySelector('nav.strip');
    if (!strip) throw new Error('there is no strip');
    const figure = () => strip.querySelector('[data-group="delay"] strong')?.textContent ?? '';
    const moves: { at: number; to: string }[] = [];
    let before = figure();
    new MutationObserver(() => {
      const now = figure();
      if (now === before || now === '') return;
      before = now;
      moves.push({ at: performance.now(), to: now });
    }).observe(strip, { childList: true, subtree: true, characterData: true });
    Object.assign(window, { watched: { since: performance.now(), moves } });
  });
  const watched = () =>
    page.evaluate(() => (window as unknown as { watched: { since: number; moves: { at: number; to: string }[] } }).watched);

  const until = Date.now() + 5_000;
  let jobs = 1;
  // It follows meanwhile, however slow the machine is.
  while (Date.now() < until || (await watched()).moves.length < 3) {
    const next = Date.now() + 100;
    await reprieve.api.enqueue({ kind: 'ok.figure', delay_ms: HOUR_MS });
    jobs += 1;
    await page.waitForTimeout(Math.max(0, next - Date.now())); // ten a second
  }

  await expect.poll(() => screens.tile('Delay')).toBe(jobs);
  const { since, moves } = await watched();
  const last = moves.at(-1);
  // Any of them may be drawn late, but there are no more than seconds: one at the beginning of the first, and one that was
  // on its way when the watch began.
  const allowed = Math.ceil(((last?.at ?? since) - since) / 1_000) + 1;
  expect(moves.length, JSON.stringify({ since, moves })).toBeLessThanOrEqual(allowed);
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
  await expect(page.getByRole('button', { name: /^Live\b/ })).toBeVisible();

  await page.getByRole('button', { name: /Pause live updates/ }).click();
  await reprieve.api.cancel(id);
  await expect(page.locator('#live-banner')).toHaveText(/^Paused/);
  await page.waitForTimeout(3_000); // longer than a page waits
  await expect(screens.state()).toHaveText(/Delayed/);

  await screens.button('Resume').click();
  await expect(screens.state()).toHaveText(/Cancelled/);
});

test.describe('without its server', () => {
  test.use({ expectedComplaints: /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|Failed to load resource|EventSource/ });

  test('a page says that it is not live, and catches up', async ({ page, alone: reprieve }) => {
    const screens = new Screens(page, reprieve.program.address);
    const { id } = await reprieve.api.enqueue({ kind: 'ok.wait', delay_ms: HOUR_MS });
    await screens.job(id);
    await expect(page.getByRole('button', { name: /^Live\b/ })).toBeVisible();

    await reprieve.program.kill();
    await expect(page.getByText(/Not live\. Showing data from .* ago\)\. Reconnecting/)).toBeVisible();
    await expect(screens.state(), 'what was known stays visible').toHaveText(/Delayed/);

    await reprieve.program.run();
    await reprieve.api.cancel(id);
    await expect(page.getByText(/Not live/)).toHaveCount(0, { timeout: 60_000 });
    await expect(screens.state()).toHaveText(/Cancelled/);
  });

  test('what a page shows is no younger because somebody has looked at another tab', async ({ page, alone: reprieve }) => {
    test.slow();
    const screens = new Screens(page, reprieve.program.address);
    await page.clock.install();
    await screens.overview();
    await expect(page.getByRole('button', { name: /^Live\b/ })).toBeVisible();

    await show(page, true);
    await reprieve.program.kill();
    await page.clock.fastForward('10:00');
    await show(page, false);
    const banner = page.getByText(/^Not live\. Showing data from/);
    const said = async () => ((await banner.textContent()) ?? '').replaceAll(/[\u2068\u2069]/g, '');
    await expect.poll(said, 'from when it was hidden').toMatch(/\(1\d m/);
    const since = /from (.+) \(/.exec(await said())?.[1] ?? 'no time';

    await show(page, true);
    await page.clock.fastForward('20:00');
    await show(page, false);
    await expect.poll(said, 'lost before, and since').toMatch(/\(3\d m/);
    expect(await said()).toContain(`from ${since} (`);

    await reprieve.program.run();
    await expect(banner).toHaveCount(0, { timeout: 60_000 });
  });
});

test('a page whose device sets its clock back asks what time it is', async ({ page, reprieve }) => {
  const screens = new Screens(page, reprieve.program.address);
  await page.clock.install();
  await screens.overview();
  await expect(page.getByRole('button', { name: /^Live\b/ })).toBeVisible();
  const shown = page.locator('.wall-clock');
  /** How far the clock on screen is off, in seconds. */
  const off = async (): Promise<number> => {
    const [, h, m, s] = /(\d\d):(\d\d):(\d\d) UTC/.exec(await shown.innerText()) ?? [];
    const apart = Math.abs((Number(h) * 60 + Number(m)) * 60 + Number(s) - Math.floor((Date.now() / 1_000) % 86_400));
    return Math.min(apart, 86_400 - apart);
  };

  const asked = page.waitForRequest('**/events');
  // A heartbeat comes before the page looks at its clock.
  await page.clock.pauseAt(Date.now() + 1_000);
  await page.clock.setSystemTime(Date.now() - 600_000);
  await page.waitForTimeout(3_000);
  await page.clock.resume();
  await asked;
  await expect.poll(off).toBeLessThan(60);
  await expect(shown.getByRole('note'), 'that it is off is said').toBeVisible();
});

test('a page hears from the first word of its stream that another build has made it', async ({ page, reprieve }) => {
  await page.route(reprieve.url('/'), async (route) => {
    const response = await route.fetch();
    const html = await response.text();
    await route.fulfill({ response, body: html.replace(/data-build="\w+"/, 'data-build="older"') });
  });
  await open(page, reprieve.url('/'));
  await expect(page.locator('html')).toHaveAttribute('data-build', 'older');
  await expect(page.getByText('The server has been updated.').first()).toBeVisible();

  // The page may be reading itself just now.
  await page.unrouteAll({ behavior: 'wait' });
  await open(page, reprieve.url('/'));
  await expect(page.getByRole('button', { name: /^Live\b/ })).toBeVisible();
  await expect(page.getByText('The server has been updated.')).toHaveCount(0);
});

test.describe('without a stream', () => {
  test.use({ expectedComplaints: /503/ });

  test('a page that gets none says why, and is read all the same', async ({ page, reprieve }) => {
    const queue = unique('full');
    const refusal = { title: 'Too many live connections', code: 'too_many_streams' };
    await page.route('**/events', (route) => route.fulfill({ status: 503, contentType: 'application/problem+json', json: refusal }));
    const screens = new Screens(page, reprieve.program.address);
    await reprieve.api.enqueue({ kind: 'ok.full', queue, delay_ms: HOUR_MS });
    await screens.list('delay', queue);
    await expect(page.getByText('Too many pages are live at once')).toBeVisible();
    await expect(page.getByRole('button', { name: /^Live\b/ })).toBeHidden();

    await reprieve.api.enqueue({ kind: 'ok.full', queue, delay_ms: HOUR_MS });

    await expect(screens.newChip()).toContainText('1 new');
    await page.unroute('**/events');
    await expect(page.getByRole('button', { name: /^Live\b/ })).toBeVisible({ timeout: 10_000 });
    await expect(page.getByText('Too many pages are live at once')).toBeHidden();
  });
});

test.describe('with its network cut', () => {
  test.use({ expectedComplaints: /ERR_|Failed to load resource|EventSource/ });

  test('a page notices that nothing comes through a stream that nobody has closed', async ({ page, reprieve }) => {
    test.slow();
    const wire = await Wire.to(reprieve.program.address);
    try {
      const screens = new Screens(page, wire.address);
      const { id } = await reprieve.api.enqueue({ kind: 'ok.silent', queue: unique('silent'), delay_ms: HOUR_MS });
      await page.clock.install();
      await screens.job(id);
      await expect(page.getByRole('button', { name: /^Live\b/ })).toBeVisible();

      wire.fallSilent();
      await page.clock.fastForward(10_000);
      await expect(page.getByText(/Not live\. Showing data from .* ago\)\. Reconnecting/)).toBeVisible();
      await reprieve.api.cancel(id);

      wire.mend();
      await expect(page.getByText(/Not live/)).toHaveCount(0, { timeout: 60_000 });
      await expect(screens.state()).toHaveText(/Cancelled/);
    } finally {
      await page.close();
      await wire.remove();
    }
  });

  test('a page notices that its stream has been silent from the beginning', async ({ page, reprieve }) => {
    const screens = new Screens(page, reprieve.program.address);
    await page.clock.install();
    // Asked for, and never answered.
    const asked = page.waitForRequest('**/events');
    await page.route('**/events', () => undefined);
    await screens.overview();
    await asked;

    await page.clock.fastForward(10_000);
    await expect(page.getByText(/Not live\. Showing data from .* ago\)\. Reconnecting/)).toBeVisible();

    // The one that was asked for since is as silent; that after it is not.
    await page.unroute('**/events');
    await page.clock.fastForward(10_000);
    await expect(page.getByText(/Not live/)).toHaveCount(0, { timeout: 60_000 });
    await expect(page.getByRole('button', { name: /^Live\b/ })).toBeVisible();
  });

  test('a page asks for another stream as soon as the network is back, whenever the server has told it to', async ({ page, context, reprieve }) => {
    const wire = await Wire.to(reprieve.program.address);
    try {
      // Whether a stream was asked for by what the page does when it hears that the network is back.
      await page.addInitScript(() => {
        const noted = { isBack: false, askedAtOnce: 0 };
        const back = (): void => {
          noted.isBack = true;
          // Later than all that listens.
          setTimeout(() => (noted.isBack = false));
        };
        window.addEventListener('online', back, { capture: true });
        const { EventSource } = window;
        window.EventSource = class extends EventSource {
          constructor(url: string | URL) {
            super(url);
            if (noted.isBack) noted.askedAtOnce += 1;
          }
        };
        Object.assign(window, { noted });
      });
      const screens = new Screens(page, wire.address);
      const { id } = await reprieve.api.enqueue({ kind: 'ok.back', queue: unique('back'), delay_ms: HOUR_MS });
      await screens.job(id);
      await expect(page.getByRole('button', { name: /^Live\b/ })).toBeVisible();

      await context.setOffline(true);
      wire.cut();
      await expect(page.getByText(/Not live\. Showing data from .* ago\)\. Reconnecting/)).toBeVisible();
      await reprieve.api.cancel(id);
      wire.mend();
      await context.setOffline(false);
      await expect(page.getByText(/Not live/)).toHaveCount(0, { timeout: 60_000 });
      await expect(screens.state()).toHaveText(/Cancelled/);

      // A stream that the browser reopens by itself is asked for by nobody.
      const noted = await page.evaluate(() => (window as unknown as { noted: { askedAtOnce: number } }).noted);
      expect(noted.askedAtOnce).toBeGreaterThan(0);
    } finally {
      // Before its server, whose absence it would notice.
      await page.close();
      await wire.remove();
    }
  });

  test('for half a minute, a page says so, and then everything is right and nothing there twice', async ({ page, alone: reprieve }) => {
    // Alone on its program, so that every number is known.
    test.slow();
    const wire = await Wire.to(reprieve.program.address);
    try {
      const queue = unique('cut');
      const screens = new Screens(page, wire.address);
      const job = (n: number) => ({ kind: 'ok.cut', queue, delay_ms: HOUR_MS + n * 60_000 });
      const [first] = await reprieve.api.enqueueMany([job(0), job(1)]);
      await screens.list('delay', queue);
      await expect(page.getByRole('button', { name: /^Live\b/ })).toBeVisible();
      await expect.poll(() => screens.tile('Delay')).toBe(2);

      wire.cut();
      await expect(page.getByText(/Not live\. Showing data from .* ago\)\. Reconnecting/)).toBeVisible();
      await reprieve.api.enqueueMany([job(2), job(3), job(4)]);
      await reprieve.api.cancel(first!.id);
      await page.waitForTimeout(30_000); // so long is the cut
      expect(await screens.tile('Delay'), 'what was known stays').toBe(2);
      wire.mend();

      await expect(page.getByText(/Not live/), 'it is live again').toHaveCount(0, { timeout: 60_000 });
      const live = Date.now();
      await expect.poll(() => screens.tile('Delay')).toBe(4);
      await expect(screens.row(first!.id)).toContainText(/cancelled/i);
      console.log(`right ${Date.now() - live} ms after the page was live again`);
      await expect(screens.newChip()).toContainText('3 new');
      await screens.newChip().click();
      const rows = page.locator('.job-table tbody tr');
      await expect(rows).toHaveCount(4);
      const ids = await rows.evaluateAll((all) => all.map((row) => row.getAttribute('data-id')));
      expect(new Set(ids).size, 'none twice').toBe(4);
    } finally {
      // Before its server, whose absence it would notice.
      await page.close();
      await wire.remove();
    }
  });
});

test('a row of the overview is as new as the figures above it', async ({ page, alone: reprieve }) => {
  const queue = unique('row');
  await reprieve.api.enqueue({ kind: 'ok.row', queue, delay_ms: HOUR_MS });
  const screens = new Screens(page, reprieve.program.address);
  await open(page, reprieve.url('/'));
  const row = page.getByRole('row').filter({ hasText: queue }).getByRole('link', { name: '1', exact: true });
  await expect(row).toBeVisible();
  await expect.poll(() => screens.tile('Delay')).toBe(1);

  await reprieve.api.enqueue({ kind: 'ok.row', queue, delay_ms: HOUR_MS });
  await expect.poll(() => screens.tile('Delay')).toBe(2);
  await expect(page.getByRole('row').filter({ hasText: queue }).getByRole('link', { name: '2', exact: true })).toBeVisible();
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
  // The bar for what is ticked comes above the rows.
  await expect(page.getByText('1 selected').first()).toBeVisible();
  const place = await tick.boundingBox();

  // All of them would stand before those on screen.
  await reprieve.api.enqueueMany(Array.from({ length: 100 }, () => ({ kind: 'ok.hundred', queue, delay_ms: HOUR_MS / 2 })));

  await expect(screens.newChip(), 'a reading has no more than a page').toContainText('50+ new');
  expect(await order()).toEqual(before);
  await expect(tick).toBeChecked();
  await expect(page.getByText('1 selected').first()).toBeVisible();
  expect(await tick.boundingBox(), 'it stands where it stood').toEqual(place);

  await screens.newChip().click();
  await expect.poll(order).not.toEqual(before);
});

test('a row that is ticked changes as the others do, and what is done to it is done to what was seen', async ({ page, reprieve }) => {
  const screens = new Screens(page, reprieve.program.address);
  const queue = unique('ticked');
  const [first, second] = await reprieve.api.enqueueMany([1, 2].map((n) => ({ kind: 'ok.ticked', queue, delay_ms: n * HOUR_MS })));
  if (!first || !second) throw new Error('two were enqueued');
  await screens.list('delay', queue);
  const tick = screens.row(first.id).getByRole('checkbox');
  await tick.check();
  const seen = await tick.getAttribute('value');
  await reprieve.api.reschedule(first.id, 74 * HOUR_MS);
  await reprieve.api.cancel(second.id);
  await expect(screens.row(second.id)).toHaveAttribute('data-left', 'true');
  await expect(screens.row(first.id).locator('.cell-when time').first()).toHaveText(/^in 3 d/);
  await expect(tick).toBeChecked();
  await expect(tick).toHaveAttribute('value', seen ?? '');
  expect(seen).not.toContain(`~${(await reprieve.api.job(first.id)).version}`);

  await page.getByRole('group', { name: 'What to do with the jobs ticked' }).getByRole('button', { name: 'Hold' }).click();
  await page.getByRole('button', { name: 'Hold 1 job' }).click();
  await expect(page.getByText('changed since it was looked at').first(), 'nothing is done unseen').toBeVisible();
  expect((await reprieve.api.job(first.id)).state).toBe('delayed');
});

test('a job that runs in time is not called overdue while a row is ticked', async ({ page, reprieve }) => {
  const screens = new Screens(page, reprieve.program.address);
  const queue = unique('resting');
  const [soon, later] = await reprieve.api.enqueueMany([8_000, HOUR_MS].map((delay_ms) => ({ kind: 'ok.resting', queue, delay_ms })));
  if (!soon || !later) throw new Error('two were enqueued');
  await screens.list('delay', queue);
  await screens.row(later.id).getByRole('checkbox').check();
  await expect(screens.row(soon.id)).toHaveAttribute('data-left', 'true', { timeout: 60_000 });
  await expect(page.getByText('overdue', { exact: true })).toHaveCount(0);
  await expect(screens.row(later.id).getByRole('checkbox')).toBeChecked();
});

test('overview, queue and workers go on under what is open, which stays', async ({ page, reprieve }) => {
  const queue = unique('under');
  await reprieve.api.enqueue({ kind: 'ok.under', queue, delay_ms: HOUR_MS });
  const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  for (const path of ['/', `/queue/${queue}`, '/workers']) {
    await open(page, reprieve.url(path));
    await expect(page.getByRole('button', { name: /^Live\b/ })).toBeVisible();
    await page.keyboard.press('?');
    await expect(keys).toBeVisible();
    const read = page.waitForResponse((answer) => isReading(answer.request()));
    await reprieve.api.enqueue({ kind: 'ok.under', queue, delay_ms: HOUR_MS });
    await (await read).finished();
    await page.waitForTimeout(500); // what was read is shown by then
    await expect(keys, path).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(keys).toBeHidden();
  }
});

test('the job under the pointer starts: it greys where it is, and a click opens that very job', async ({ page, reprieve }) => {
  const screens = new Screens(page, reprieve.program.address);
  const queue = unique('pointed');
  const later = { kind: 'ok.pointed', queue };
  const [, starts] = await reprieve.api.enqueueMany([
    { ...later, delay_ms: HOUR_MS },
    { kind: 'hold.pointed', queue, delay_ms: HOUR_MS + 60_000 },
    { ...later, delay_ms: HOUR_MS + 120_000 },
  ]);
  if (!starts) throw new Error('three were enqueued');
  await screens.list('delay', queue);
  const row = screens.row(starts.id);
  await screens.link(starts.id).hover();
  const place = await screens.link(starts.id).boundingBox();
  if (!place) throw new Error('the row is on screen');

  await reprieve.api.call('POST', `/jobs/${starts.id}/retry`, {});
  await reprieve.receiver.first(starts.id);
  await expect(row).toHaveAttribute('data-left', 'true');
  await expect(row).toContainText(/active/i);
  expect(await screens.link(starts.id).boundingBox()).toEqual(place);

  // Where the pointer has been all the time, whatever is there now.
  await page.mouse.down();
  await page.mouse.up();
  await expect(page.locator('.job-names').filter({ hasText: starts.id })).toBeVisible();
  reprieve.receiver.release();
});

test('what somebody marked, unfolded and scrolled to stays while the job changes', async ({ page, alone: reprieve }) => {
  // Alone on its program, so that no other job becomes due meanwhile.
  await page.setViewportSize({ width: 1000, height: 500 });
  const screens = new Screens(page, reprieve.program.address);
  const payload = { resource: 4711, note: 'paid by bank transfer', lines: Array.from({ length: 30 }, (_, n) => `line ${n}`) };
  const { id } = await reprieve.api.enqueue({ kind: 'ok.calm', queue: unique('calm'), payload, delay_ms: HOUR_MS });
  await screens.job(id);
  const raw = page.locator('details.raw');
  await raw.locator('summary').click();
  await raw.scrollIntoViewIfNeeded();
  expect(await page.evaluate(() => scrollY), 'the page is longer than the screen').toBeGreaterThan(0);
  const top = (await raw.boundingBox())?.y ?? 0;
  const marked = () => page.evaluate(() => getSelection()?.toString());
  await raw.locator('pre').evaluate((text) => getSelection()?.selectAllChildren(text));
  const text = await marked();
  expect(text).toContain('bank transfer');

  await expect.poll(() => screens.tile('Delay')).toBe(1);
  await reprieve.api.reschedule(id, 2 * HOUR_MS);
  await reprieve.api.cancel(id);
  await expect.poll(() => screens.tile('Delay'), 'the change has arrived').toBe(0);
  await expect(screens.state()).toHaveText(/Cancelled/);
  expect(await marked(), 'what is marked stays').toBe(text);

  await page.evaluate(() => getSelection()?.removeAllRanges());
  await expect(raw, 'what was unfolded').toHaveAttribute('open', '');
  // The head of the page says more than before; what one reads does not move for that.
  const moved = ((await raw.boundingBox())?.y ?? 0) - top;
  expect(Math.abs(moved), 'the place on the page').toBeLessThanOrEqual(1);
});

test('what a page asks for while nobody is there says so', async ({ page, reprieve }) => {
  const queue = unique('unattended');
  /** How the next reading of the page is marked. */
  const next = async (): Promise<string | undefined> => {
    const asked = page.waitForRequest(isReading);
    await reprieve.api.enqueue({ kind: 'ok.unattended', queue, delay_ms: HOUR_MS });
    return (await asked).headers()['x-unattended'];
  };
  await page.clock.install();
  await open(page, reprieve.url('/'));
  await expect(page.getByRole('button', { name: /^Live\b/ })).toBeVisible();
  expect(await next(), 'a person who opens a page is there').toBeUndefined();

  await page.clock.fastForward(61_000);
  expect(await next(), 'no key and no movement for a minute').toBe('1');

  await page.mouse.move(200, 200);
  await page.mouse.move(210, 210);
  expect(await next(), 'somebody is back').toBeUndefined();
});

test('a hidden tab asks for nothing in ten minutes, and catches up', async ({ page, reprieve }) => {
  test.slow();
  // The time of the page is set forward; what it then does it would do in ten minutes.
  await page.clock.install();
  // Noted where it is asked, so that nothing counts that was asked before and is seen only later.
  await page.addInitScript(() => {
    const asked: string[] = [];
    const noted = { asked, unanswered: 0 };
    const { fetch, EventSource } = window;
    window.fetch = async (input, init) => {
      asked.push(input instanceof Request ? input.url : String(input));
      noted.unanswered += 1;
      const answer = await fetch(input, init);
      void answer.clone().arrayBuffer().finally(() => (noted.unanswered -= 1));
      return answer;
    };
    window.EventSource = class extends EventSource {
      constructor(url: string | URL) {
        super(url);
        asked.push(String(url));
      }
    };
    Object.assign(window, { noted });
  });
  interface Noted {
    asked: string[];
    unanswered: number;
  }
  /** What was asked since one looked last, and how much of it has no answer yet. */
  const look = (): Promise<Noted> =>
    page.evaluate(() => {
      const { noted } = window as unknown as { noted: Noted };
      return { asked: noted.asked.splice(0), unanswered: noted.unanswered };
    });
  const screens = new Screens(page, reprieve.program.address);
  const queue = unique('hidden');
  const subject = `resource:${queue}`;
  const { id } = await reprieve.api.enqueue({ kind: 'ok.hidden', queue, subject, delay_ms: HOUR_MS });
  const frozen = await reprieve.api.freeze({ verb: 'hold', queue });
  const running = await reprieve.api.enqueue({ kind: 'hold.hidden', queue });
  await reprieve.receiver.first(running.id);
  // What was planned before ends first, and what waits for an answer with that.
  const hide = async () => {
    await show(page, true);
    await page.clock.runFor(1_000);
    await expect.poll(look, { intervals: [500] }).toEqual({ asked: [], unanswered: 0 });
  };

  for (const path of [
    '/',
    `/jobs/delay?queue=${queue}`,
    `/job/${running.id}`,
    `/queue/${queue}`,
    '/workers',
    '/bulk',
    `/bulk/${frozen.id}`,
    '/dead',
    `/desk/${subject}`,
    '/forecast',
    '/schedules',
    '/audit',
    '/redis',
  ]) {
    await open(page, reprieve.url(path));
    await expect(page.getByRole('button', { name: /^Live\b/ })).toBeVisible();
    expect((await look()).asked, 'what is asked is noted').not.toEqual([]);
    await hide();
    await reprieve.api.reschedule(id, 2 * HOUR_MS);
    await page.clock.runFor('10:00');
    expect((await look()).asked, path).toEqual([]);
    await show(page, false);
    await expect(page.getByRole('button', { name: /^Live\b/ }), `${path} is live again`).toBeVisible();
  }

  // A run that was started there goes on for longer than that.
  const many = unique('many');
  await reprieve.api.enqueueMany(Array.from({ length: 25 }, () => ({ kind: 'ok.many', queue: many, delay_ms: HOUR_MS })));
  const slow = await reprieve.api.call<{ id: string }>('POST', '/bulk', { verb: 'hold', queue: many, rate: 1 });
  await open(page, reprieve.url(`/bulk/${slow.id}`));
  await page.getByLabel('Note').fill('nobody looks at it');
  await page.getByRole('button', { name: 'Hold 25 jobs' }).click();
  await expect(page.getByRole('main').getByText(/^\d+ of 25/)).toBeVisible();
  await hide();
  await page.clock.runFor('10:00');
  expect((await look()).asked, 'how the run goes on').toEqual([]);
  await show(page, false);

  await screens.job(id);
  await hide();
  await reprieve.api.cancel(id);
  await page.clock.runFor('10:00');
  await expect(screens.state()).toHaveText(/Delayed/);
  await show(page, false);
  await page.clock.runFor(2_000);
  await expect(screens.state()).toHaveText(/Cancelled/);
  reprieve.receiver.release();
});
