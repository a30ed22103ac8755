import { say } from '../support/planted.ts';
import { expect, test, unique } from '../support/reprieve.ts';
import { furnished, PAGES, Screens } from '../support/screens.ts';

test.use({ javaScriptEnabled: false });

const HOUR_MS = 3_600_000;

test('lists are complete and can be paged without scripts', async ({ page, reprieve }) => {
  const queue = unique('plain');
  const ids = await reprieve.api.enqueueMany(
    Array.from({ length: 120 }, (_, n) => ({ kind: 'ok.plain', queue, delay_ms: HOUR_MS + n * 1_000 })),
  );
  const screens = new Screens(page, reprieve.program.address);
  await page.goto(reprieve.url(`/jobs/delay?queue=${queue}`));

  const seen = new Set<string>();
  for (;;) {
    for (const { id } of ids) if ((await page.locator(`a[href^="/job/${id}"]`).count()) > 0) seen.add(id);
    const more = screens.more();
    if ((await more.count()) === 0) break;
    const { href } = new URL((await more.first().getAttribute('href')) ?? '', page.url());
    await more.first().click();
    // Of a page that has not come to its end rows are missing, or what leads on.
    await page.waitForURL((address) => address.href === href);
  }

  expect(seen.size).toBe(ids.length);
});

/** Buttons that do nothing without a script, and look as if they did. */
const IDLE = 'button[type=button]:not([popovertarget], :disabled, [aria-disabled=true]):visible';

test('every page is readable without scripts', async ({ page, reprieve }) => {
  for (const path of [...PAGES, ...(await furnished(reprieve.api, 'plain'))]) {
    const response = await page.goto(reprieve.url(path));
    expect(response?.status()).toBe(200);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(page.getByText('Loading')).toHaveCount(0);
    await expect(page.locator(IDLE), `${path} has no button that does nothing`).toHaveCount(0);
  }
  reprieve.receiver.release();
});

test('every line of a long log is a link away', async ({ page, reprieve }) => {
  const { id } = await reprieve.api.enqueue({ kind: 'ok.long', queue: unique('plain'), delay_ms: HOUR_MS });
  await say(reprieve.program, id, Array.from({ length: 150 }, (_, n) => `line ${n + 1}`));
  await page.goto(reprieve.url(`/job/${id}`));
  const lines = page.locator('.log-lines li');
  await expect(lines).toHaveCount(100);
  await expect(page.locator(IDLE)).toHaveCount(0);
  await page.getByRole('button', { name: 'More to do with this job' }).click();
  await expect(page.getByRole('dialog', { name: 'More to do with this job' })).toBeVisible();
  await expect(page.getByText('As a call with curl'), 'nothing is to be copied').toBeHidden();
  await page.goto(reprieve.url(`/job/${id}`));
  await page.getByRole('link', { name: 'Show earlier lines' }).click();
  await expect(lines).toHaveCount(150);
  await expect(lines.first()).toContainText('line 1');
  await expect(page.getByRole('link', { name: 'Show earlier lines' })).toHaveCount(0);
});

test('how the queues stood is answered by a plain form', async ({ page, reprieve }) => {
  await page.goto(reprieve.url('/'));
  await page.getByRole('heading', { name: 'Counts at an earlier time' }).click();
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await expect(page).toHaveURL(/[?&]back=0/);
  // Counts are written down once a minute: in its first one there is nothing to show yet.
  await expect(page.getByText(/^(This is how it stood on|Nobody wrote it down in that minute)/)).toBeVisible();
});

test.describe('an address that leads nowhere', () => {
  test.use({ expectedComplaints: /status of 404/ });

  test('says so, with the right status', async ({ page, reprieve }) => {
    const missing = await page.goto(reprieve.url('/no-such-page'));
    expect(missing?.status()).toBe(404);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('There is no such page');

    const unknown = await page.goto(reprieve.url('/job/not-there'));
    expect(unknown?.status()).toBe(404);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('There is no such job');
  });
});

test('a job is called off and put back by plain forms', async ({ page, reprieve }) => {
  const screens = new Screens(page, reprieve.program.address);
  const { id } = await reprieve.api.enqueue({ kind: 'ok.form', queue: unique('plain'), delay_ms: HOUR_MS });
  const { due_ms } = await reprieve.api.job(id);
  await page.goto(reprieve.url(`/job/${id}`));

  await screens.cancel('Customer asked');
  await expect(screens.said('Cancelled. No worker will start this job.')).toBeVisible();
  expect((await reprieve.api.job(id)).state).toBe('cancelled');

  await screens.undo();
  await expect(screens.said('Reinstated, due at its original time.')).toBeVisible();
  const after = await reprieve.api.job(id);
  expect([after.state, after.due_ms]).toEqual(['delayed', due_ms]);
});

test('a job is put on hold, released, rescheduled and run now by plain forms', async ({ page, reprieve }) => {
  const screens = new Screens(page, reprieve.program.address);
  const { id } = await reprieve.api.enqueue({ kind: 'ok.form', queue: unique('plain'), delay_ms: HOUR_MS });
  const { due_ms } = await reprieve.api.job(id);
  const now = async () => {
    const { state, due_ms } = await reprieve.api.job(id);
    return [state, due_ms];
  };
  await page.goto(reprieve.url(`/job/${id}`));

  await screens.button('Hold').click();
  await expect(screens.said('On hold. It keeps its due time and will not run until it is taken off hold.')).toBeVisible();
  expect(await now()).toEqual(['held', due_ms]);

  await screens.button('Unhold').click();
  await expect(screens.said('Off hold. It will run at its due time.')).toBeVisible();
  expect(await now()).toEqual(['delayed', due_ms]);

  await screens.reschedule('In 1 d');
  await expect(screens.said(/^Rescheduled/)).toBeVisible();
  expect((await reprieve.api.job(id)).due_ms - due_ms).toBeGreaterThan(20 * HOUR_MS);

  await screens.runNow();
  await expect(screens.said('Ready: the next free worker takes it.')).toBeVisible();
  await reprieve.receiver.first(id);
  await expect.poll(async () => (await reprieve.api.job(id)).state).toBe('done');
});

test('a dead job is retried by a plain form', async ({ page, reprieve }) => {
  const screens = new Screens(page, reprieve.program.address);
  const { id } = await reprieve.api.enqueue({ kind: 'fatal.form', queue: unique('plain') });
  await expect.poll(async () => (await reprieve.api.job(id)).state).toBe('dead');
  await page.goto(reprieve.url(`/job/${id}`));

  await screens.retryNow();
  await expect(screens.said('Ready: the next free worker takes it.')).toBeVisible();
  await expect.poll(() => reprieve.receiver.of(id).length).toBe(2);
});

test('a theme is chosen without scripts', async ({ page, reprieve }) => {
  await page.goto(reprieve.url('/'));
  await page.getByRole('button', { name: 'Dark theme' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
});
