import { expect, open, test, unique } from '../support/reprieve.ts';
import { Screens } from '../support/screens.ts';

/** Far enough away that the slowest test is over before. */
const HOUR_MS = 3_600_000;

const APPEARANCES = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
  { name: 'phone', colorScheme: 'light', viewport: { width: 360, height: 740 } },
] as const;

for (const { name, colorScheme, viewport } of APPEARANCES) {
  test.describe(name, () => {
    test.use({ colorScheme, viewport });

    test('a deletion is called off, put back, and its due time is the same', async ({ page, reprieve }) => {
      const { api } = reprieve;
      const screens = new Screens(page, reprieve.program.address);
      const queue = unique('story');
      const subject = `resource:${unique('r')}`;

      // It appears while somebody looks at the list, which was not loaded again.
      await api.enqueue({ kind: 'ok.notice', queue, delay_ms: HOUR_MS });
      await screens.list('delay', queue);
      await markDocument(page);
      const { id } = await api.enqueue({ kind: 'ok.delete_resource', queue, subject, delay_ms: 2 * HOUR_MS });
      await screens.loadNew();
      await expect(screens.link(id)).toBeVisible();
      await expectSameDocument(page);
      const { due_ms } = await api.job(id);

      // It is called off, with a reason.
      await screens.link(id).click();
      await expect(page.getByRole('heading', { name: /delete_resource/ })).toBeVisible();
      await expect(screens.due()).toHaveAttribute('datetime', new Date(due_ms).toISOString());
      await screens.cancel('Renewed or paid');
      await expect(screens.state()).toHaveText(/Cancelled/);
      await expect(page.getByText('Renewed or paid').last()).toBeVisible();
      expect((await api.job(id)).state).toBe('cancelled');

      // And put back.
      await screens.undo();
      await expect(screens.state()).toHaveText(/Delayed/);
      await expect(screens.due()).toHaveAttribute('datetime', new Date(due_ms).toISOString());
      expect((await api.job(id)).due_ms).toBe(due_ms);
      await expectNoSidewaysScrolling(page);
    });

    test('a job runs at its due time while somebody watches', async ({ page, reprieve }) => {
      const screens = new Screens(page, reprieve.program.address);
      const { id } = await reprieve.api.enqueue({ kind: 'ok.watch', queue: unique('story'), delay_ms: HOUR_MS });

      await screens.job(id);
      await markDocument(page);
      await expect(screens.state()).toHaveText(/Delayed/);
      await reprieve.api.reschedule(id, 2_000);

      await expect(screens.state()).toHaveText(/Done/, { timeout: 60_000 });
      await expect(page.locator('.job-moved')).toHaveText(/^Moved to Done at \d\d:\d\d:\d\d$/);
      await expectSameDocument(page);
      const { due_ms } = await reprieve.api.job(id);
      expect((await reprieve.receiver.first(id)).at).toBeGreaterThanOrEqual(due_ms);
    });

    test('a job fails, dies and is retried by hand', async ({ page, reprieve }) => {
      const screens = new Screens(page, reprieve.program.address);
      const { id } = await reprieve.api.enqueue({ kind: 'fail.charge', queue: unique('story'), max_attempts: 1, delay_ms: 500 });

      await screens.job(id);
      await expect(screens.state()).toHaveText(/Dead/);
      await expect(page.getByText('500').first(), 'the answer of the webhook').toBeVisible();
      expect(reprieve.receiver.of(id)).toHaveLength(1);

      await screens.retryNow();

      await expect.poll(() => reprieve.receiver.of(id).length).toBe(2);
      const ended = async () => {
        const { state, attempt } = await reprieve.api.job(id);
        return [state, attempt];
      };
      await expect.poll(ended).toEqual(['dead', 2]);
      await expect(screens.state()).toHaveText(/Dead/);
      await expectNoSidewaysScrolling(page);
    });
  });
}

test('a job is put on hold, released, rescheduled and run now', async ({ page, reprieve }) => {
  const { api } = reprieve;
  const screens = new Screens(page, reprieve.program.address);
  const { id } = await api.enqueue({ kind: 'ok.hold', queue: unique('story'), delay_ms: HOUR_MS });
  const { due_ms } = await api.job(id);
  await screens.job(id);

  await screens.button('Hold').click();
  await expect(screens.state()).toHaveText(/Held/);
  expect((await api.job(id)).due_ms).toBe(due_ms);

  await screens.button('Unhold').click();
  await expect(screens.state()).toHaveText(/Delayed/);
  expect((await api.job(id)).due_ms).toBe(due_ms);

  await screens.reschedule('In 1 d');
  await expect(screens.dialog()).toBeHidden();
  await expect.poll(async () => (await api.job(id)).due_ms - due_ms).toBeGreaterThan(20 * HOUR_MS);

  await screens.runNow();
  await reprieve.receiver.first(id);
  await expect(screens.state()).toHaveText(/Done/);
});

test('a job that somebody else puts on hold says where it moved and when, and its buttons follow', async ({ page, reprieve }) => {
  const screens = new Screens(page, reprieve.program.address);
  const { id } = await reprieve.api.enqueue({ kind: 'ok.moved', queue: unique('story'), delay_ms: HOUR_MS });
  const moved = page.locator('.job-moved');
  await screens.job(id);
  await expect(screens.button('Hold')).toBeVisible();
  await expect(moved).toHaveText('');

  await reprieve.api.hold(id);
  await expect(moved).toHaveText(/^Moved to Held at \d\d:\d\d:\d\d$/);
  await expect(screens.state()).toHaveText(/Held/);
  await expect(screens.button('Unhold')).toBeVisible();
  await expect(screens.button('Hold')).toHaveCount(0);

  // What one did oneself is no news.
  await screens.button('Unhold').click();
  await expect(screens.state()).toHaveText(/Delayed/);
  await expect(moved).toHaveText('');
  await expect(screens.button('Hold')).toBeVisible();
});

test('a notice leaves once what it says was undone', async ({ page, reprieve }) => {
  const screens = new Screens(page, reprieve.program.address);
  const { id } = await reprieve.api.enqueue({ kind: 'ok.undone', queue: unique('story'), delay_ms: HOUR_MS });
  await screens.job(id);
  await screens.cancel('Duplicate');
  const cancelled = page.locator('.notice').filter({ hasText: 'No worker will start this job.' });
  await expect(cancelled).toBeVisible();
  await expect(page.getByText('It never ran.')).toBeVisible();
  await screens.undo();
  await expect(page.locator('.notice').filter({ hasText: 'Reinstated' })).toBeVisible();
  await expect(cancelled).toHaveCount(0);
});

test('a job whose due time has passed is put back only when somebody says for when', async ({ page, reprieve }) => {
  const { api } = reprieve;
  const screens = new Screens(page, reprieve.program.address);
  const question = page.getByRole('dialog', { name: 'Its due time has passed' });
  const state = async (id: string) => (await api.job(id)).state;
  const ask = async () => {
    // The button asks from the moment at which the time is over; before that it puts the job back.
    await expect(screens.undoButton()).toHaveAttribute('popovertarget', /.+/);
    await screens.undo();
    await expect(question).toContainText('Nothing runs unless you say when.');
  };
  const passed = async () => {
    const { id } = await api.enqueue({ kind: 'ok.lapsed', queue: unique('story'), delay_ms: 3_000 });
    await api.cancel(id);
    await screens.job(id);
    await expect(screens.state()).toHaveText(/Cancelled/);
    await ask();
    return id;
  };

  const first = await passed();
  await expect(question.getByLabel('Or at another time')).toBeVisible();
  await question.getByRole('button', { name: 'Keep it cancelled' }).click();
  await expect(question).toBeHidden();
  expect(await state(first)).toBe('cancelled');
  await ask();
  await question.getByRole('button', { name: 'Run now' }).click();
  await reprieve.receiver.first(first);
  await expect(screens.state()).toHaveText(/Done/);

  const second = await passed();
  const year = new Date().getUTCFullYear() + 1;
  await question.getByLabel('Or at another time').fill(`${year}-01-15T09:00`);
  await question.getByRole('button', { name: 'Reinstate at that time' }).click();
  await expect(screens.said(/^Reinstated, due .*15 Jan/), 'not at its original time').toBeVisible();
  await expect(screens.state()).toHaveText(/Delayed/);
  const { due_ms } = await api.job(second);
  expect(due_ms).toBe(Date.UTC(year, 0, 15, 9));
});

test('a second act before the page was read anew is no conflict', async ({ page, reprieve }) => {
  const { api } = reprieve;
  const screens = new Screens(page, reprieve.program.address);
  const { id } = await api.enqueue({ kind: 'ok.twice', queue: unique('story'), delay_ms: HOUR_MS });
  await screens.job(id);
  const { version } = await api.job(id);
  // What the page asks for by itself is never answered.
  await page.route(new RegExp(`/job/${id}$`), () => {});

  await screens.button('Hold').click();
  await screens.button('Unhold').click();
  // It is answered: what is sent before that is about the job as it was.
  await expect(screens.button('Hold')).toBeVisible();
  await screens.reschedule('In 1 d');
  await expect(screens.dialog()).toBeHidden();
  await screens.button('Hold').click();

  await expect.poll(async () => (await api.job(id)).state).toBe('held');
  expect((await api.job(id)).version).toBe(version + 4);
});

test('the overview leads to the lists', async ({ page, reprieve }) => {
  await open(page, reprieve.url('/'));
  for (const name of ['Delay', 'Ready', 'Active', 'Dead']) {
    await page.getByRole('link', { name: new RegExp(`^${name}\\b`) }).first().click();
    await expect(page.getByRole('heading', { level: 1 })).toContainText(name);
    await page.goBack();
    await expect(page.getByRole('heading', { level: 1 })).toContainText('Overview');
  }
});

/** Leaves a mark that a new document would not have. */
async function markDocument(page: import('@playwright/test').Page): Promise<void> {
  await page.evaluate(() => Object.assign(window, { marked: true }));
}

async function expectSameDocument(page: import('@playwright/test').Page): Promise<void> {
  expect(await page.evaluate(() => 'marked' in window), 'the page was loaded again').toBe(true);
}

async function expectNoSidewaysScrolling(page: import('@playwright/test').Page): Promise<void> {
  const surplus = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(surplus, 'pixels wider than the screen').toBeLessThanOrEqual(0);
}
