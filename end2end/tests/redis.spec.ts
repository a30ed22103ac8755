import { houseTest } from '../support/house.ts';
import { signIn } from '../support/people.ts';
import { expect, expectAccessible, open, test } from '../support/reprieve.ts';

for (const scripts of [true, false]) {
  test.describe(scripts ? 'with scripts' : 'without scripts', () => {
    test.use({ javaScriptEnabled: scripts });

    test('what Redis is like is judged, explained and looked at again', async ({ page, reprieve }) => {
      if (scripts) await open(page, reprieve.url('/redis'));
      else await page.goto(reprieve.url('/redis'));
      const findings = page.getByRole('region', { name: 'Checks' }).last();
      await expect(findings.getByRole('row').filter({ hasText: 'noeviction' })).toContainText('Good');
      await expect(findings.getByRole('row').filter({ hasText: 'every write is on disk' })).toContainText('Good');
      await expect(page.getByText('Slow calls')).toBeVisible();

      const looked = page.locator('.redis-looked time');
      const before = await looked.getAttribute('datetime');
      await page.getByRole('link', { name: 'Look again' }).click();
      await expect(looked).not.toHaveAttribute('datetime', before ?? '');
    });
  });
}

test('with the keyboard: looked at again without leaving the page', async ({ page, reprieve }) => {
  await open(page, reprieve.url('/redis'));
  const looked = page.locator('.redis-looked time');
  const before = await looked.getAttribute('datetime');
  await page.evaluate(() => Object.assign(window, { marked: true }));
  await page.getByRole('link', { name: 'Look again' }).focus();
  await page.keyboard.press('Enter');
  await expect(looked).not.toHaveAttribute('datetime', before ?? '');
  expect(await page.evaluate(() => 'marked' in window), 'in place, not loaded anew').toBe(true);
});

test('a form that asks something of a page is answered once somebody has chosen, although they wanted quiet', async ({ page, reprieve }) => {
  await open(page, reprieve.url('/redis'));
  const looked = page.locator('.redis-looked time');
  const before = await looked.getAttribute('datetime');
  await page.evaluate(() => Object.assign(window, { marked: true }));
  await page.locator('main').evaluate((main) => {
    main.insertAdjacentHTML('beforeend', '<form method="get" data-at-once data-own><select name="n"><option>1</option><option>2</option></select></form>');
  });
  await page.keyboard.press('p');
  await expect(page.getByRole('button', { name: /^Paused\b/ })).toBeVisible();

  await page.locator('select[name=n]').selectOption('2');

  await expect(looked).not.toHaveAttribute('datetime', before ?? '');
  await expect(page).toHaveURL(/\/redis\?n=2$/);
  expect(await page.evaluate(() => 'marked' in window), 'in place, not loaded anew').toBe(true);
});

test.describe('without Redis', () => {
  test.use({ expectedComplaints: /503|Failed to load resource/ });

  test('a page says since when, what still works and how often it is tried, and goes on by itself', async ({ page, alone: reprieve }) => {
    test.slow();
    await reprieve.api.enqueue({ kind: 'ok.away', queue: 'away', delay_ms: 3_600_000 });
    await open(page, reprieve.url('/'));
    await expect(page.getByRole('row').filter({ hasText: 'away' })).toBeVisible();

    // It answers nobody for so long, as one that hangs or cannot be reached: longer than all that is looked at meanwhile.
    await reprieve.program.redis('CLIENT', 'PAUSE', '25000', 'ALL');
    const panel = page.getByRole('alert').filter({ hasText: 'Redis' });
    await expect(panel).toContainText(/Since .*\d/, { timeout: 60_000 });
    await expect(panel).toContainText('Nothing was changed; due jobs will run late.');
    await expect(panel).toContainText('The server tries again every second');
    await expect(page.getByRole('row').filter({ hasText: 'away' }), 'what was known stays').toBeVisible();
    await expectAccessible(page);

    await expect(panel, 'nobody has to load the page again').toHaveCount(0, { timeout: 60_000 });
  });

  test('a list and a job that could not be read again are, although nothing happens by then', async ({ page, alone: reprieve }) => {
    const { id } = await reprieve.api.enqueue({ kind: 'ok.away', queue: 'away', delay_ms: 3_600_000 });
    const sentence = 'Redis is unreachable.';
    const outage = `<main id="page"><section class="error-panel" role="alert" data-passes>${sentence}</section></main>`;
    for (const [path, read] of [
      ['/jobs/delay?queue=away', /\/jobs\/delay\?queue=away/],
      [`/job/${id}`, new RegExp(`/job/${id}$`)],
    ] as const) {
      await open(page, reprieve.url(path));
      await expect(page.getByRole('button', { name: /^Live\b/ })).toBeVisible();
      let asked = 0;
      let isAway = true;
      await page.route(read, async (route) => {
        asked += 1;
        if (!isAway) return route.continue();
        return route.fulfill({ status: 503, contentType: 'text/html', body: outage });
      });
      await reprieve.api.reschedule(id, 7_200_000);
      const panel = page.getByRole('main').getByRole('alert').filter({ hasText: 'Redis' });
      await expect(panel, path).toBeVisible();
      await expect.poll(() => asked, path).toBeGreaterThan(2);
      isAway = false;
      await expect(panel, path).toHaveCount(0);
      await page.unrouteAll({ behavior: 'wait' });
    }
  });

  test('a list says that nobody knows how many there are, not none', async ({ page, alone: reprieve }) => {
    await reprieve.api.enqueue({ kind: 'ok.away', delay_ms: 3_600_000 });
    await reprieve.program.redis('CLIENT', 'PAUSE', '60000', 'ALL');
    await page.goto(reprieve.url('/jobs/delay'));
    await expect(page.getByRole('alert').filter({ hasText: 'Redis' })).toBeVisible({ timeout: 60_000 });
    await expect(page.getByRole('navigation', { name: 'Lists of jobs' }).getByRole('link', { name: /^Delay/ })).toContainText('–');
  });

  test('a page that reads once goes on by itself as well', async ({ page, alone: reprieve }) => {
    test.slow();
    for (const path of ['/settings', '/audit', '/desk?find=a']) {
      await reprieve.program.redis('CLIENT', 'PAUSE', '25000', 'ALL');
      await page.goto(reprieve.url(path));
      const panel = page.locator('.error-panel');
      await expect(panel, path).toBeVisible({ timeout: 60_000 });
      await expect(panel, `${path}: nobody has to load the page again`).toHaveCount(0, { timeout: 60_000 });
    }
  });

  test('the page of a run keeps what is known of it and what is typed, and goes on by itself', async ({ page, alone: reprieve }) => {
    test.slow();
    const queue = 'away';
    await reprieve.api.enqueueMany(Array.from({ length: 25 }, () => ({ kind: 'ok.away', queue, delay_ms: 3_600_000 })));
    const { id } = await reprieve.api.call<{ id: string }>('POST', '/bulk', { verb: 'hold', queue, rate: 1 });
    await open(page, reprieve.url(`/bulk/${id}`));
    const note = page.getByLabel('Note');
    await note.fill('the file is on my desk');

    await reprieve.program.redis('CLIENT', 'PAUSE', '30000', 'ALL');
    const begin = page.getByRole('button', { name: 'Hold 25 jobs' });
    await begin.click();
    const panel = page.locator('.error-panel').filter({ hasText: 'Redis' });
    await expect(panel).toBeVisible({ timeout: 60_000 });
    await expect(note, 'what was typed stays').toHaveValue('the file is on my desk');
    await expect(panel).toHaveCount(0, { timeout: 60_000 });
    await expect(note).toHaveValue('the file is on my desk');

    // The first press was refused; now the run goes, at one job a second.
    await begin.click();
    const far = page.getByRole('main').getByText(/^\d+ of 25/);
    await expect(far).toBeVisible();
    await reprieve.program.redis('CLIENT', 'PAUSE', '15000', 'ALL');
    await expect(panel).toBeVisible({ timeout: 60_000 });
    await expect(far, 'what was known stays').toBeVisible();
    await expect(page.getByRole('main').getByText('25 of 25'), 'nobody has to load the page again').toBeVisible({ timeout: 60_000 });
    await expect(panel).toHaveCount(0);
  });
});

houseTest.describe('without Redis, where people sign in', () => {
  houseTest.use({ expectedComplaints: /503|Failed to load resource/ });

  houseTest('somebody who opens a page is told, and it comes back by itself', async ({ page, house }) => {
    houseTest.slow();
    await signIn(page, house);
    await house.redis('CLIENT', 'PAUSE', '30000', 'ALL');
    await page.goto(`${house.address}/workers`);
    await expect(page.getByRole('heading', { name: 'No answer at present' })).toBeVisible();
    await expect(page.getByText('this page goes on by itself')).toBeVisible();
    await expectAccessible(page);
    await expect(page.getByRole('heading', { level: 1, name: 'Workers' })).toBeVisible({ timeout: 90_000 });
  });

  houseTest('an act that was not done says so in sentences', async ({ page, house }) => {
    await signIn(page, house);
    await open(page, `${house.address}/settings`);
    await house.redis('CLIENT', 'PAUSE', '15000', 'ALL');
    await page.getByRole('button', { name: 'Send a test alert' }).click();
    const said = page.getByText(/Redis is unreachable\./).filter({ visible: true }).first();
    await expect(said).toBeVisible({ timeout: 60_000 });
    await expect(said).not.toContainText('RESOLVED');
  });
});
