import type { Page } from '@playwright/test';
import { Api } from '../support/api.ts';
import { Gate } from '../support/gate.ts';
import { houseTest } from '../support/house.ts';
import { invite, signIn } from '../support/people.ts';
import { pictures } from '../support/picture.ts';
import { alive, expect, open, startReprieve, stopReprieve, test, type Reprieve } from '../support/reprieve.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** As on a desk. Whatever the browser complains of is part of what the pictures are about. */
const USED = { viewport: { width: 1280, height: 860 }, contextOptions: { reducedMotion: 'reduce' }, expectedComplaints: /./ } as const;

test.use(USED);
test.setTimeout(480_000);

/** A job of every sort, a schedule and a frozen run, under names that mean something. */
async function furnish({ api, receiver }: Reprieve): Promise<{ run: string }> {
  const customer = (n: number) => ({ queue: 'mail', subject: `customer:${4_700 + n}`, payload: { mail: n } });
  await api.enqueueMany([
    ...Array.from({ length: 6 }, (_, n) => ({ kind: 'ok.reminder', delay_ms: DAY_MS + n * HOUR_MS, ...customer(n) })),
    { kind: 'ok.delete', id: 'delete-4711', delay_ms: 2 * HOUR_MS, ...customer(11) },
    { kind: 'fatal.invoice', ...customer(2) },
    { kind: 'hold.report', ...customer(3) },
  ]);
  await api.enqueue({ kind: 'ok.welcome', queue: 'mail' });
  await api.putSchedule({ name: 'weekly-report', schedule: '30 9 * * MON', zone: 'Europe/Berlin', job: { kind: 'ok.report', queue: 'mail' } });
  const { id } = await api.freeze({ verb: 'cancel', queue: 'mail' });
  receiver.release();
  return { run: id };
}

/** Takes the pictures of one page, once it stands still. */
async function pictured(page: Page, address: string, name: string): Promise<void> {
  await page.goto(address);
  await alive(page);
  // What comes after the first answer is there: nothing tells when all of it is.
  await page.waitForTimeout(700);
  await pictures(page, name);
}

test('empty', async ({ page }) => {
  const reprieve = await startReprieve();
  try {
    const shot = (path: string, name: string) => pictured(page, reprieve.url(path), `${name}-empty`);
    await shot('/', 'overview');
    await shot('/jobs/delay', 'jobs');
    await shot('/dead', 'errors');
    await shot('/desk', 'desk');
    await shot('/desk?find=4711', 'desk-found');
    await shot('/search?find=4711', 'search');
    await shot('/forecast', 'forecast');
    await shot('/schedules', 'schedules');
    await shot('/audit', 'audit');
    await shot('/bulk', 'bulk');
    await reprieve.api.enqueue({ kind: 'ok.reminder', queue: 'mail', subject: 'customer:4711', delay_ms: HOUR_MS });
    await reprieve.api.pause('sms');
    await shot('/jobs/dead', 'jobs-state');
    await shot('/jobs/delay?queue=sms', 'jobs-queue');
    await shot(`/jobs/delay?q=${encodeURIComponent('kind:ok.reminder tag:eu')}`, 'jobs-filter');
    await shot('/queue/sms', 'queue');

    // One reading looks at 5,000 jobs; the next one waits at the gate.
    for (let part = 0; part < 11; part += 1) {
      await reprieve.api.enqueueMany(
        Array.from({ length: 500 }, (_, n) => ({ kind: 'ok.reminder', queue: 'mail', delay_ms: DAY_MS + (part * 500 + n) * 1_000 })),
      );
    }
    const gate = await Gate.before(page, /\/api\/fn\/filter_jobs/);
    gate.shut();
    await page.goto(reprieve.url('/jobs/delay?q=kind:ok.welcome'));
    await alive(page);
    await expect(page.getByText('No job that was looked at so far matches')).toBeVisible();
    await page.waitForTimeout(700); // as for the others
    await pictures(page, 'jobs-part-empty');
    gate.open();
  } finally {
    await page.close();
    await stopReprieve(reprieve);
  }
});

test('waiting', async ({ page }) => {
  const reprieve = await startReprieve();
  try {
    const { run } = await furnish(reprieve);
    const gate = await Gate.before(page, /\/api\/fn\//);
    const shot = async (from: string, href: string, name: string) => {
      gate.open();
      await open(page, reprieve.url(from));
      await expect(page.getByRole('button', { name: /^Live\b/ })).toBeVisible();
      await page.waitForTimeout(1_500); // the counts of the stream say how many rows there will be
      gate.shut();
      await page.locator(`a[href="${href}"]:visible`).first().click();
      await expect(page.getByTestId('shapes').first()).toBeVisible();
      await page.waitForTimeout(300); // until the shapes have come
      await pictures(page, `${name}-waiting`);
    };
    await shot('/import', '/', 'overview');
    await shot('/import', '/jobs/delay', 'jobs');
    await shot('/import', '/desk', 'desk');
    await shot('/import', '/workers', 'workers');
    await shot('/import', '/forecast', 'forecast');
    await shot('/import', '/schedules', 'schedules');
    await shot('/import', '/audit', 'audit');
    await shot('/import', '/bulk', 'bulk');
    await shot('/import', '/redis', 'redis');
    await shot('/import', '/settings', 'settings');
    await shot('/jobs/dead', '/dead', 'errors');
    await shot('/', '/queue/mail', 'queue');
    await shot('/bulk', `/bulk/${run}`, 'run');
    await shot('/schedules', '/schedule/weekly-report', 'schedule');
    await shot('/jobs/delay', '/job/delete-4711', 'panel');

    // Its form loads the page anew: one waits for what was looked for only on the way back.
    gate.open();
    await open(page, reprieve.url('/search?find=ok.reminder'));
    await page.locator('a[href="/schedules"]:visible').first().click();
    await expect(page.getByRole('heading', { level: 1, name: 'Schedules' })).toBeVisible();
    gate.shut();
    await page.goBack();
    await expect(page.getByTestId('shapes').first()).toBeVisible();
    await page.waitForTimeout(300); // until the shapes have come
    await pictures(page, 'search-waiting');

    gate.open();
    await reprieve.program.redis('ZADD', 'due:orders', String(Math.floor((Date.now() + DAY_MS) / 1_000)), 'order-4711');
    await open(page, reprieve.url('/import?format=zset&place=due:orders&kind=ok.order'));
    await expect(page.getByRole('button', { name: /^Live\b/ })).toBeVisible();
    gate.shut();
    await page.getByRole('button', { name: 'Watch for six seconds' }).click();
    const watching = page.getByRole('button', { name: 'Watching…' });
    await expect(watching).toBeDisabled();
    await pictures(page, 'import-waiting', watching);

    await page.setViewportSize({ width: 1_000, height: 860 });
    await shot('/jobs/delay', '/job/delete-4711', 'job');
  } finally {
    await page.close();
    await stopReprieve(reprieve);
  }
});

test('wrong', async ({ page }) => {
  const reprieve = await startReprieve();
  try {
    await furnish(reprieve);
    const shot = (path: string, name: string) => pictured(page, reprieve.url(path), `${name}-wrong`);
    await shot('/no-such-page', 'page');
    await shot('/job/not-there', 'job-unknown');
    await shot('/desk/customer:1', 'desk-unknown');
    await shot('/schedule/nowhere', 'schedule-unknown');
    await shot('/bulk/nowhere', 'run-unknown');
    await shot('/jobs/delay?q=stat%3Adead', 'jobs-filter');

    await reprieve.api.enqueue({ kind: 'ok.reminder', id: 'reminder-4690', queue: 'mail', subject: 'customer:4690', delay_ms: HOUR_MS });
    await reprieve.api.cancel('reminder-4690');
    await reprieve.api.call('POST', '/jobs/reminder-4690/purge', { reason: 'Customer asked' });
    await shot('/job/reminder-4690', 'job-gone');
    await open(page, reprieve.url('/import'));
    await page.getByLabel('Address').fill('redis://127.0.0.1:1/0'); // nobody listens there
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    const refused = page.locator('.refusal[role="alert"]').first();
    await expect(refused).toBeVisible({ timeout: 20_000 });
    await pictures(page, 'import-wrong', refused);

    // Somebody else holds it meanwhile.
    await open(page, reprieve.url('/job/delete-4711'));
    await expect(page.getByRole('button', { name: /^Live\b/ })).toBeVisible();
    await reprieve.api.hold('delete-4711');
    await expect(page.locator('.job-moved')).toContainText(/Held/);
    await pictures(page, 'job-moved-wrong');

    // It answers nobody for so long, as one that hangs or cannot be reached.
    await open(page, reprieve.url('/'));
    await reprieve.program.redis('CLIENT', 'PAUSE', '400000', 'ALL');
    await expect(page.getByRole('alert').filter({ hasText: 'Redis' })).toBeVisible({ timeout: 20_000 });
    await pictures(page, 'overview-stale-wrong');
    await shot('/', 'overview');
    await shot('/jobs/delay', 'jobs');
    await shot('/job/delete-4711', 'job');
    await shot('/queue/mail', 'queue');
    await shot('/search?find=4711', 'search');
    await shot('/dead', 'errors');
    await shot('/desk/customer:4711', 'desk');
    await shot('/forecast', 'forecast');
    await shot('/schedules', 'schedules');
    await shot('/workers', 'workers');
    await shot('/audit', 'audit');
    await shot('/bulk', 'bulk');
    await shot('/redis', 'redis');
    await shot('/settings', 'settings');

    await reprieve.program.kill();
    await expect(page.getByText(/Not live/).first()).toBeVisible({ timeout: 20_000 });
    await pictures(page, 'server-gone-wrong');
  } finally {
    await page.close();
    await stopReprieve(reprieve);
  }
});

houseTest.describe('forbidden', () => {
  houseTest.use(USED);

  houseTest('forbidden', async ({ page, browser, house }) => {
    houseTest.setTimeout(240_000);
    const context = await browser.newContext({ viewport: USED.viewport, reducedMotion: 'reduce' });
    const theirs = await context.newPage();
    const shot = (path: string, name: string) => pictured(theirs, `${house.address}${path}`, `${name}-forbidden`);
    await theirs.goto(`${house.address}/`);
    await pictures(theirs, 'sign-in-forbidden');
    await theirs.getByLabel('Name').fill('ann');
    await theirs.getByLabel('Password').fill('not this one, surely');
    await theirs.getByRole('button', { name: 'Sign in' }).click();
    await pictures(theirs, 'sign-in-wrong');

    await signIn(page, house);
    await invite(page, theirs, house.address, 'vic', 'viewer');
    // Nobody works here.
    await pictured(theirs, `${house.address}/workers`, 'workers-empty');
    await new Api(house.address).enqueueMany([
      { kind: 'reminder', queue: 'mail', subject: 'customer:4711', delay_ms: HOUR_MS, id: 'reminder-4711' },
      { kind: 'delete', queue: 'mail', subject: 'customer:4711', delay_ms: DAY_MS },
    ]);
    await shot('/jobs/delay', 'jobs');
    await shot('/job/reminder-4711', 'job');
    await shot('/queue/mail', 'queue');
    await shot('/desk/customer:4711', 'desk');
    await shot('/schedules/new', 'schedule-new');
    await shot('/audit', 'audit');
    await shot('/import', 'import');
    await shot('/redis', 'redis');
    await shot('/settings', 'settings');
    await shot('/people', 'people');

    // What asks for rights elsewhere: a job that died, a worker, a peak, a run.
    const api = new Api(house.address);
    await api.enqueue({ kind: 'invoice', queue: 'billing', subject: 'customer:4711' });
    const { items } = await api.call<{ items: { id: string; token: number }[] }>('POST', '/queues/billing/claim', { worker: 'billing-1', most: 1 });
    for (const { id, token } of items) await api.call('POST', `/jobs/${id}/fail`, { token, error: 'CardError: the bank is closed', fatal: true });
    await api.enqueueMany([2, 3].map((n) => ({ kind: 'reminder', queue: 'mail', subject: `customer:471${n}`, delay_ms: HOUR_MS })));
    const run = await api.freeze({ verb: 'cancel', queue: 'mail' });
    await shot('/', 'overview');
    await shot('/dead', 'errors');
    await shot('/forecast?view=day', 'forecast');
    await shot('/workers', 'workers');
    await shot(`/bulk/${run.id}`, 'run');
    await context.close();
  });
});
