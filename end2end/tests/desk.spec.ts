import { writeFile, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { Api } from '../support/api.ts';
import { Gate } from '../support/gate.ts';
import { Program } from '../support/program.ts';
import { expect, expectAccessibleInBoth, open, test as base, unique } from '../support/reprieve.ts';

const DAY_MS = 86_400_000;

const WORDS = `
[[kind]]
name = "resource.notice"
step = "Notice by e-mail"
step_zh = "邮件通知"
[[kind]]
name = "resource.delete"
step = "Deletion of the resource"
step_zh = "删除资源"
noun = "deletion"
noun_zh = "删除"
[[kind]]
name = "expiry"
step = "Expiry of the resource"
step_zh = "资源到期"
[[kind]]
name = "backup"
hidden = true
[[subject]]
name = "resource"
word = "Resource"
word_zh = "资源"
`;

interface Desk {
  address: string;
  api: Api;
  program: Program;
}

/** A program that knows what its kinds of work are called. */
const test = base.extend<object, { desk: Desk }>({
  desk: [
    async ({}, use) => {
      const folder = await mkdtemp(join(tmpdir(), 'rpv-desk-'));
      const config = join(folder, 'reprieve.toml');
      await writeFile(config, WORDS);
      const program = await Program.start('serve', '--config', config);
      await use({ address: program.address, api: new Api(program.address), program });
      await program.stop();
      expect(program.log(), 'the program panicked').not.toContain('panicked');
    },
    { scope: 'worker' },
  ],
});

/** A subject with a notice, a deletion and a backup, of which the desk says nothing. */
async function planned(api: Api): Promise<{ number: string; ids: string[]; due: number[] }> {
  const number = unique('R').replaceAll('-', '');
  const subject = `resource:${number}`;
  const jobs = await api.enqueueMany([
    { kind: 'resource.notice', subject, delay_ms: DAY_MS },
    { kind: 'resource.delete', subject, delay_ms: 2 * DAY_MS },
    { kind: 'backup', subject, delay_ms: 3 * DAY_MS },
  ]);
  const ids = jobs.map(({ id }) => id);
  const due = await Promise.all(ids.map(async (id) => (await api.job(id)).due_ms));
  return { number, ids, due };
}

async function find(page: Page, text: string): Promise<void> {
  await page.getByRole('main').getByRole('searchbox').fill(text);
  await page.getByRole('main').getByRole('searchbox').press('Enter');
}

/** The open confirmation. */
function dialog(page: Page): Locator {
  return page.getByRole('dialog');
}

/** Has the plan that was called off happen after all, and says yes when asked. */
async function putBack(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Put the plan back' }).click();
  await expect(dialog(page)).toContainText('gets its time again');
  await dialog(page).getByRole('button', { name: 'Put it back' }).click();
}

for (const [scripts, width] of [
  [true, 1280],
  [true, 360],
  [false, 1280],
  [false, 360],
] as const) {
  test.describe(`${scripts ? 'with' : 'without'} scripts, ${width} px wide`, () => {
    test.use({
      javaScriptEnabled: scripts,
      viewport: { width, height: 740 },
    });

    test('a deletion is found, called off with a receipt, and put back at its time', async ({ page, desk }) => {
      const { number, ids, due } = await planned(desk.api);
      await page.goto(`${desk.address}/desk`);
      if (scripts) await expect(page.locator('html')).toHaveAttribute('data-scripted', /.*/, { timeout: 60_000 });
      await find(page, ` resource ${number}\t`);
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Resource ${number}`);
      await expect(page.getByText('Deletion of the resource', { exact: true })).toBeVisible();
      await expect(page.getByText(/backup/i), 'work of the house is no business of the desk').toHaveCount(0);

      await page.getByRole('button', { name: 'Call off deletion' }).click();
      await expect(dialog(page)).toContainText('Stops 2 steps, none of which has run yet: Notice by e-mail');
      await expect(dialog(page).getByLabel('Reason'), 'nothing is chosen for anybody').toHaveValue('');
      await dialog(page).getByLabel('Reason').selectOption('Customer asked');
      await dialog(page).getByLabel(/Ticket/).fill('8812');
      await dialog(page).getByRole('button', { name: 'Call off deletion' }).click();

      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Called off');
      await expect(page.getByText(/^[0-9A-Z]{3}-[0-9A-Z]{3}-[0-9A-Z]{3}$/)).toBeVisible();
      await expect(page.getByText('Customer asked: ticket 8812')).toBeVisible();
      const states = async () => Promise.all(ids.map(async (id) => (await desk.api.job(id)).state));
      expect(await states()).toEqual(['cancelled', 'cancelled', 'delayed']);
      const scroll = await page.evaluate(() => document.documentElement.scrollWidth).catch(() => width);
      expect(scroll, 'nothing is cut at the side').toBeLessThanOrEqual(width);

      await putBack(page);
      await expect(page.getByRole('button', { name: 'Call off deletion' })).toBeVisible();
      expect(await states()).toEqual(['delayed', 'delayed', 'delayed']);
      const after = await Promise.all(ids.map(async (id) => (await desk.api.job(id)).due_ms));
      expect(after, 'to the millisecond').toEqual(due);
    });
  });
}

test('a receipt is printed as wide as its paper', async ({ page, desk }) => {
  const { number } = await planned(desk.api);
  await open(page, `${desk.address}/desk/resource:${number}`);
  await page.getByRole('button', { name: 'Call off deletion' }).click();
  await dialog(page).getByRole('button', { name: 'Call off deletion' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Called off');
  const year = String(new Date().getUTCFullYear());
  await expect(page.locator('.receipt-facts time'), 'a paper that is kept has the year').toContainText(year);
  // A4, upright and lying.
  for (const width of [794, 1_123]) {
    await page.setViewportSize({ width, height: 794 });
    await page.emulateMedia({ media: 'print' });
    expect((await page.locator('.receipt').boundingBox())?.width, `on ${width} px`).toBeGreaterThan(0.5 * width);
    await expect(page.getByRole('navigation').first()).toBeHidden();
    await page.emulateMedia({ media: 'screen' });
  }
});

test('everything is postponed by as much, and put on hold', async ({ page, desk }) => {
  const { number, ids, due } = await planned(desk.api);
  await open(page, `${desk.address}/desk/resource:${number}`);

  await page.getByRole('button', { name: 'Postpone…' }).click();
  await dialog(page).getByText('7 days later').click();
  await dialog(page).getByRole('button', { name: 'Postpone' }).click();
  await expect(page.getByText('Postponed.').and(page.locator(':visible')).first()).toBeVisible();
  const moved = await Promise.all(ids.map(async (id) => (await desk.api.job(id)).due_ms));
  expect(moved).toEqual([(due[0] ?? 0) + 7 * DAY_MS, (due[1] ?? 0) + 7 * DAY_MS, due[2]]);
  // To put on hold what the page has not read yet would be a conflict.
  await expect(page.locator('.plan-step').filter({ hasText: 'Notice by e-mail' })).toContainText('in 8 d');

  await page.getByRole('button', { name: 'Put on hold…' }).click();
  await dialog(page).getByRole('button', { name: 'Put on hold' }).click();
  await expect(page.getByText(/^On hold; put on hold by/)).toBeVisible();
  expect((await desk.api.job(ids[1] ?? '')).state).toBe('held');
  await page.getByRole('button', { name: 'Take off hold' }).click();
  await expect(page.getByRole('button', { name: 'Put on hold…' })).toBeVisible();
  expect((await desk.api.job(ids[1] ?? '')).state).toBe('delayed');
});

test('a second act before the desk has read the first is no conflict', async ({ page, desk }) => {
  const { number, ids, due } = await planned(desk.api);
  await open(page, `${desk.address}/desk/resource:${number}`);
  const gate = await Gate.before(page, new RegExp(`/desk/resource:${number}$`));
  gate.shut();
  const postpone = async () => {
    await page.getByRole('button', { name: 'Postpone…' }).click();
    await dialog(page).getByRole('button', { name: 'Postpone' }).click();
  };
  const later = async () => Promise.all([0, 1].map(async (step) => (await desk.api.job(ids[step] ?? '')).due_ms - (due[step] ?? 0)));
  await postpone();
  await expect(dialog(page)).toBeHidden();
  expect(await later()).toEqual([DAY_MS, DAY_MS]);
  await postpone();
  await expect(dialog(page)).toBeHidden();
  expect(await later()).toEqual([2 * DAY_MS, 2 * DAY_MS]);

  // What somebody else did is still not gone over, until that was told.
  await desk.api.reschedule(ids[1] ?? '', 9 * DAY_MS);
  await postpone();
  await expect(dialog(page)).toContainText('It changed while you looked, so nothing was changed');
  expect((await later())[0]).toBe(2 * DAY_MS);
  await dialog(page).getByRole('button', { name: 'Postpone' }).click();
  await expect(dialog(page)).toBeHidden();
  expect((await later())[0]).toBe(3 * DAY_MS);
  gate.open();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test.describe('while the server does not answer', () => {
  test.use({ expectedComplaints: /Failed to load resource/ });

  test('what was not done says so where it was asked for, and nowhere else', async ({ page, desk }) => {
    test.slow();
    const { number, ids } = await planned(desk.api);
    await open(page, `${desk.address}/desk/resource:${number}`);
    await page.getByRole('button', { name: 'Put on hold…' }).click();
    await dialog(page).getByRole('button', { name: 'Put on hold' }).click();
    await expect(page.getByRole('button', { name: 'Take off hold' })).toBeVisible();
    await page.route('**/act_on_desk', (route) => route.abort());
    await page.getByRole('button', { name: 'Take off hold' }).click();
    // A button without fields has no form to say it in.
    await expect(page.locator('.notice[data-tone=bad]')).toContainText(/not known/, { timeout: 60_000 });
    expect((await desk.api.job(ids[1] ?? '')).state).toBe('held');

    await page.getByRole('button', { name: 'Postpone…' }).click();
    await dialog(page).getByText('7 days later').click();
    await dialog(page).getByRole('button', { name: 'Postpone' }).click();
    const why = page.locator('.refusal');
    await expect(why).toHaveText(/not known/, { timeout: 60_000 });
    await expect(dialog(page).locator('.refusal'), 'in the form that was sent').toHaveCount(1);

    await page.unroute('**/act_on_desk');
    await dialog(page).getByRole('button', { name: 'Postpone' }).click();
    await expect(dialog(page)).toBeHidden();
    await expect(why).toHaveCount(0);
    await page.getByRole('button', { name: 'Take off hold' }).click();
    await expect(page.getByRole('button', { name: 'Put on hold…' })).toBeVisible();
  });
});

test('a plan of notices and a deletion is called off, put back, held and postponed as one thing', async ({ page, desk }) => {
  const number = unique('P').replaceAll('-', '');
  const plan = `expiry-${number}`;
  // Rented 27 days ago: the first notice is behind us.
  const rented = Date.now() - 27 * DAY_MS;
  await desk.api.makePlan({
    id: plan,
    subject: `resource:${number}`,
    name: 'expiry',
    anchor: { due_ms: rented },
    past: 'skip',
    steps: [
      ...[23, 28, 29].map((day) => ({ name: `notice-${day}`, offset_ms: day * DAY_MS, job: { kind: 'resource.notice' } })),
      { name: 'delete', offset_ms: 30 * DAY_MS, job: { kind: 'resource.delete' } },
    ],
  });
  const steps = ['notice-28', 'notice-29', 'delete'];
  const jobs = async () => Promise.all(steps.map(async (step) => desk.api.job(`${plan}/${step}`)));
  const states = async () => (await jobs()).map(({ state }) => state);
  const days = async () => (await jobs()).map(({ due_ms }) => (due_ms - rented) / DAY_MS);

  await open(page, `${desk.address}/desk/resource:${number}`);
  await expect(page.getByRole('heading', { level: 2, name: 'Expiry of the resource' })).toBeVisible();
  await expect(page.locator('.plan-steps > li')).toHaveCount(4);

  await page.getByRole('button', { name: 'Call off deletion' }).click();
  await expect(dialog(page)).toContainText('Stops 3 steps');
  await dialog(page).getByRole('button', { name: 'Call off deletion' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Called off');
  expect(await states()).toEqual(['cancelled', 'cancelled', 'cancelled']);

  await putBack(page);
  // The notice of day 23 was left out before the plan was called off, and stays so: there is nothing to ask.
  await expect(page.getByRole('button', { name: 'Call off deletion' })).toBeVisible();
  await expect(page.locator('.plan-question')).toBeHidden();
  expect(await states()).toEqual(['delayed', 'delayed', 'delayed']);
  expect((await desk.api.job(`${plan}/notice-23`)).state).toBe('cancelled');
  expect(await days(), 'at the times it had').toEqual([28, 29, 30]);

  await page.getByRole('button', { name: 'Put on hold…' }).click();
  await dialog(page).getByRole('button', { name: 'Put on hold' }).click();
  await expect(page.getByText(/^On hold; put on hold by/)).toBeVisible();
  expect(await states()).toEqual(['held', 'held', 'held']);
  await page.getByRole('button', { name: 'Take off hold' }).click();
  await expect(page.getByRole('button', { name: 'Put on hold…' })).toBeVisible();
  expect(await states()).toEqual(['delayed', 'delayed', 'delayed']);

  await page.getByRole('button', { name: 'Postpone…' }).click();
  await dialog(page).getByText('7 days later').click();
  await dialog(page).getByRole('button', { name: 'Postpone' }).click();
  await expect(page.getByText('Postponed.').and(page.locator(':visible')).first()).toBeVisible();
  expect(await days()).toEqual([35, 36, 37]);
});

test('what is put back after the time of a notice is sent at once or not at all, as somebody says', async ({ page, desk }) => {
  for (const [answer, notice, said] of [
    ['Do them at once', 'ready', 'Put back. Its time had passed, so this happens now: Notice by e-mail.'],
    ['Put back only what is still to come', 'cancelled', 'Put back, except what has no time left; this stays called off: Notice by e-mail.'],
  ] as const) {
    const number = unique('A').replaceAll('-', '');
    const plan = `expiry-${number}`;
    const due_ms = Date.now() + 3_000;
    await desk.api.makePlan({
      id: plan,
      subject: `resource:${number}`,
      anchor: { due_ms },
      steps: [
        { name: 'notice', offset_ms: 0, job: { kind: 'resource.notice' } },
        { name: 'delete', offset_ms: 2 * DAY_MS, job: { kind: 'resource.delete' } },
      ],
    });
    await desk.api.call('POST', `/plans/${plan}/cancel`, { reason: 'Customer asked' });
    const states = async () => Promise.all(['notice', 'delete'].map(async (step) => (await desk.api.job(`${plan}/${step}`)).state));
    await expect.poll(() => Date.now()).toBeGreaterThan(due_ms);

    await open(page, `${desk.address}/desk/resource:${number}`);
    await putBack(page);
    const question = page.locator('.plan-question');
    await expect(question).toContainText('They are: Notice by e-mail');
    await expect(question).not.toContainText('Deletion of the resource');
    expect(await states()).toEqual(['cancelled', 'cancelled']);
    await question.getByRole('button', { name: answer }).click();
    await expect(page.getByText(said).and(page.locator(':visible')).first()).toBeVisible();
    await expect(page.getByRole('button', { name: 'Call off deletion' })).toBeVisible();
    await expect(question).toBeHidden();
    await expect(page, 'the question is not asked again by loading the page').not.toHaveURL(/ask=/);
    await expect.poll(states).toEqual([notice, 'delayed']);
  }
});

test('of two plans that were called off the older is put back from its receipt, whatever the time of its notice', async ({ page, desk }) => {
  const number = unique('T').replaceAll('-', '');
  const due_ms = Date.now() + 3_000;
  const plans = ['older', 'newer'].map((name) => `${name}-${number}`);
  for (const id of plans) {
    await desk.api.makePlan({
      id,
      subject: `resource:${number}`,
      anchor: { due_ms },
      steps: [
        { name: 'notice', offset_ms: 0, job: { kind: 'resource.notice' } },
        { name: 'delete', offset_ms: 2 * DAY_MS, job: { kind: 'resource.delete' } },
      ],
    });
    await desk.api.call('POST', `/plans/${id}/cancel`, { reason: 'Customer asked' });
  }
  const states = async () => Promise.all(plans.map(async (id) => (await desk.api.job(`${id}/delete`)).state));
  const { ended_ms } = await desk.api.job(`${plans[0] ?? ''}/delete`);
  await expect.poll(() => Date.now()).toBeGreaterThan(due_ms);

  await open(page, `${desk.address}/desk/resource:${number}?receipt=${ended_ms ?? 0}`);
  await putBack(page);
  const question = page.locator('.plan-question');
  await expect(question, 'the other is asked about nothing').toHaveCount(1);
  await question.getByRole('button', { name: 'Put back only what is still to come' }).click();
  await expect(page.getByRole('button', { name: 'Call off deletion' })).toBeVisible();
  expect(await states()).toEqual(['delayed', 'cancelled']);
});

test('what was called off by mistake is put back from its receipt while another plan goes on', async ({ page, desk }) => {
  const number = unique('B').replaceAll('-', '');
  const subject = `resource:${number}`;
  const due_ms = Date.now() + 9 * DAY_MS;
  const steps = (kind: string) => [{ name: 'only', offset_ms: 0, job: { kind } }];
  await desk.api.makePlan({ id: `expiry-${number}`, subject, anchor: { due_ms }, steps: steps('resource.delete') });
  await desk.api.makePlan({ id: `notices-${number}`, subject, anchor: { due_ms: due_ms + DAY_MS }, steps: steps('resource.notice') });
  const states = async () => Promise.all(['expiry', 'notices'].map(async (plan) => (await desk.api.job(`${plan}-${number}/only`)).state));

  await open(page, `${desk.address}/desk/${subject}`);
  await page.getByRole('button', { name: 'Call off deletion' }).click();
  await dialog(page).getByRole('button', { name: 'Call off deletion' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Called off');
  expect(await states()).toEqual(['cancelled', 'delayed']);
  await putBack(page);
  await expect(page.getByRole('button', { name: 'Call off deletion' })).toBeVisible();
  expect(await states()).toEqual(['delayed', 'delayed']);
});

/** A plan whose first step a worker is doing; this program has none of its own. */
async function underWay(api: Api, kinds: string[]): Promise<{ number: string; plan: string }> {
  const number = unique('W').replaceAll('-', '');
  const plan = `expiry-${number}`;
  const queue = unique('desk');
  await api.makePlan({
    id: plan,
    subject: `resource:${number}`,
    anchor: { due_ms: Date.now() - 1_000 },
    past: 'run',
    steps: kinds.map((kind, n) => ({ name: `step-${n}`, offset_ms: n * DAY_MS, job: { kind, queue } })),
  });
  const claim = { worker: 'w', most: 1, lease_ms: 300_000, wait_ms: 10_000 };
  const { items } = await api.call<{ items: unknown[] }>('POST', `/queues/${queue}/claim`, claim);
  expect(items).toHaveLength(1);
  return { number, plan };
}

test('what is partly too late says which part, and stops the other', async ({ page, desk }) => {
  const { number, plan } = await underWay(desk.api, ['resource.notice', 'resource.delete']);
  await open(page, `${desk.address}/desk/resource:${number}`);
  await expect(page.locator('.plan-status').first()).toHaveText('is being done now');
  await page.getByRole('button', { name: 'Call off deletion' }).click();
  await expect(dialog(page)).toContainText('Stops one step: Deletion of the resource');
  await expect(dialog(page)).toContainText('It may be too late to stop “Notice by e-mail”, which is being done now.');
  await dialog(page).getByRole('button', { name: 'Call off deletion' }).click();

  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Partly called off');
  await expect(page.locator('.plan-step').filter({ hasText: 'Deletion of the resource' })).toContainText('called off');
  await expect(page.locator('.plan-step').filter({ hasText: 'Notice by e-mail' })).toContainText('was being done at that moment; asked to stop');
  expect((await desk.api.job(`${plan}/step-1`)).state).toBe('cancelled');
  expect((await desk.api.job(`${plan}/step-0`)).state, 'its worker has it still').toBe('active');

  await putBack(page);
  await expect(page.getByRole('button', { name: 'Call off deletion' })).toBeVisible();
  expect((await desk.api.job(`${plan}/step-1`)).state).toBe('delayed');
});

test('what is being done already is asked to stop, and nobody is told that it was stopped', async ({ page, desk }) => {
  const { number, plan } = await underWay(desk.api, ['resource.delete']);
  await open(page, `${desk.address}/desk/resource:${number}`);
  await page.getByRole('button', { name: 'Call off deletion' }).click();
  await expect(dialog(page)).toContainText('“Deletion of the resource” is being done now. It will be asked to stop');
  await dialog(page).getByRole('button', { name: 'Call off deletion' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Asked to stop; it may be too late');
  expect((await desk.api.job(`${plan}/step-0`)).state).toBe('active');
});

test('in its last minute a step counts the seconds, and can still be called off', async ({ page, desk }) => {
  const number = unique('S').replaceAll('-', '');
  const { id } = await desk.api.enqueue({ kind: 'resource.delete', subject: `resource:${number}`, delay_ms: 50_000 });
  await open(page, `${desk.address}/desk/resource:${number}`);
  await expect(page.locator('.plan-status')).toHaveText(/^in \d+ s$/);
  const off = page.getByRole('button', { name: 'Call off deletion' });
  await expect(off).not.toHaveAttribute('aria-disabled', /.*/);
  await off.click();
  await dialog(page).getByRole('button', { name: 'Call off deletion' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Called off');
  expect((await desk.api.job(id)).state).toBe('cancelled');
});

test.describe('a plan that is late', () => {
  test('says what waits for what, and is postponed to a time that is still to come', async ({ page, desk }) => {
    const number = unique('L').replaceAll('-', '');
    const plan = `expiry-${number}`;
    await desk.api.makePlan({
      id: plan,
      subject: `resource:${number}`,
      anchor: { due_ms: Date.now() - 4 * DAY_MS },
      past: 'run',
      steps: [
        { name: 'notice', offset_ms: 0, job: { kind: 'resource.notice' } },
        { name: 'delete', offset_ms: 3 * DAY_MS, after: ['notice'], job: { kind: 'resource.delete' } },
      ],
    });
    await expect.poll(async () => (await desk.api.job(`${plan}/delete`)).state).toBe('held');
    await open(page, `${desk.address}/desk/resource:${number}`);
    const steps = page.locator('.plan-step');
    await expect(steps.nth(0)).toContainText('has been due since');
    await expect(steps.nth(1)).toContainText('waits until what comes before it is done');
    await expect(page.getByText(/put on hold by/), 'no person holds it').toHaveCount(0);
    await expect(page.getByRole('button', { name: 'Take off hold' })).toHaveCount(0);

    await page.getByRole('button', { name: 'Postpone…' }).click();
    await dialog(page).getByText('1 day later').click();
    await dialog(page).getByRole('button', { name: 'Postpone' }).click();
    const why = 'the time of Notice by e-mail would have passed even so; choose a later one';
    await expect(dialog(page)).toContainText(why);
    await dialog(page).getByText('7 days later').click();
    await dialog(page).getByRole('button', { name: 'Postpone' }).click();
    await expect(page.getByText('Postponed.').and(page.locator(':visible')).first()).toBeVisible();
    await expect(steps.nth(0)).toContainText('in 3 d');
    expect((await desk.api.job(`${plan}/delete`)).state).toBe('delayed');
  });
});

test('with the keyboard alone', async ({ page, desk }) => {
  const { number, ids } = await planned(desk.api);
  await open(page, `${desk.address}/desk`);
  await expect(page.getByRole('main').getByRole('searchbox')).toBeFocused();
  await page.keyboard.type(number);
  await page.keyboard.press('Enter');
  await tabTo(page, page.getByRole('button', { name: 'Call off deletion' }));
  await page.keyboard.press('Enter');
  await tabTo(page, dialog(page).getByRole('button', { name: 'Call off deletion' }));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Called off');
  expect((await desk.api.job(ids[1] ?? '')).state).toBe('cancelled');
  await tabTo(page, page.getByRole('button', { name: 'Put the plan back' }));
  await page.keyboard.press('Enter');
  await tabTo(page, dialog(page).getByRole('button', { name: 'Put it back' }));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Call off deletion' })).toBeVisible();
});

test('what was called off elsewhere says by whom and why, and can be put back', async ({ page, desk }) => {
  const { number, ids } = await planned(desk.api);
  await open(page, `${desk.address}/desk/resource:${number}`);
  for (const id of ids) await desk.api.cancel(id, 'Renewed or paid');
  await expect(page.getByText(/^Called off by/)).toContainText('Renewed or paid');
  await putBack(page);
  await expect(page.getByRole('button', { name: 'Call off deletion' })).toBeVisible();
});

test('what comes while somebody fills in a dialog waits until they are done', async ({ page, desk }) => {
  const { number, ids } = await planned(desk.api);
  await open(page, `${desk.address}/desk/resource:${number}`);
  await page.getByRole('button', { name: 'Call off deletion' }).click();
  const ticket = dialog(page).getByLabel(/Ticket/);
  await ticket.fill('4711');
  for (const id of ids) await desk.api.cancel(id, 'Renewed or paid');
  await page.waitForResponse(new RegExp(`/desk/resource:${number}$`));
  await page.waitForTimeout(500); // what would be shown is shown by then
  await expect(ticket).toHaveValue('4711');

  await page.keyboard.press('Escape');
  await expect(page.getByText(/^Called off by/)).toContainText('Renewed or paid');
  await expect(page.getByRole('button', { name: 'Call off deletion' })).toHaveCount(0);
});

test.describe('while Redis does not answer', () => {
  test.use({ expectedComplaints: /status of 503/ });

  test('what was not read says so, and is read until it is', async ({ page, desk }) => {
    test.slow();
    const { number, ids } = await planned(desk.api);
    await open(page, `${desk.address}/desk/resource:${number}`);
    await expect(page.getByRole('button', { name: /^Live\b/ })).toBeVisible();
    await desk.program.redis('CLIENT', 'PAUSE', '15000', 'ALL');
    // To resume a page is to ask for it.
    await page.keyboard.press('p');
    await page.keyboard.press('p');
    const panel = page.getByRole('alert').filter({ hasText: 'cannot be read again just now' });
    await expect(panel).toBeVisible({ timeout: 60_000 });
    await expect(panel.getByText('cannot be shown'), 'it is shown').toBeHidden();
    await expect(page.getByRole('button', { name: 'Call off deletion' }), 'what was known stays').toBeVisible();

    // Nothing else happens.
    await expect(panel).toHaveCount(0, { timeout: 60_000 });
    for (const id of ids) await desk.api.cancel(id, 'Renewed or paid');
    await expect(page.getByText(/^Called off by/)).toContainText('Renewed or paid');
  });
});

test('the beginning of a number finds those that begin so', async ({ page, desk }) => {
  const stem = unique('P').replaceAll('-', '');
  await desk.api.enqueueMany(
    ['a', 'b'].map((end) => ({ kind: 'resource.delete', subject: `resource:${stem}${end}`, delay_ms: DAY_MS })),
  );
  await open(page, `${desk.address}/desk`);
  await find(page, stem);
  await expect(page.getByText('2 match. Which one do you mean?')).toBeVisible();
  await page.getByRole('link', { name: `Resource ${stem}b` }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Resource ${stem}b`);
});

test('what nobody knows is said plainly', async ({ page, desk }) => {
  await open(page, `${desk.address}/desk`);
  await find(page, 'R0-not-there');
  await expect(page.getByText('Nothing is known of “R0-not-there”.')).toBeVisible();
});

for (const language of ['en', 'zh-CN'] as const) {
  test.describe(language, () => {
    test('axe finds nothing serious on the desk', async ({ page, context, desk }) => {
      const { number } = await planned(desk.api);
      await context.addCookies([{ name: 'language', value: language, url: desk.address }]);
      await open(page, `${desk.address}/desk/resource:${number}`);
      await expectAccessibleInBoth(page);
      await page.getByRole('button', { name: language === 'en' ? 'Call off deletion' : '撤销删除' }).click();
      await expect(dialog(page)).toBeVisible();
      await expectAccessibleInBoth(page);
      await dialog(page).getByRole('button', { name: language === 'en' ? 'Call off deletion' : '撤销删除' }).click();
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(language === 'en' ? 'Called off' : '已撤销');
      await expectAccessibleInBoth(page);
    });
  });
}

/** Presses Tab until a control has the focus, as a person would. */
async function tabTo(page: Page, control: Locator): Promise<void> {
  for (let presses = 0; presses < 80; presses += 1) {
    if (await control.evaluate((element) => element === document.activeElement, undefined, { timeout: 2_000 }).catch(() => false)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error('the control cannot be reached with Tab');
}

test('what waits for its time is not run now without a question', async ({ page, desk }) => {
  const { ids } = await planned(desk.api);
  await open(page, `${desk.address}/job/${ids[1] ?? ''}`);
  await page.getByRole('button', { name: 'Run now' }).click();
  const dialog = page.getByRole('dialog', { name: 'Run now' });
  await expect(dialog).toContainText(/resource\.delete for resource:\w+ runs at once instead of on .* A customer feels it/);
  await dialog.getByRole('button', { name: 'Keep as it is' }).click();
  expect((await desk.api.job(ids[1] ?? '')).state, 'nothing was done').toBe('delayed');

  await page.keyboard.press('r');
  await dialog.getByLabel('Reason').selectOption('Incident');
  await dialog.getByLabel('Number of the incident').fill('4711');
  await dialog.getByRole('button', { name: 'Run now' }).click();
  await expect.poll(async () => (await desk.api.job(ids[1] ?? '')).state).toBe('ready');
  await page.reload();
  await expect(page.getByText('Incident 4711').first()).toBeVisible();

  const backup = await desk.api.enqueue({ kind: 'backup', queue: unique('inner'), delay_ms: DAY_MS });
  await open(page, `${desk.address}/job/${backup.id}`);
  await page.getByRole('button', { name: 'Run now' }).click();
  await expect(dialog, 'of the house').toContainText(/backup runs at once instead of on .*, and what it has done stays done/);
  await expect(dialog).not.toContainText('A customer feels it');
  await dialog.getByRole('button', { name: 'Run now' }).click();
  await expect.poll(async () => (await desk.api.job(backup.id)).state).toBe('ready');
});
