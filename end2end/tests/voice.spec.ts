import type { Page } from '@playwright/test';
import { expect, open, test, unique } from '../support/reprieve.ts';
import { Screens } from '../support/screens.ts';

const HOUR_MS = 3_600_000;
/** At least this long from one message to the next, less what a tick of a second takes away. */
const PACE_MS = 4_500;
/** By then a message has come that waited for its turn, on a busy machine too: how soon is not asked. */
const TOLD_MS = 60_000;

/** Everything that the page says from now on, each with when it was said. */
async function listen(page: Page): Promise<() => Promise<{ at: number; text: string }[]>> {
  const voice = page.getByTestId('voice');
  await voice.evaluate((place) => {
    const heard: { at: number; text: string }[] = [];
    Object.assign(window, { heard });
    new MutationObserver(() => {
      const text = place.textContent?.trim() ?? '';
      if (text) heard.push({ at: performance.now(), text });
    }).observe(place, { childList: true, subtree: true, characterData: true });
  });
  return async () => page.evaluate(() => (window as unknown as { heard: { at: number; text: string }[] }).heard);
}

/** When the job on the page is in that state first from now on, by the page's own clock. */
async function shown(page: Page, state: string): Promise<() => Promise<number>> {
  await page.locator('.job-head').evaluate((head, state) => {
    const look = (): void => {
      if (!('shown' in window) && head.querySelector(`[data-state="${state}"]`)) Object.assign(window, { shown: performance.now() });
    };
    new MutationObserver(look).observe(head, { subtree: true, childList: true, attributes: true });
  }, state);
  return async () => page.evaluate(() => (window as unknown as { shown?: number }).shown ?? Infinity);
}

test('one polite place tells what others change, at most every five seconds, and nothing twice', async ({ page, reprieve }) => {
  const screens = new Screens(page, reprieve.program.address);
  const { id } = await reprieve.api.enqueue({ kind: 'ok.voice', queue: unique('voice'), delay_ms: HOUR_MS });
  await screens.job(id);
  await expect(page.getByRole('button', { name: /^Live\b/ })).toBeVisible();
  await expect(page.getByRole('status'), 'one place on the page').toHaveCount(1);
  await expect(page.getByTestId('voice'), 'what is there first is not told').toHaveText('');
  const heard = await listen(page);

  await reprieve.api.hold(id);
  await expect(page.getByTestId('voice')).toContainText(/Held/, { timeout: TOLD_MS });
  const cancelled = await shown(page, 'cancelled');
  await reprieve.api.cancel(id);
  await expect(screens.state()).toHaveText(/Cancelled/);
  await reprieve.api.reinstate(id);
  // It is held again, as it was before.
  await reprieve.api.call('POST', `/jobs/${id}/unhold`);
  await expect(page.getByTestId('voice')).toContainText(/Delayed/, { timeout: TOLD_MS });

  const messages = await heard();
  const next = messages.find(({ text }) => !text.includes('Held'));
  expect(await cancelled(), 'the screen is not as slow').toBeLessThan(next?.at ?? 0);
  messages.slice(1).forEach(({ at, text }, n) => expect(at - messages[n]!.at, text).toBeGreaterThan(PACE_MS));
  expect(new Set(messages.map(({ text }) => text)).size, 'nothing twice').toBe(messages.length);
});

test('a screen that is stopped is silent', async ({ page, reprieve }) => {
  const screens = new Screens(page, reprieve.program.address);
  const queue = unique('silent');
  const { id } = await reprieve.api.enqueue({ kind: 'ok.silent', queue, delay_ms: HOUR_MS });
  await screens.list('delay', queue);
  await expect(page.getByRole('button', { name: /^Live\b/ })).toBeVisible();
  const voice = page.getByTestId('voice');
  const heard = await listen(page);

  await page.getByRole('button', { name: /Pause live updates/ }).click();
  await expect(voice, 'what I do is answered at once').toHaveText('Paused', { timeout: TOLD_MS });
  await reprieve.api.enqueue({ kind: 'ok.silent', queue, delay_ms: HOUR_MS / 2 });
  await expect(page.locator('.live-banner')).toContainText('Paused');
  await page.waitForTimeout(6_000); // longer than its pace
  await expect(voice).toHaveText('Paused');
  await screens.button('Resume').click();
  await expect(voice).toHaveText('1 new', { timeout: TOLD_MS });

  await screens.row(id).getByRole('checkbox').check();
  await reprieve.api.enqueue({ kind: 'ok.silent', queue, delay_ms: HOUR_MS / 3 });
  await expect(screens.newChip()).toContainText('2 new');
  await expect(voice, 'also while a row is ticked').toHaveText('2 new', { timeout: TOLD_MS });
  expect((await heard()).map(({ text }) => text)).toEqual(['Paused', 'Live', '1 new', '2 new']);
});

test('the overview tells how many matters need attention when that changes', async ({ page, reprieve }) => {
  const queue = unique('matter');
  await reprieve.api.enqueue({ kind: 'ok.matter', queue, delay_ms: HOUR_MS });
  await open(page, reprieve.url('/'));
  await expect(page.getByRole('button', { name: /^Live\b/ })).toBeVisible();
  await expect(page.getByTestId('voice')).toHaveText('');
  await reprieve.api.pause(queue);
  await expect(page.getByTestId('voice')).toContainText(/matters? needs? attention/, { timeout: TOLD_MS });
  await reprieve.api.resume(queue);
});

test('how far a run has come is told by the one place, and by no other', async ({ page, reprieve }) => {
  const queue = unique('run');
  await reprieve.api.enqueueMany(Array.from({ length: 3 }, () => ({ kind: 'ok.run', queue, delay_ms: HOUR_MS })));
  const { id } = await reprieve.api.freeze({ verb: 'hold', queue });
  await open(page, reprieve.url(`/bulk/${id}`));
  await expect(page.getByRole('button', { name: /^Live\b/ })).toBeVisible();
  const heard = await listen(page);
  await page.getByRole('button', { name: 'Hold 3 jobs' }).click();
  await expect(page.getByText('3 of 3', { exact: false }).first()).toBeVisible();
  await expect(page.getByTestId('voice')).toContainText('3 of 3', { timeout: TOLD_MS });
  await expect(page.getByRole('status'), 'nothing else is read out with each reading').toHaveCount(1);
  await page.waitForTimeout(6_000); // longer than its pace
  const ends = (await heard()).filter(({ text }) => text.includes('3 of 3'));
  expect(ends.length, 'once').toBe(1);
});

/** What changes within five seconds in a place that is read out as it changes. */
async function readOut(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const said: string[] = [];
    const seen = new MutationObserver((changes) => {
      for (const { target } of changes) {
        const near = target instanceof Element ? target : target.parentElement;
        const place = near?.closest('[role=alert], [aria-live]');
        if (place && place.getAttribute('aria-live') !== 'off') said.push(place.textContent ?? '');
      }
    });
    seen.observe(document.body, { childList: true, subtree: true, characterData: true });
    await new Promise((later) => setTimeout(later, 5_000));
    seen.disconnect();
    return said;
  });
}

test('the ticks of a schedule that is tried out are not read out each second', async ({ page, reprieve }) => {
  await open(page, reprieve.url('/schedules/new'));
  const answered = page.waitForResponse(/\/schedules\/new\?/);
  await page.getByLabel('Expression').fill('*/2 * * * *');
  await answered;
  const preview = page.getByRole('region', { name: 'What it would do' });
  const first = preview.locator('.ticks li').first();
  await expect(first).toContainText(/in \d/);
  const before = await first.innerText();
  expect(await readOut(page)).toEqual([]);
  expect(await first.innerText(), 'seen to change').not.toBe(before);
});

test.describe('without Redis', () => {
  test.use({ expectedComplaints: /503|Failed to load resource/ });

  test('how long it has been away is not read out each second', async ({ page, alone: reprieve }) => {
    await reprieve.program.redis('CLIENT', 'PAUSE', '60000', 'ALL');
    await page.goto(reprieve.url('/redis'));
    const since = page.locator('.error-since').first();
    await expect(since).toContainText(/Since .*ago/, { timeout: 60_000 });
    const before = await since.innerText();
    const told = await readOut(page);
    expect(told.filter((text) => text.includes('Since'))).toEqual([]);
    expect(await since.innerText(), 'seen to change').not.toBe(before);
  });
});
