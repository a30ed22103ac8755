import { Key } from 'selenium-webdriver';
import type { Api } from '../support/api.ts';
import { expect, unique } from '../support/reprieve.ts';
import { LISTS } from '../support/screens.ts';
import { story, type Visitor } from '../support/visitor.ts';

/** Far enough away that the slowest story is over before. */
const HOUR_MS = 3_600_000;

/** The badge with the state of a job, on its page. */
const STATE = '.job-head [data-state]';
const DIALOG = '[role=dialog]:popover-open';

/** Presses the button that asks, says why, and confirms. */
async function cancel(visitor: Visitor, reason: string): Promise<void> {
  await visitor.press('Cancel', 'main');
  await visitor.choose(`${DIALOG} select[name=reason]`, reason);
  await visitor.press('Cancel job', DIALOG);
}

/** Leaves a mark that a new document would not have. */
const mark = (visitor: Visitor) => visitor.run(() => { Object.assign(window, { marked: true }); });
const isMarked = (visitor: Visitor) => visitor.run<boolean>(() => 'marked' in window);

/** Jobs of a queue of their own, each due a minute after the one before it. */
async function waiting({ api }: { api: Api }, count: number): Promise<{ queue: string; ids: string[] }> {
  const queue = unique('story');
  const jobs = Array.from({ length: count }, (_, n) => ({ kind: 'ok.story', queue, delay_ms: HOUR_MS + n * 60_000 }));
  return { queue, ids: (await api.enqueueMany(jobs)).map(({ id }) => id) };
}

story('every list answers', async ({ visitor, reprieve }) => {
  const { ids } = await waiting(reprieve, 4);
  for (const id of ids.slice(2)) await reprieve.api.hold(id);
  for (const list of LISTS) {
    await visitor.open(`/jobs/${list}`);
    await visitor.press('View', 'main');
    await visitor.sees('.popover:popover-open');
  }
});

story('rows stay where they are while their jobs change, and ticks with them', async ({ visitor, reprieve }) => {
  const { queue, ids } = await waiting(reprieve, 5);
  const [first, second] = ids;
  if (!first || !second) throw new Error('nothing was enqueued');
  const rows = () => visitor.every('.job-table tbody tr', 'data-id');
  await visitor.open(`/jobs/delay?queue=${queue}`);
  await mark(visitor);
  await visitor.click(`tr[data-id="${second}"] .cell-tick input`);
  await visitor.sees('.bulk-count', '1 selected');

  // An earlier job would come first in a new list; a cancelled one would leave it.
  await reprieve.api.enqueue({ kind: 'ok.story', queue, delay_ms: HOUR_MS / 2 });
  await reprieve.api.cancel(first);
  await visitor.sees(`tr[data-id="${first}"]`, /cancelled/i);
  await visitor.sees('.new-chip', '1 new');
  expect(await rows()).toEqual(ids);
  await visitor.sees(`tr[data-id="${second}"] .cell-tick input:checked`);
  await visitor.sees('.bulk-count', '1 selected');

  await visitor.press('1 new');
  await expect.poll(rows).not.toContain(first);
  expect(await isMarked(visitor), 'all that in one document').toBe(true);
});

story('a job is cancelled, and the undo gives it its time back', async ({ visitor, reprieve }) => {
  const { ids: [id = ''] } = await waiting(reprieve, 1);
  const { due_ms } = await reprieve.api.job(id);
  await visitor.open(`/job/${id}`);
  await mark(visitor);
  await cancel(visitor, 'Customer asked');
  await visitor.sees(STATE, /Cancelled/);
  await visitor.sees('.notice', /Cancelled\. No worker will start this job\./);
  expect((await reprieve.api.job(id)).state).toBe('cancelled');

  await visitor.press('Undo', '.notice');
  await visitor.sees(STATE, /Delayed/);
  expect(await reprieve.api.job(id)).toMatchObject({ state: 'delayed', due_ms });
  expect(await isMarked(visitor), 'all that in one document').toBe(true);
});

story('a row is acted on from its menu and by its keys', async ({ visitor, reprieve }) => {
  const { queue, ids: [id = ''] } = await waiting(reprieve, 1);
  const state = async () => (await reprieve.api.job(id)).state;
  await visitor.open(`/jobs/delay?queue=${queue}`);
  await visitor.press(/^Actions for/, 'main');
  await visitor.press('Cancel', DIALOG);
  await visitor.press('Cancel job', DIALOG);
  await visitor.sees(`tr[data-id="${id}"]`, /Cancelled/);
  expect(await state()).toBe('cancelled');
  await visitor.type('u');
  await visitor.sees('.notice', /Reinstated/);
  expect(await state()).toBe('delayed');

  await visitor.type('j', 'h');
  await visitor.sees(`tr[data-id="${id}"]`, /Held/);
  await visitor.press('Undo', '.notice:last-child');
  await expect.poll(state).toBe('delayed');
});

story('the desk calls a subject off, and puts it back', async ({ visitor, reprieve }) => {
  const number = unique('R').replaceAll('-', '');
  const subject = `resource:${number}`;
  const jobs = await reprieve.api.enqueueMany([1, 2].map((n) => ({ kind: 'ok.desk', subject, delay_ms: n * HOUR_MS })));
  const now = () => Promise.all(jobs.map(async ({ id }) => { const { state, due_ms } = await reprieve.api.job(id); return { state, due_ms }; }));
  const before = await now();
  await visitor.open('/desk');
  await visitor.fill('main input[type=search]', number);
  await visitor.type(Key.ENTER);
  await visitor.sees('h1', new RegExp(number));
  await visitor.press(/^Call off/, 'main');
  await visitor.choose(`${DIALOG} select[name=reason]`, 'Customer asked');
  await visitor.press(/^Call off/, DIALOG);
  await visitor.sees('h1', 'Called off');
  expect((await now()).map(({ state }) => state)).toEqual(['cancelled', 'cancelled']);

  await visitor.press(/^Put .* back$/, 'main');
  await visitor.press('Put it back', DIALOG);
  await visitor.sees('main button', /^Call off/);
  expect(await now(), 'to the millisecond').toEqual(before);
});

story('a page follows what happens elsewhere, and says when its server is gone', async ({ visitor, reprieve }) => {
  const { ids: [id = ''] } = await waiting(reprieve, 1);
  await visitor.open(`/job/${id}`);
  await mark(visitor);
  await visitor.sees('.live-badge', /^Live\b/);
  await reprieve.api.hold(id);
  await visitor.sees(STATE, /Held/);
  await visitor.sees('.job-moved', /^Moved to Held at \d\d:\d\d:\d\d$/);

  await reprieve.program.kill();
  await visitor.sees('#live-banner', /^Not live\. Showing data from .* ago\)\. Reconnecting/);
  await visitor.sees(STATE, /Held/);
  await reprieve.program.run();
  await reprieve.api.cancel(id);
  await visitor.sees(STATE, /Cancelled/);
  await visitor.sees('.live-badge', /^Live\b/);
  expect(await isMarked(visitor), 'all that in one document').toBe(true);
});

story('what somebody else saved while one typed is not overwritten', async ({ visitor, reprieve }) => {
  const { id } = await reprieve.api.enqueue({ kind: 'ok.type', queue: unique('type'), payload: { n: 1 }, delay_ms: HOUR_MS });
  const edit = (n: number) => reprieve.api.call('POST', `/jobs/${id}/edit`, { payload: { n } });
  const payload = async () => (await reprieve.api.job(id)).payload;
  const typed = () => visitor.run<string>(() => document.querySelector<HTMLTextAreaElement>('textarea[name=payload]')!.value);
  await visitor.open(`/job/${id}`);
  await visitor.press('Edit the payload', 'main');
  await edit(2);
  await expect.poll(typed, 'what nobody has touched follows the job').toBe('{"n":2}');

  await visitor.fill('textarea[name=payload]', '{"n":10}');
  await edit(3);
  await visitor.sees('main', /The payload was changed while you typed\./);
  await visitor.press('Save the payload', 'main');
  await visitor.sees('.refusal');
  expect(await payload()).toEqual({ n: 3 });
  expect(await typed(), 'nothing typed is lost').toBe('{"n":10}');

  // Who has seen what is there may overwrite it.
  await visitor.press('Save the payload', 'main');
  await visitor.sees('.notice', /Saved\./);
  expect(await payload()).toEqual({ n: 10 });
});

story('a question about a job that has moved on is answered by what happened', async ({ visitor, reprieve }) => {
  const { id } = await reprieve.api.enqueue({ kind: 'hold.conflict', queue: unique('conflict'), delay_ms: HOUR_MS });
  await visitor.open(`/job/${id}`);
  await visitor.press('Cancel', 'main');
  await visitor.choose(`${DIALOG} select[name=reason]`, 'Duplicate');
  await reprieve.api.reschedule(id, 1);
  await reprieve.receiver.first(id);
  await visitor.press('Cancel job', DIALOG);
  await visitor.sees(DIALOG, /This job started .* ago on \S+, so it was not cancelled\./);
  expect((await reprieve.api.job(id)).state).toBe('active');
  reprieve.receiver.release();
});

story('the focus goes to a neighbour when what has it vanishes', async ({ visitor, reprieve }) => {
  const stem = unique('neighbour');
  const names = [1, 2, 3].map((n) => `${stem}-${n}`);
  for (const name of names) await reprieve.api.putSchedule({ name, schedule: '@daily', job: { kind: 'ok.neighbour' } });
  const row = () => visitor.run<string | undefined>(() => document.activeElement?.closest('tr')?.id);
  await visitor.open('/schedules');
  await visitor.run(([name]) => document.getElementById(`schedule-row-${name}`)?.querySelector('a')?.focus(), names[1]!);
  expect(await row()).toBe(`schedule-row-${names[1]}`);
  await reprieve.api.call('POST', `/cron/${names[1]}/delete`, {});
  await expect.poll(row).toBe(`schedule-row-${names[2]}`);
});

story('who goes back finds the list as they left it, and live', async ({ visitor, reprieve }) => {
  const { queue, ids } = await waiting(reprieve, 60);
  const [first = '', second = ''] = ids.slice(28);
  const rows = () => visitor.every('.job-table tbody tr', 'data-id');
  await visitor.open(`/jobs/delay?queue=${queue}&size=25`);
  await visitor.press(/^Load \d+ more/, 'main');
  await expect.poll(rows).toHaveLength(50);
  await visitor.click(`tr[data-id="${first}"] .cell-tick input`);
  const top = () => visitor.run<number>(() => Math.round(scrollY));
  const before = await top();
  expect(before, 'the list is longer than the screen').toBeGreaterThan(100);

  await visitor.press('Workers', '.navigation');
  await visitor.sees('h1', 'Workers');
  await visitor.driver.navigate().back();
  await visitor.sees('.bulk-count', '1 selected');
  await expect.poll(rows).toEqual(ids.slice(0, 50));
  await visitor.sees(`tr[data-id="${first}"] .cell-tick input:checked`);
  await expect.poll(async () => Math.abs((await top()) - before)).toBeLessThan(40);
  await reprieve.api.cancel(second);
  await visitor.sees(`tr[data-id="${second}"]`, /cancelled/i);
});

story.describe('without scripts', () => {
  story.use({ scripts: false });

  story('a job is cancelled and put back by plain forms', async ({ visitor, reprieve }) => {
    const { queue, ids: [id = ''] } = await waiting(reprieve, 1);
    const { due_ms } = await reprieve.api.job(id);
    await visitor.goTo(`/jobs/delay?queue=${queue}`);
    await visitor.click(`tr[data-id="${id}"] a[data-row-link]`);
    await visitor.sees(STATE, /Delayed/);
    await cancel(visitor, 'Customer asked');
    await visitor.sees('.form-outcome', /Cancelled\. No worker will start this job\./);
    expect((await reprieve.api.job(id)).state).toBe('cancelled');

    await visitor.press('Undo');
    await visitor.sees('.form-outcome', /Reinstated, due at its original time\./);
    expect(await reprieve.api.job(id)).toMatchObject({ state: 'delayed', due_ms });
    expect(await visitor.every('html', 'data-scripted'), 'nothing ran').toEqual([null]);
  });
});
