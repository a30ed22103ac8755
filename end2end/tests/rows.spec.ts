import { standing } from '../support/gate.ts';
import { amend, claimed } from '../support/planted.ts';
import { alive, expect, expectAccessible, open, test, unique } from '../support/reprieve.ts';
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

test('a row says who enqueued the job, how far it is, and what its error calls itself', async ({ page, reprieve }) => {
  const queue = unique('says');
  const screens = new Screens(page, reprieve.program.address);
  const { id } = await reprieve.api.enqueue({ kind: 'none.says', queue, delay_ms: HOUR_MS });
  // The page's own function: as a person at the dashboard.
  const moved = await page.request.post(reprieve.url('/api/fn/reschedule_job'), {
    form: { id, preset: '+900', reason: 'Duplicate' },
    headers: { origin: reprieve.program.address },
  });
  expect(moved.ok()).toBe(true);
  await screens.list('delay', queue);
  await expect(screens.row(id).locator('.cell-own')).toHaveText(/^api\s*changed by someone at the dashboard: Duplicate$/);

  const { id: runs, token, queue: fresh } = await claimed(reprieve.api);
  const told = { percent: '40', text: 'copying', at: String(Date.now()), attempt: '1' };
  await amend(reprieve.program, runs, { progress: JSON.stringify(told) });
  await screens.list('active', fresh);
  await expect(screens.row(runs).locator('.cell-own')).toContainText('40%');

  const error = 'TimeoutError: no answer within 30 s';
  await reprieve.api.call('POST', `/jobs/${runs}/fail`, { token, error, fatal: true });
  await screens.list('dead', fresh);
  await expect(screens.row(runs).locator('.cell-own')).toContainText(error);
  await expect(screens.row(runs).locator('.error-class')).toHaveText('TimeoutError');
});

test('each list has columns of its own, and a row what they are about', async ({ page, reprieve }) => {
  const { api } = reprieve;
  const screens = new Screens(page, reprieve.program.address);
  const [still, ended] = [unique('still'), unique('ended')];
  // What a paused queue has stays ready.
  await api.pause(still);
  const { id: ready } = await api.enqueue({ kind: 'ok.columns', queue: still });
  const { id: dead } = await api.enqueue({ kind: 'fatal.columns', queue: ended });
  const { id: done } = await api.enqueue({ kind: 'ok.columns', queue: ended });
  for (const [id, state] of [[ready, 'ready'], [dead, 'dead'], [done, 'done']] as const) {
    await expect.poll(async () => (await api.job(id)).state).toBe(state);
  }
  const headings = page.locator('.job-table thead th:is(.cell-when, .cell-job, .cell-queue, .cell-own)');
  const span = /(0|\d+(\.\d)? (ms|s)|\d+ m( \d+ s)?)/.source;

  await screens.list('ready', still);
  await expect(headings).toHaveText(['Waiting for', 'Job', 'Queue', 'Due']);
  await expect(screens.row(ready).locator('.cell-when')).toHaveText(new RegExp(`^${span}`));
  const { due_ms } = await api.job(ready);
  await expect(screens.row(ready).locator('.cell-own time').first()).toHaveAttribute('datetime', new Date(due_ms).toISOString());

  await screens.list('dead', ended);
  await expect(headings).toHaveText(['Failed', 'Job', 'Queue', 'Error']);
  await expect(screens.row(dead).locator('.cell-when')).toHaveText(/^(now|.* ago)/);
  await expect(screens.row(dead).locator('.cell-own')).toHaveText(/410.*1 attempt$/);

  await screens.list('done', ended);
  await expect(headings).toHaveText(['Finished', 'Job', 'Queue', 'Took']);
  await expect(screens.row(done).locator('.cell-when')).toHaveText(/^(now|.* ago)/);
  await expect(screens.row(done).locator('.cell-own')).toHaveText(new RegExp(`^${span}\\s*(late by ${span}|on time)$`));

  const { id: active, queue } = await claimed(api);
  await screens.list('active', queue);
  await expect(headings).toHaveText(['Running for', 'Job', 'Queue', 'Worker']);
  await expect(screens.row(active).locator('.cell-when')).toHaveText(new RegExp(`^${span}`));
  await expect(screens.row(active).locator('.cell-own')).toHaveText(new RegExp(`^w\\s*lease ${span} left$`));
});

test('a row says what its job has become: its payload, and another job in its place', async ({ page, reprieve }) => {
  const queue = unique('become');
  const { id } = await reprieve.api.enqueue({ kind: 'ok.before', queue, subject: `a:${queue}`, payload: { amount: 1 }, delay_ms: HOUR_MS });
  const screens = new Screens(page, reprieve.program.address);
  await open(page, reprieve.url(`/jobs/delay?queue=${queue}&columns=amount`));
  const row = screens.row(id);
  const [column, preview, subject] = [row.locator('.cell-column'), row.locator('.preview'), row.locator('.subject')];
  await expect(column).toHaveText('1');

  await reprieve.api.call('POST', `/jobs/${id}/edit`, { payload: { amount: 2 } });
  await expect(preview).toHaveText('{"amount":2}');
  await expect(column).toHaveText('2');

  await screens.link(id).focus();
  await reprieve.api.enqueue({ id, kind: 'ok.after', queue, subject: `b:${queue}`, payload: { amount: 3 }, delay_ms: HOUR_MS, replace: true });
  await expect(screens.link(id)).toHaveText('ok.after');
  await expect(screens.link(id), 'the row is the same').toBeFocused();
  await expect(subject).toHaveText(`b:${queue}`);
  await expect(preview).toHaveText('{"amount":3}');
  await expect(column).toHaveText('3');
  await expect(row.getByRole('button', { name: `Actions for ok.after ${id}` })).toBeAttached();
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
  await expect(copyId.locator('.icon')).toBeHidden();
  await copyId.focus();
  await expect(copyId.locator('.icon'), 'it is seen where the focus is').toBeVisible();
  await page.keyboard.press('Enter');
  await expect.poll(copied).toBe(id);
  await row.hover();
  await row.getByRole('button', { name: 'Copy subject' }).click();
  await expect.poll(copied).toBe(subject);
  await row.getByRole('button', { name: 'Copy error' }).click();
  await expect.poll(copied).toContain('410');
});

test('that a text was copied is heard, and what the browser refuses to copy has no tick', async ({ page, context, reprieve }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const queue = unique('heard');
  const { id } = await reprieve.api.enqueue({ kind: 'ok.heard', queue, delay_ms: HOUR_MS });
  const screens = new Screens(page, reprieve.program.address);
  await screens.list('delay', queue);
  const copy = screens.row(id).getByRole('button', { name: 'Copy id' });
  // Its tick is there for a moment only: each time that it comes or goes is noted.
  await copy.evaluate((copy) => {
    const ticks: boolean[] = [];
    new MutationObserver(() => ticks.push(copy.hasAttribute('data-copied'))).observe(copy, { attributeFilter: ['data-copied'] });
    Object.assign(window, { ticks });
  });
  const ticks = () => page.evaluate(() => (window as unknown as { ticks: boolean[] }).ticks);
  await copy.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('voice')).toHaveText('Copied: id');
  await expect.poll(ticks).toEqual([true, false]);

  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException('denied', 'NotAllowedError'));
  });
  await page.keyboard.press('Enter');
  await expect(page.locator('.notice')).toContainText('The browser did not copy this: id');
  await expect(page.getByTestId('voice')).toHaveText(/did not copy this: id/);
  expect(await ticks()).toEqual([true, false]);
});

test('a row of two lines has 48 pixels, and one of one line 32', async ({ page, reprieve }) => {
  const [queue, still] = [unique('high'), unique('still')];
  await reprieve.api.enqueueMany([
    { kind: 'ok.high', queue, subject: 'customer:1', payload: { order: 7 }, delay_ms: HOUR_MS },
    { kind: 'fatal.high', queue, subject: 'customer:2' },
    { kind: 'ok.high', queue },
  ]);
  // What a paused queue has stays ready.
  await reprieve.api.pause(still);
  await reprieve.api.enqueue({ kind: 'ok.high', queue: still, subject: 'customer:3' });
  for (const list of ['delay', 'ready', 'dead', 'done']) {
    for (const [rows, height] of [['roomy', 48], ['compact', 32]] as const) {
      await expect(async () => {
        await open(page, reprieve.url(`/jobs/${list}?queue=${list === 'ready' ? still : queue}&rows=${rows}`));
        const box = await page.locator('tr[data-id]').first().boundingBox({ timeout: 2_000 });
        expect(box?.height, `${list}, ${rows}`).toBeGreaterThanOrEqual(height);
        expect(box?.height, `${list}, ${rows}`).toBeLessThanOrEqual(height + 1);
      }).toPass();
    }
  }
});

test('what can be pressed in a row lies nowhere over what else can', async ({ page, reprieve }) => {
  const queue = unique('apart');
  // Names of every length above subjects of one: somewhere each button of the upper line is above that of the lower.
  const jobs = await reprieve.api.enqueueMany([...Array(24).keys()].map((n) => ({ kind: `fatal.${'n'.repeat(n + 1)}`, queue, subject: 'customer:1234567' })));
  const screens = new Screens(page, reprieve.program.address);
  for (const { id } of jobs) await expect.poll(async () => (await reprieve.api.job(id)).state).toBe('dead');
  for (const width of [1_280, 360]) {
    await page.setViewportSize({ width, height: 740 });
    await screens.list('dead', queue);
    await expect(page.locator('tr[data-id]')).toHaveCount(24);
    const over = await page.locator('tr[data-id]').evaluateAll((rows) => rows.flatMap((row) => {
      const boxes = [...row.querySelectorAll('a, button, input')].filter((target) => target.checkVisibility({ visibilityProperty: true })).map((target) => ({ name: target.outerHTML, ...target.getBoundingClientRect().toJSON() as DOMRect }));
      return boxes.flatMap((one, n) => boxes.slice(n + 1).filter((other) => one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom).map((other) => `${one.name} and ${other.name}`));
    }));
    expect(over, `${width} pixels wide`).toEqual([]);
    await expectAccessible(page);
  }
});

test('keys act on the row that has the focus, and what does not apply says why', async ({ page, reprieve }) => {
  const queue = unique('keyed');
  const jobs = await reprieve.api.enqueueMany([1, 2, 3].map((n) => ({ kind: 'ok.keyed', queue, delay_ms: n * HOUR_MS })));
  const [first, second, third] = jobs.map(({ id }) => id);
  if (!first || !second || !third) throw new Error('three were enqueued');
  const screens = new Screens(page, reprieve.program.address);
  const state = async (id: string) => (await reprieve.api.job(id)).state;
  await screens.list('delay', queue);

  await page.keyboard.press('j');
  await expect(screens.link(first)).toBeFocused();
  await page.keyboard.press('h');
  await expect.poll(() => state(first)).toBe('held');
  expect(await state(second), 'no other').toBe('delayed');

  await page.keyboard.press('j');
  await expect(screens.link(second)).toBeFocused();
  const { due_ms } = await reprieve.api.job(second);
  await page.keyboard.press('e');
  const asked = page.getByRole('dialog', { name: 'Reschedule this job' });
  await expect(asked).toBeVisible();
  await expectAccessible(page);
  await asked.getByText('In 1 d').click();
  await page.keyboard.press('Control+Enter');
  await expect.poll(async () => (await reprieve.api.job(second)).due_ms).toBeGreaterThan(due_ms);
  await expect(asked).toBeHidden();
  await expect(screens.link(second), 'the focus is where it was').toBeFocused();

  await page.keyboard.press('j');
  await page.keyboard.press('C');
  await screens.confirmCancel('Duplicate');
  await expect.poll(() => state(third)).toBe('cancelled');
  await expect(screens.row(third)).toHaveAttribute('data-left', 'true');
  await screens.link(third).focus();
  await page.keyboard.press('e');
  await expect(screens.said('It is cancelled; undo that first')).toBeVisible();
  await page.keyboard.press('r');
  expect(await state(third), 'nothing runs it').toBe('cancelled');

  await screens.link(first).focus();
  await page.keyboard.press('r');
  await page.getByRole('dialog', { name: 'Run now' }).getByRole('button', { name: 'Run now' }).click();
  await expect.poll(() => state(first)).toBe('done');
});

test('what is taken back in its notice leaves the list where it is, with the focus on its row', async ({ page, reprieve }) => {
  const queue = unique('back');
  const jobs = await reprieve.api.enqueueMany(Array.from({ length: 40 }, (_, n) => ({ kind: 'ok.back', queue, delay_ms: HOUR_MS + n })));
  const last = jobs.at(-1)?.id;
  if (!last) throw new Error('forty were enqueued');
  const screens = new Screens(page, reprieve.program.address);
  await screens.list('delay', queue);
  await screens.link(last).focus();
  await page.keyboard.press('h');
  await expect.poll(async () => (await reprieve.api.job(last)).state).toBe('held');
  const top = () => page.evaluate(() => window.scrollY);
  const before = await top();
  expect(before).toBeGreaterThan(200);
  await page.locator('.notice').getByRole('button', { name: 'Undo' }).click();
  await expect.poll(async () => (await reprieve.api.job(last)).state).toBe('delayed');
  await expect(screens.link(last)).toBeFocused();
  expect(Math.abs((await top()) - before), 'but for a part of a pixel').toBeLessThan(2);
});

test('what a row says changes in its place, and nothing of it is made anew', async ({ page, reprieve }) => {
  const queue = unique('inplace');
  const { id } = await reprieve.api.enqueue({ kind: 'ok.inplace', queue, subject: `resource:${queue}`, delay_ms: 50 * HOUR_MS });
  const screens = new Screens(page, reprieve.program.address);
  await screens.list('delay', queue);
  const row = screens.row(id);
  await expect(row.locator('.cell-when time')).toHaveCount(2);
  await screens.link(id).focus();
  // A name that only this element has, and no other one in its place.
  const parts = '.cell-when *, .cell-job *, .cell-main *, .cell-tick *, .cell-acts *';
  const marked = await row.evaluate((row, parts) => {
    const elements = [...row.querySelectorAll(parts)];
    elements.forEach((element) => Object.assign(element, { marked: true }));
    return elements.length;
  }, parts);
  const still = () => row.evaluate((row, parts) => [...row.querySelectorAll(parts)].filter((element) => 'marked' in element).length, parts);

  await reprieve.api.reschedule(id, 74 * HOUR_MS);
  await expect(row.locator('.cell-when time').first()).toHaveText(/^in 3 d/);
  const { due_ms } = await reprieve.api.job(id);
  for (const time of await row.locator('.cell-when time').all()) await expect(time).toHaveAttribute('datetime', new Date(due_ms).toISOString());
  expect(await still(), 'all of them, texts and attributes aside').toBe(marked);

  await reprieve.api.cancel(id);
  await expect(row).toHaveAttribute('data-left', 'true');
  await expect(row.locator('.cell-when')).toHaveText(/^cancelled/i);
  await expect(row.locator('.cell-main button')).toHaveAttribute('aria-label', `Undo: ok.inplace ${id}`);
  await expect(screens.link(id), 'the focus is where it was').toBeFocused();
});

test('a card on a phone has its main act on it', async ({ page, reprieve }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  const queue = unique('card');
  const [waits, off] = await reprieve.api.enqueueMany([1, 2].map((n) => ({ kind: 'ok.card', queue, delay_ms: n * HOUR_MS })));
  const { id: dead } = await reprieve.api.enqueue({ kind: 'fatal.card', queue });
  if (!waits || !off) throw new Error('two were enqueued');
  const screens = new Screens(page, reprieve.program.address);
  await screens.list('delay', queue);
  await page.getByRole('button', { name: `Run now: ok.card ${waits.id}` }).click();
  await page.getByRole('dialog', { name: 'Run now' }).getByRole('button', { name: 'Run now' }).click();
  await expect.poll(async () => (await reprieve.api.job(waits.id)).state).toBe('done');
  await expectAccessible(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);

  await reprieve.api.cancel(off.id);
  await screens.list('cancelled', queue);
  await page.getByRole('button', { name: `Undo: ok.card ${off.id}` }).click();
  await expect.poll(async () => (await reprieve.api.job(off.id)).state).toBe('delayed');
  await reprieve.api.hold(off.id);
  await screens.list('held', queue);
  await page.getByRole('button', { name: `Unhold: ok.card ${off.id}` }).click();
  await expect.poll(async () => (await reprieve.api.job(off.id)).state).toBe('delayed');
  await expect.poll(async () => (await reprieve.api.job(dead)).state).toBe('dead');
  await screens.list('dead', queue);
  await expect(page.getByRole('button', { name: `Retry now: fatal.card ${dead}` })).toBeVisible();
  await page.setViewportSize({ width: 1280, height: 740 });
  await expect(page.getByRole('button', { name: `Retry now: fatal.card ${dead}` }), 'a row has its menu').toBeHidden();
});

for (const scripts of [true, false]) {
  test.describe(scripts ? 'with scripts' : 'without scripts', () => {
    test.use({ javaScriptEnabled: scripts });

    test('columns are hidden and moved, but never the job', async ({ page, reprieve }) => {
      const queue = unique('columns');
      await reprieve.api.enqueue({ kind: 'ok.columns', queue, delay_ms: HOUR_MS });
      await page.goto(reprieve.url(`/jobs/delay?queue=${queue}`));
      const headings = page.locator('.job-table thead th:is(.cell-when, .cell-job, .cell-queue, .cell-own)');
      await expect(headings).toHaveText(['Due', 'Job', 'Queue', 'Created by']);
      if (scripts) await alive(page);
      await page.getByRole('button', { name: 'View', exact: true }).click();
      const view = page.getByRole('dialog', { name: 'View', exact: true });
      await view.getByLabel('Queue').selectOption('1');
      await view.getByLabel('Created by').selectOption('Hidden');
      await expect(view.getByLabel('Job', { exact: true }).getByRole('option', { name: 'Hidden' })).toHaveCount(0);
      await view.getByRole('button', { name: 'Show' }).click();
      await expect(headings).toHaveText(['Queue', 'Due', 'Job']);
      await expect(page.locator('tr[data-id] td:is(.cell-when, .cell-job, .cell-queue, .cell-own)').first()).toHaveText(queue);
      await page.goto(reprieve.url(`/jobs/delay?queue=${queue}&columns=:own`));
      await expect(headings).toHaveText(['Job', 'Created by']);
    });
  });
}

test('what is answered late closes no menu but its own', async ({ page, reprieve }) => {
  const queue = unique('late');
  const jobs = await reprieve.api.enqueueMany([1, 2].map((n) => ({ kind: 'ok.late', queue, delay_ms: n * HOUR_MS })));
  const [first, second] = jobs.map(({ id }) => id);
  if (!first || !second) throw new Error('two were enqueued');
  const screens = new Screens(page, reprieve.program.address);
  await screens.list('delay', queue);
  let answer = () => {};
  const asked = new Promise<void>((resolve) => (answer = resolve));
  await page.route(/hold_job/, async (route) => {
    const response = await route.fetch();
    await asked;
    await route.fulfill({ response });
  });
  await standing(page);

  await screens.link(first).focus();
  await page.keyboard.press('h');
  await expect.poll(async () => (await reprieve.api.job(first)).state).toBe('held');
  await screens.link(second).focus();
  await page.keyboard.press('e');
  const dialog = page.getByRole('dialog', { name: 'Reschedule this job' });
  await expect(dialog).toBeVisible();
  const answered = page.waitForResponse(/hold_job/);
  answer();
  await (await answered).finished();
  await expect(screens.row(first), 'the answer is there').toHaveAttribute('data-left', 'true');
  await expect(dialog, 'the other menu stays').toBeVisible();
});
