import { alive, expect, open, test, unique } from '../support/reprieve.ts';
import { Screens } from '../support/screens.ts';

const HOUR_MS = 3_600_000;

test.describe('where a job has no room beside its list', () => {
  test.use({ viewport: { width: 1000, height: 500 } });

  test('a page begins at its top, and back leads to the place', async ({ page, reprieve }) => {
    const queue = unique('arrive');
    const jobs = await reprieve.api.enqueueMany(
      Array.from({ length: 25 }, (_, n) => ({ kind: 'ok.arrive', queue, delay_ms: HOUR_MS + n * 60_000 })),
    );
    const screens = new Screens(page, reprieve.program.address);
    const heading = page.getByRole('heading', { level: 1 });
    await screens.list('delay', queue);
    await expect(page.locator('body'), 'a page that is loaded begins at its top').toBeFocused();
    const last = screens.link(jobs[20]!.id);
    await last.focus();
    const place = async () => (await last.boundingBox())?.y ?? 0;
    const before = await place();
    expect(await page.evaluate(() => window.scrollY), 'the list is longer than the screen').toBeGreaterThan(100);
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/\/job\//);
    await expect(heading).toHaveText(/ok\.arrive/);
    await expect(page.locator('body')).toBeFocused();

    await page.goBack();
    await expect(heading).toHaveText(/Delay/);
    await expect.poll(async () => Math.abs((await place()) - before)).toBeLessThan(40);

    for (const [keys, name] of [['gb', 'Bulk runs'], ['gi', 'Import']] as const) {
      await page.keyboard.type(keys);
      await expect(heading).toHaveText(name);
      await alive(page);
    }
  });
});

test('what opens beside a list is no other page: it has the focus, and hands it back', async ({ page, reprieve }) => {
  const queue = unique('beside');
  const { id } = await reprieve.api.enqueue({ kind: 'ok.beside', queue, delay_ms: HOUR_MS });
  const screens = new Screens(page, reprieve.program.address);
  await screens.list('delay', queue);
  await screens.link(id).focus();
  await page.keyboard.press('Enter');
  const panel = page.getByRole('complementary', { name: 'Job' });
  await expect(panel.getByRole('heading', { level: 2 }).first()).toHaveText(/ok\.beside/);
  await expect(panel).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(screens.link(id)).toBeFocused();

  // The way back of the browser closes it as well.
  await page.keyboard.press('Enter');
  await expect(panel).toBeFocused();
  await page.goBack();
  await expect(panel).toBeHidden();
  await expect(screens.link(id)).toBeFocused();
});

test('Esc in what a key of a row has opened leads back to the row, from its menu to the menu', async ({ page, reprieve }) => {
  const queue = unique('escape');
  const { id } = await reprieve.api.enqueue({ kind: 'ok.escape', queue, delay_ms: HOUR_MS });
  const screens = new Screens(page, reprieve.program.address);
  const asked = page.getByRole('dialog', { name: 'Reschedule this job' });
  const menu = page.getByRole('dialog', { name: 'Actions' });
  await screens.list('delay', queue);
  await screens.link(id).focus();
  for (const leave of [() => page.keyboard.press('Escape'), () => asked.getByRole('button', { name: 'Keep its time' }).click()]) {
    await page.keyboard.press('e');
    await expect(asked).toBeVisible();
    await leave();
    await expect(asked).toBeHidden();
    await expect(menu).toBeHidden();
    await expect(screens.link(id)).toBeFocused();
  }

  const button = page.getByRole('button', { name: `Actions for ok.escape ${id}` });
  await button.focus();
  await page.keyboard.press('Enter');
  await menu.getByRole('button', { name: 'Reschedule' }).first().focus();
  await page.keyboard.press('Enter');
  await expect(asked).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(asked).toBeHidden();
  await expect(menu.getByRole('button', { name: 'Reschedule' }).first()).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(menu).toBeHidden();
  await expect(button).toBeFocused();
});

test('who closes a notice is at the next one, and then where they were', async ({ page, reprieve }) => {
  const queue = unique('closed');
  const jobs = await reprieve.api.enqueueMany([1, 2].map((hours) => ({ kind: 'ok.closed', queue, delay_ms: hours * HOUR_MS })));
  const screens = new Screens(page, reprieve.program.address);
  const close = page.locator('.notice-close');
  await screens.list('delay', queue);
  for (const [index, { id }] of jobs.entries()) {
    await screens.link(id).first().focus();
    await page.keyboard.press('h');
    await expect(close).toHaveCount(index + 1);
    // So that the first is still there when the second has come.
    if (index === 0) await page.locator('.notice').hover();
  }
  await close.first().focus();
  await page.keyboard.press('Enter');
  await expect(close).toHaveCount(1);
  await expect(close).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(close).toHaveCount(0);
  await expect(screens.link(jobs[1]!.id).first()).toBeFocused();
});

test('a notice stays while the focus is in it, even when a pointer has crossed it', async ({ page, reprieve }) => {
  const queue = unique('crossed');
  const { id } = await reprieve.api.enqueue({ kind: 'ok.crossed', queue, delay_ms: HOUR_MS });
  const screens = new Screens(page, reprieve.program.address);
  await screens.list('delay', queue);
  await screens.link(id).first().focus();
  await page.keyboard.press('h');
  const close = page.locator('.notice-close');
  await close.focus();
  await page.locator('.notice').hover();
  await page.mouse.move(0, 0);
  // Longer than it would stay otherwise. A clock of the test's own has numbers of timers that cannot be cleared from here.
  await page.waitForTimeout(12_000);
  await expect(close).toBeFocused();
  await screens.link(id).first().focus();
  await expect(close).toHaveCount(0, { timeout: 60_000 });
});

test('what stands where a schedule was paused or resumed has the focus', async ({ page, reprieve }) => {
  const name = unique('stays');
  // A paused one has no next time, so that its row goes to the end of the list, past these.
  for (const [at, schedule] of ['@hourly', '@weekly', '@monthly'].entries()) {
    await reprieve.api.putSchedule({ name: unique(`among-${at}`), schedule, job: { kind: 'ok.stays' } });
  }
  await reprieve.api.putSchedule({ name, schedule: '@daily', job: { kind: 'ok.stays' } });
  for (const path of ['/schedules', `/schedule/${name}`]) {
    await open(page, reprieve.url(path));
    const part = page.locator(`[data-stays="switch-${name}"]`);
    const pause = part.getByRole('button', { name: 'Pause', exact: true });
    await pause.focus();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('dialog', { name: `Pause ${name}` })).toBeVisible();
    await page.keyboard.press('Control+Enter');
    const resume = part.getByRole('button', { name: `Resume ${name}` });
    await expect(resume).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(pause).toBeFocused();
  }
});

test('a row stays where it is while somebody fills in what belongs to it', async ({ page, reprieve }) => {
  const name = unique('moved');
  const put = (name: string, schedule: string) => reprieve.api.putSchedule({ name, schedule, job: { kind: 'ok.moved' } });
  await put(name, '@hourly');
  await put(unique('beside'), '@daily');
  await open(page, reprieve.url('/schedules'));
  const row = page.locator(`[id="schedule-row-${name}"]`);
  const place = () => row.evaluate((row) => [...(row.parentElement?.children ?? [])].indexOf(row));
  await row.getByRole('button', { name: 'Pause', exact: true }).click();
  const asked = page.getByRole('dialog', { name: `Pause ${name}` });
  await asked.getByLabel('Reason').focus();
  const before = await place();

  // By its next time it is the last one now.
  await put(name, '0 0 1 1 *');

  await expect(row.locator('code'), 'the row is as it is').toHaveText('0 0 1 1 *');
  expect(await place(), 'where it was').toBe(before);
  await expect(asked).toBeVisible();
  await expect(asked.getByLabel('Reason')).toBeFocused();
});

test('who mutes an error is at the heading, for it is folded; who tells it again is where it is muted', async ({ page, reprieve }) => {
  const queue = unique('unheard');
  await reprieve.api.enqueue({ kind: 'fatal.unheard', queue });
  const mute = page.getByRole('button', { name: 'Mute', exact: true });
  await expect(async () => {
    await open(page, reprieve.url(`/dead?queue=${queue}`));
    await expect(mute).toBeVisible({ timeout: 1_000 });
  }).toPass();
  await mute.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Mute this error' })).toBeVisible();
  await page.keyboard.press('Control+Enter');
  const fold = page.getByText('One muted error');
  await expect(fold).toBeVisible();
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await fold.click();
  await page.getByRole('button', { name: 'Unmute' }).focus();
  await page.keyboard.press('Enter');
  await expect(mute).toBeFocused();
});

test('who lets the screen go on is at the heading', async ({ page, reprieve }) => {
  await new Screens(page, reprieve.program.address).list('delay', unique('goes-on'));
  await page.keyboard.press('p');
  await page.locator('.live-banner').getByRole('button', { name: 'Resume' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.locator('.live-banner')).toBeHidden();
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
});

test('who lets new rows in, or more of them, is at the first', async ({ page, reprieve }) => {
  const queue = unique('more');
  const jobs = await reprieve.api.enqueueMany(
    Array.from({ length: 55 }, (_, n) => ({ kind: 'ok.more', queue, delay_ms: 2 * HOUR_MS + n * 60_000 })),
  );
  const screens = new Screens(page, reprieve.program.address);
  await screens.list('delay', queue);
  await screens.more().focus();
  await page.keyboard.press('Enter');
  await expect(screens.more()).toHaveCount(0);
  await expect(screens.link(jobs[50]!.id)).toBeFocused();
  await expect(page.getByTestId('voice')).toHaveText('5 more jobs');

  for (const [n, load] of [async () => screens.newChip().press('Enter'), async () => page.keyboard.press('.')].entries()) {
    const { id } = await reprieve.api.enqueue({ kind: 'ok.more', queue, delay_ms: HOUR_MS - n * 60_000 });
    await expect(screens.newChip()).toBeVisible();
    await load();
    await expect(screens.link(id)).toBeFocused();
  }
});

test.describe('where an answer is lost', () => {
  test.use({ expectedComplaints: /net::ERR_FAILED/ });

  test('what was not taken back can be, and its button has the focus', async ({ page, reprieve }) => {
    const queue = unique('untaken');
    const { id } = await reprieve.api.enqueue({ kind: 'ok.untaken', queue, delay_ms: HOUR_MS });
    const screens = new Screens(page, reprieve.program.address);
    await screens.list('delay', queue);
    await screens.link(id).first().focus();
    await page.keyboard.press('h');
    const undo = page.locator('.notice').getByRole('button', { name: 'Undo' });
    await page.route('**/api/fn/unhold_job', (route) => route.abort(), { times: 1 });
    await undo.focus();
    await page.keyboard.press('Enter');
    await expect(page.locator('.notice')).toHaveCount(2);
    await expect(undo).toBeFocused();
    expect((await reprieve.api.job(id)).state).toBe('held');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await reprieve.api.job(id)).state).toBe('delayed');
  });
});

test.describe('where the server refuses', () => {
  test.use({ expectedComplaints: /status of 422/ });

  test('a refusal stands at its field, which has the focus', async ({ page, reprieve }) => {
    const screens = new Screens(page, reprieve.program.address);
    const { id } = await reprieve.api.enqueue({ kind: 'ok.refused', queue: unique('refused'), delay_ms: HOUR_MS });
    await screens.job(id);
    await page.getByRole('button', { name: 'Reschedule' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Reschedule this job' });
    await dialog.getByRole('radio', { name: 'At', exact: false }).last().check();
    await dialog.getByRole('button', { name: 'Reschedule' }).click();
    const moment = dialog.getByLabel('Date and time');
    await expect(moment).toHaveAccessibleDescription(/that is not a time/);
    await expect(moment).toHaveAttribute('aria-invalid', 'true');
    await expect(moment).toBeFocused();
    await moment.fill('2031-01-15T09:00');
    await dialog.getByRole('button', { name: 'Reschedule' }).click();
    await expect(dialog).toBeHidden();

    await open(page, reprieve.url('/schedules/new'));
    await page.getByLabel('Name').first().fill(unique('refused'));
    await page.getByLabel('Expression').first().fill('30 9 * * MON-FRI');
    await page.locator('#schedule-kind').fill('no kind');
    await page.getByRole('button', { name: 'Create schedule' }).click();
    await expect(page.locator('#schedule-kind')).toBeFocused();
    await expect(page.locator('#schedule-kind')).toHaveAttribute('aria-invalid', 'true');
  });
});

for (const [width, height] of [[360, 740], [800, 400]] as const) {
  test.describe(`on a screen of ${width} by ${height} pixels`, () => {
    test.use({ viewport: { width, height } });

    test('the clock in its corner lies over nothing that has the focus', async ({ page, reprieve }) => {
      await open(page, reprieve.url('/settings'));
      const clock = page.locator('.wall-clock');
      await expect(clock).toBeInViewport({ ratio: 1 });
      const covered: string[] = [];
      const seen = new Set<number>();
      for (let step = 0; step < 60; step += 1) {
        await page.keyboard.press('Tab');
        const [at, under] = await clock.evaluate((clock) => {
          const focused = document.activeElement ?? document.body;
          const [a, b] = [focused.getBoundingClientRect(), clock.getBoundingClientRect()];
          const apart = a.right <= b.left || a.left >= b.right || a.bottom <= b.top || a.top >= b.bottom;
          // What is higher than the screen lies under whatever stays.
          const fits = focused !== document.body && a.height < window.innerHeight / 2;
          return [Math.round(window.scrollY), fits && !apart ? focused.outerHTML.slice(0, 120) : ''] as const;
        });
        seen.add(at);
        if (under) covered.push(under);
      }
      expect(covered).toEqual([]);
      expect(seen.size, 'the page has scrolled with the focus').toBeGreaterThan(3);
    });
  });
}
