import { Gate } from '../support/gate.ts';
import { say, spoil } from '../support/planted.ts';
import { alive, expect, expectAccessible, open, test, unique } from '../support/reprieve.ts';
import { Screens, isReading } from '../support/screens.ts';

const HOUR_MS = 3_600_000;

test('a row opens beside its list; keys walk along it and close it', async ({ page, reprieve }) => {
  const screens = new Screens(page, reprieve.program.address);
  const queue = unique('panel');
  const [first, second] = await reprieve.api.enqueueMany([
    { kind: 'ok.first', queue, delay_ms: HOUR_MS },
    { kind: 'ok.second', queue, delay_ms: 2 * HOUR_MS },
  ]);
  if (!first || !second) throw new Error('nothing was enqueued');
  await screens.list('delay', queue);

  await screens.link(first.id).click();
  const panel = page.getByRole('complementary', { name: 'Job' });
  await expect(panel.getByRole('heading', { level: 2 }).first()).toHaveText(/ok\.first/);
  await expect(screens.link(second.id), 'the list stays').toBeVisible();
  await expect(page).toHaveURL(new RegExp(`open=${first.id}`));

  await page.keyboard.press(']');
  await expect(panel.getByRole('heading', { level: 2 }).first()).toHaveText(/ok\.second/);
  await page.reload();
  await expect(panel.getByRole('heading', { level: 2 }).first(), 'the address restores it').toHaveText(/ok\.second/);
  await page.keyboard.press('Escape');
  await expect(panel).toBeHidden();
});

test('the page of a job whose place another one takes is about that one', async ({ page, reprieve }) => {
  const queue = unique('place');
  const [before, after] = [`a:${queue}`, `b:${queue}`];
  const job = { id: queue, kind: 'ok.before', queue, subject: before, headers: { told: 'first' }, delay_ms: HOUR_MS };
  await reprieve.api.enqueueMany([
    job,
    { kind: 'ok.beside', queue, subject: before, delay_ms: HOUR_MS },
    ...[1, 2].map(() => ({ kind: 'ok.beside', queue, subject: after, delay_ms: HOUR_MS })),
  ]);
  const screens = new Screens(page, reprieve.program.address);
  await screens.job(queue);
  await expect(screens.button('Cancel all 2 live jobs')).toBeVisible();

  await reprieve.api.enqueue({ ...job, kind: 'ok.after', subject: after, headers: { told: 'second' }, replace: true });
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/^ok\.after/);
  await expect(page).toHaveTitle(/^ok\.after/);
  await expect(page.locator('.job-subject')).toHaveText(after);
  await expect(page.getByRole('heading', { name: `All jobs of ${after}` })).toBeVisible();
  await expect(page.locator('.sibling[aria-current]')).toContainText('ok.after');
  await expect(page.getByRole('region', { name: 'Headers and tags' })).toContainText('second');
  await screens.button('Cancel all 3 live jobs').click();
  await screens.confirm('Cancel 3 jobs', 'Customer asked');
  await expect.poll(async () => (await reprieve.api.job(queue)).state).toBe('cancelled');
  await expect(page.locator('.sibling [data-state=cancelled]')).toHaveCount(3);
});

test.describe('two jobs that are alike', () => {
  const typed = 'about the first alone';

  for (const place of ['in the panel', 'on their pages'] as const) {
    test(`what was typed about one is not said of the other ${place}, and the focus is found`, async ({ page, reprieve }) => {
      const screens = new Screens(page, reprieve.program.address);
      const queue = unique('alike');
      const [first, second] = await reprieve.api.enqueueMany(
        [1, 2].map((hours) => ({ kind: 'ok.alike', queue, subject: `order:${queue}`, delay_ms: hours * HOUR_MS })),
      );
      if (!first || !second) throw new Error('nothing was enqueued');
      const dialog = page.getByRole('dialog', { name: 'Cancel this job' });
      const id = page.locator('.job-names code');
      if (place === 'in the panel') {
        await screens.list('delay', queue);
        await screens.link(first.id).first().click();
      } else {
        await screens.job(first.id);
      }
      await expect(id).toHaveText(first.id);
      const cancel = page
        .locator(place === 'in the panel' ? '.job-panel' : 'main')
        .getByRole('button', { name: 'Cancel', exact: true });
      await cancel.click();
      await dialog.getByLabel('Note').fill(typed);
      await dialog.getByRole('button', { name: 'Keep job' }).click();
      await expect(dialog).toBeHidden();

      if (place === 'in the panel') {
        await page.keyboard.press(']');
        await expect(id).toHaveText(second.id);
        await expect(page.getByRole('button', { name: /^Next job/ })).toBeFocused();
      } else {
        await page.getByRole('region', { name: 'Jobs of this subject' }).getByRole('link', { name: 'ok.alike' }).click();
        await expect(id).toHaveText(second.id);
      }
      await cancel.click();
      await expect(dialog.getByLabel('Note')).toHaveValue('');
    });
  }

  test('all of them are called off as often as they were put back', async ({ page, reprieve }) => {
    const screens = new Screens(page, reprieve.program.address);
    const queue = unique('again');
    const subject = `order:${queue}`;
    const ended = await reprieve.api.enqueue({ kind: 'ok.again', queue, subject, delay_ms: HOUR_MS });
    await reprieve.api.cancel(ended.id);
    const other = await reprieve.api.enqueue({ kind: 'ok.again', queue, subject, delay_ms: 2 * HOUR_MS });
    await screens.job(ended.id);
    for (const time of ['once', 'once more']) {
      await page.getByRole('button', { name: 'Cancel its one live job' }).click();
      await screens.confirm('Cancel 1 job', 'Customer asked');
      await expect.poll(async () => (await reprieve.api.job(other.id)).state, time).toBe('cancelled');
      await expect(page.getByRole('button', { name: 'Cancel its jobs' })).toBeVisible();
      await reprieve.api.reinstate(other.id);
    }
  });
});

test.describe('of what is gone', () => {
  test.use({ expectedComplaints: /status of 404/ });

  test('a job that is gone has its receipt beside the list too', async ({ page, reprieve }) => {
    const queue = unique('gone');
    const { id } = await reprieve.api.enqueue({ kind: 'ok.gone', queue, subject: `order:${queue}`, delay_ms: HOUR_MS });
    await reprieve.api.cancel(id);
    await reprieve.api.call('POST', `/jobs/${id}/purge`, { reason: 'twice there' });
    await open(page, reprieve.url(`/jobs/delay?queue=${queue}&open=${id}`));
    const panel = page.getByRole('complementary', { name: 'Job' });
    await expect(panel.getByRole('heading', { level: 2, name: 'This job is gone' })).toBeVisible();
    await expect(panel.getByText('ok.gone')).toBeVisible();
    await expect(page, 'the list is the page').toHaveTitle(/^Delay/);
    await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
  });
});

test.describe('where an answer is lost on the way to a page', () => {
  test.use({ expectedComplaints: /net::ERR_FAILED/ });

  test('the panel comes by itself once it can be read', async ({ page, reprieve }) => {
    const screens = new Screens(page, reprieve.program.address);
    const queue = unique('lost');
    const { id } = await reprieve.api.enqueue({ kind: 'ok.lost', queue, delay_ms: HOUR_MS });
    await screens.list('delay', queue);
    await page.route(/[?&]open=/, (route) => route.abort(), { times: 1 });
    const lost = page.waitForEvent('requestfailed');
    await screens.link(id).first().click();
    await lost;
    const panel = page.getByRole('complementary', { name: 'Job' });
    await expect(panel.locator('.job-names code'), 'although nothing happens').toHaveText(id);
  });
});

test('the palette, the keys and the search lead to a job', async ({ page, reprieve }) => {
  const queue = unique('palette');
  const { id } = await reprieve.api.enqueue({ kind: 'ok.palette', queue, subject: `order:${queue}`, delay_ms: HOUR_MS });
  await open(page, reprieve.url('/'));

  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Go anywhere' });
  await palette.getByRole('textbox').fill(id);
  await expect(palette.getByRole('link', { name: new RegExp(id) })).toBeVisible();
  await expect(palette.getByRole('status'), 'heard as well').toHaveText(/One found|\d+ found/);
  await expectAccessible(page);
  for (const [word, name] of [['dead', 'Dead'], ['by error', 'Dead, by error'], ['pause', 'Overview'], ['cron', 'Schedules']] as const) {
    await palette.getByRole('textbox').fill(word);
    await expect(palette.getByRole('link', { name: `${name} page`, exact: true }), word).toBeVisible();
  }
  await palette.getByRole('textbox').fill(queue.toUpperCase());
  await expect(palette.getByRole('link', { name: `order:${queue} subject` }), 'by a part of its name').toBeVisible();
  await palette.getByRole('textbox').fill(id);
  await expect(palette.getByRole('link', { name: new RegExp(id) })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/ok\.palette/);
  await alive(page);

  await page.keyboard.press('?');
  const shortcuts = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(shortcuts).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(shortcuts).toBeHidden();
  await page.keyboard.press('g');
  await page.keyboard.press('j');
  await expect(page).toHaveURL(/\/jobs\/delay/);
  await alive(page);

  await page.keyboard.press('/');
  await page.keyboard.type(`order:${queue}`);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main').getByRole('link', { name: new RegExp(id) })).toBeVisible();
});

test('letters do nothing to what lies behind something open', async ({ page, reprieve }) => {
  const queue = unique('behind');
  const jobs = await reprieve.api.enqueueMany([1, 2].map((hours) => ({ kind: 'ok.behind', queue, delay_ms: hours * HOUR_MS })));
  const [first, second] = jobs.map(({ id }) => id);
  if (!first || !second) throw new Error('two were enqueued');
  const screens = new Screens(page, reprieve.program.address);
  await screens.list('delay', queue);
  await screens.link(first).focus();
  await page.keyboard.press('h');
  await expect.poll(async () => (await reprieve.api.job(first)).state).toBe('held');
  // Only an act of which the page has heard can be taken back.
  await expect(page.locator('.bell-count')).toHaveText('1');
  await screens.link(second).focus();
  await page.keyboard.press('e');
  const asked = page.getByRole('dialog', { name: 'Reschedule this job' });
  const choice = asked.getByRole('radio').first();
  await choice.focus();
  for (const key of ['u', 'a', 'j', 'k', 'g', 'o']) await page.keyboard.press(key);
  await expect(choice).toBeFocused();
  await expect(page).toHaveURL(/\/jobs\/delay/);
  await expect(page.locator('.job-table tbody input:checked')).toHaveCount(0);
  await page.keyboard.press('Escape');
  // The menu around it closes once the question has.
  await expect(page.locator(':popover-open')).toHaveCount(0);
  expect((await reprieve.api.job(first)).state, 'nothing was taken back').toBe('held');
  await page.keyboard.press('u');
  await expect.poll(async () => (await reprieve.api.job(first)).state).toBe('delayed');
});

test('a key takes back the last act or none, and once however long it is held down', async ({ page, reprieve }) => {
  const queue = unique('last');
  const jobs = await reprieve.api.enqueueMany([1, 2].map((hours) => ({ kind: 'ok.last', queue, delay_ms: hours * HOUR_MS })));
  const [first, second] = jobs.map(({ id }) => id);
  if (!first || !second) throw new Error('two were enqueued');
  const state = async (id: string) => (await reprieve.api.job(id)).state;
  const screens = new Screens(page, reprieve.program.address);
  await screens.list('delay', queue);
  for (const [at, id] of [first, second].entries()) {
    await screens.link(id).focus();
    await page.keyboard.press('h');
    await expect.poll(() => state(id)).toBe('held');
    // The last act is the last of which the page has heard. The bell counts them for longer than they are on screen.
    await expect(page.locator('.bell-count')).toHaveText(`${at + 1}`);
  }
  // The second press is one that the keyboard repeats.
  await page.keyboard.down('u');
  await page.keyboard.down('u');
  await page.keyboard.up('u');
  await expect.poll(() => state(second)).toBe('delayed');
  await expect(page.locator('.bell-count'), 'that it was taken back is told').toHaveText('3');
  await page.keyboard.press('u');
  await expect(page.locator('.notice', { hasText: 'The last act cannot be undone.' })).toBeVisible();
  expect(await state(first), 'what is older stays').toBe('held');
});

test('the palette says that nothing has a name, and Enter searches for it', async ({ page, reprieve }) => {
  await open(page, reprieve.url('/'));
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Go anywhere' });
  await palette.getByRole('textbox').fill('nowhere at all');
  await expect(palette.getByText('Nothing has that name.')).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(reprieve.url('/search?find=nowhere+at+all'));
});

test('the palette leads nowhere by an answer to another word', async ({ page, reprieve }) => {
  const name = unique('narrowed');
  const [first, second] = await reprieve.api.enqueueMany(
    ['', '2'].map((end) => ({ id: `${name}${end}`, kind: 'ok.narrowed', queue: name, delay_ms: HOUR_MS })),
  );
  if (!first || !second) throw new Error('nothing was enqueued');
  await open(page, reprieve.url('/'));
  const gate = await Gate.before(page, /\/search\?find=/);
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Go anywhere' });
  const field = palette.getByRole('textbox');
  await field.fill(first.id);
  await expect(palette.getByRole('link', { name: new RegExp(first.id) }).first()).toBeVisible();
  gate.shut();
  await field.fill(second.id);
  await expect(palette.getByRole('link')).toHaveCount(0);
  await expect(palette.getByText('Nothing has that name.'), 'nobody knows yet').toHaveCount(0);
  await page.keyboard.press('Enter');
  gate.open();
  await expect(page, 'it is searched for').toHaveURL(new RegExp(`/search\\?find=${second.id}$`));
  await expect(page.getByRole('main').getByRole('link', { name: new RegExp(second.id) })).toBeVisible();
});

test('what comes while somebody looks at a dialog is shown once it is closed', async ({ page, reprieve }) => {
  const screens = new Screens(page, reprieve.program.address);
  const { id, version } = await reprieve.api.enqueue({ kind: 'ok.open', queue: unique('open'), delay_ms: HOUR_MS });
  await screens.job(id);
  const seen = page.locator('#job-cancel input[name=seen]');
  const gate = await Gate.before(page, new RegExp(`/job/${id}$`));
  gate.shut();
  const asked = page.waitForRequest(isReading);
  await reprieve.api.reschedule(id, 2 * HOUR_MS);
  const request = await asked;
  await screens.openCancel();
  // A refresh that was in flight when the gate shut may have brought the first change.
  const shown = await seen.inputValue();
  await reprieve.api.reschedule(id, 3 * HOUR_MS);

  gate.open();
  await (await request.response())?.finished();
  // What it brings would be there at the next frame.
  await page.evaluate(() => new Promise((passed) => requestAnimationFrame(() => requestAnimationFrame(passed))));
  await expect(seen).toHaveValue(shown);

  await screens.dialog().getByRole('button', { name: 'Keep job' }).click();
  await expect(seen).toHaveValue(String(version + 2));
});

test('a payload is edited under the version on screen', async ({ page, reprieve }) => {
  const screens = new Screens(page, reprieve.program.address);
  const { id, version } = await reprieve.api.enqueue({ kind: 'ok.edit', queue: unique('edit'), payload: { n: 1 }, delay_ms: HOUR_MS });
  await screens.job(id);

  await page.getByText('Edit the payload').click();
  await page.getByLabel('New payload').fill('{"n":2}');
  await page.getByRole('button', { name: 'Save the payload' }).click();

  await expect(screens.said('Saved. The next attempt gets the new payload.')).toBeVisible();
  expect((await reprieve.api.job(id)).version).toBe(version + 1);
});

test('dead jobs stand by their error, and a queue tells what it does', async ({ page, reprieve }) => {
  const queue = unique('alike');
  await reprieve.api.enqueueMany([1, 2, 3].map(() => ({ kind: 'fatal.alike', queue })));
  await expect(async () => {
    await open(page, reprieve.url(`/dead?queue=${queue}`));
    await expect(page.getByRole('button', { name: 'Retry 3 jobs' })).toBeVisible({ timeout: 1_000 });
  }).toPass();
  await expect(page.getByRole('link', { name: 'Show in the list' }), 'of no other queue').toHaveAttribute(
    'href',
    new RegExp(`^/jobs/dead\\?queue=${queue.replaceAll('-', '(-|%2D)')}&q=error`),
  );

  const nothing = page.getByText('No job is in a queue of this name');
  await open(page, reprieve.url(`/queue/${queue}-misspelt`));
  await expect(nothing).toBeVisible();
  await open(page, reprieve.url(`/queue/${queue}`));
  await expect(nothing).toBeHidden();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(new RegExp(queue));
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await expect(page.getByRole('main').getByText('Paused', { exact: true })).toBeVisible();
  await expectAccessible(page);
});

test('a failure that overtakes another stays where somebody points at it', async ({ page, reprieve }) => {
  test.slow();
  const queue = unique('overtaken');
  /** A worker elsewhere says what jobs die of. The program's own sets aside what it does not know, so it may come first. */
  const die = async (jobs: number, error: string) => {
    for (let dead = 0; dead < jobs; ) {
      await reprieve.api.enqueue({ kind: 'none.overtaken', queue });
      const claim = { worker: 'w', most: 1 };
      const { items } = await reprieve.api.call<{ items: { id: string; token: number }[] }>('POST', `/queues/${queue}/claim`, claim);
      for (const { id, token } of items) {
        await reprieve.api.call('POST', `/jobs/${id}/fail`, { token, error, fatal: true });
        dead += 1;
      }
    }
  };
  await die(2, 'the bank is closed');
  await die(1, 'the post is late');
  await open(page, reprieve.url(`/dead?queue=${queue}`));
  const errors = page.locator('.failure-head .failure-mask');
  await expect(errors).toHaveText(['the bank is closed', 'the post is late']);
  const retry = page.getByRole('listitem', { name: 'the post is late' }).getByRole('button', { name: /^Retry/ });
  await expect(retry).toHaveAccessibleDescription('the post is late');
  await retry.focus();

  await die(2, 'the post is late');
  await expect(retry).toHaveText('Retry 3 jobs', { timeout: 60_000 });
  await expect(errors, 'it is the more frequent by now').toHaveText(['the bank is closed', 'the post is late']);
  await expect(retry).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Retry 3 jobs' })).toContainText('the post is late');

  await page.reload();
  await expect(errors, 'a page that is loaded anew sorts them').toHaveText(['the post is late', 'the bank is closed']);
});

test('a failure is muted by its name, folds, is no reason for attention, and is told again', async ({ page, alone: reprieve }) => {
  // Alone on its program: only the most frequent failures are a reason for attention, and those of other tests may be.
  const queue = unique('muted');
  await reprieve.api.enqueueMany([1, 2].map(() => ({ kind: 'fatal.muted', queue })));
  const attention = page.getByRole('region', { name: 'Needs attention' }).getByRole('listitem').filter({ hasText: queue });
  await expect(async () => {
    await open(page, reprieve.url('/'));
    await expect(attention).toContainText('2 jobs', { timeout: 1_000 });
  }).toPass();
  await attention.getByRole('link', { name: 'By error' }).click();
  await expect(page.getByRole('listitem', { name: /./ }).filter({ hasText: queue })).toHaveCount(1);

  await page.getByRole('button', { name: 'Mute', exact: true }).click();
  const form = page.getByRole('dialog', { name: 'Mute this error' });
  await form.getByLabel('For how long').selectOption({ index: 2 });
  await form.getByRole('button', { name: 'Mute this error' }).click();
  await expect(form).toBeHidden();
  const fold = page.getByText('One muted error');
  await expect(fold).toBeVisible();
  await expect(page.getByText(/Muted by/), 'it is folded').toBeHidden();
  await fold.click();
  await expect(page.getByText(/Muted by .* until \w+ \d/)).toBeVisible();
  await expectAccessible(page);

  await open(page, reprieve.url('/'));
  await expect(page.getByText(queue).first()).toBeVisible();
  await expect(attention).toHaveCount(0);

  await open(page, reprieve.url(`/dead?queue=${queue}`));
  await page.getByText('One muted error').click();
  await page.getByRole('button', { name: 'Unmute' }).click();
  await expect(page.getByText('One muted error')).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Mute', exact: true })).toBeVisible();
  await open(page, reprieve.url('/'));
  await expect(attention).toContainText('2 jobs');
});

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false });

  test('a failure is muted and told again by plain forms', async ({ page, reprieve }) => {
    const queue = unique('plainmute');
    await reprieve.api.enqueue({ kind: 'fatal.muted', queue });
    await expect(async () => {
      await page.goto(reprieve.url(`/dead?queue=${queue}`));
      await expect(page.getByRole('button', { name: 'Mute', exact: true })).toBeVisible({ timeout: 1_000 });
    }).toPass();
    await page.getByRole('button', { name: 'Mute', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Mute this error' }).click();
    await page.getByText('One muted error').click();
    await page.getByRole('button', { name: 'Unmute' }).click();
    await expect(page.getByRole('button', { name: 'Mute', exact: true })).toBeVisible();
  });
});

test.describe('where the server refuses', () => {
  test.use({ expectedComplaints: /status of 422/ });

  test('why an error was not muted or its jobs not retried is said in the form, which stays open', async ({ page, reprieve }) => {
    const queue = unique('unmuted');
    await reprieve.api.enqueueMany([1, 2].map(() => ({ kind: 'fatal.unmuted', queue })));
    const mute = page.getByRole('button', { name: 'Mute', exact: true });
    await expect(async () => {
      await open(page, reprieve.url(`/dead?queue=${queue}`));
      await expect(page.getByRole('button', { name: 'Retry 2 jobs' }).first()).toBeVisible({ timeout: 1_000 });
    }).toPass();
    for (const trigger of [mute, page.getByRole('button', { name: 'Retry 2 jobs' }).first()]) {
      await trigger.click();
      const form = page.getByRole('dialog');
      // As from a browser that does not count the characters.
      await page.route(/(mute|retry)_failures?$/, (route) => {
        const sent = new URLSearchParams(route.request().postData() ?? '');
        sent.set('reason', 'other');
        sent.set('note', 'short');
        return route.continue({ postData: sent.toString() });
      }, { times: 1 });
      await form.getByRole('button').first().click();
      await expect(form.getByLabel('Note')).toHaveAccessibleDescription(/./);
      await expect(form.getByLabel('Note')).toHaveAttribute('aria-invalid', 'true');
      await expect(page.locator('.notice')).toHaveCount(0);
      await page.keyboard.press('Escape');
      await expect(form).toBeHidden();
    }
  });
});

test('the number of jobs that failed alike leads to their own error', async ({ page, reprieve }) => {
  const queue = unique('alike');
  const [first] = await reprieve.api.enqueueMany([1, 2].map(() => ({ kind: 'fatal.alike', queue })));
  await expect.poll(async () => (await reprieve.api.job(first!.id)).state).toBe('dead');
  await expect(async () => {
    await open(page, reprieve.url(`/job/${first!.id}`));
    await expect(page.locator('.same-error')).toBeVisible({ timeout: 2_000 });
  }).toPass();
  await page.locator('.same-error').click();
  await expect(page).toHaveURL(/\/dead\?error=/);
  await expect(page.locator('.failure')).toHaveCount(1);
  await page.getByRole('link', { name: 'All errors' }).click();
  await expect(page).toHaveURL(/\/dead$/);
});

test('the history of a job opens at its latest change', async ({ page, reprieve }) => {
  const { id } = await reprieve.api.enqueue({ kind: 'ok.history', queue: unique('history'), delay_ms: HOUR_MS });
  await reprieve.api.hold(id);
  await reprieve.api.cancel(id);
  const response = await page.request.get(reprieve.url(`/job/${id}`));
  expect(await response.text(), 'in the markup as well').toMatch(/<input[^>]*id="as-of"[^>]* value="2"/);
  await open(page, reprieve.url(`/job/${id}`));
  const slider = page.getByLabel('As it stood');
  const stood = page.locator('.as-of-told [data-state]');
  await expect(slider).toHaveValue('2');
  await expect(stood).toHaveText('Cancelled');
  // As people move it: with the keyboard.
  await slider.press('Home');
  await expect(stood).toHaveText('Delayed');
  await reprieve.api.reinstate(id);
  await expect(page.locator('.job-head [data-state]').first()).toHaveText(/Held/);
  await expect(stood, 'a new change does not move the one that is looked at').toHaveText('Delayed');
  await page.evaluate(() => history.replaceState(null, '', location.pathname));
  await expect(slider, 'the page follows its address, whoever changed that').toHaveValue('3');
});

test('a log shows the levels that are chosen, and stands still once somebody stops it', async ({ page, reprieve }) => {
  const { id } = await reprieve.api.enqueue({ kind: 'ok.log', queue: unique('log'), delay_ms: HOUR_MS });
  await say(reprieve.program, id, ['one', 'two', 'three'], ['debug', 'info', 'error']);
  await open(page, reprieve.url(`/job/${id}`));
  const log = page.getByRole('region', { name: 'Log', exact: true });
  const lines = log.getByRole('listitem').filter({ visible: true });
  await expect(lines).toHaveCount(3);
  await log.getByLabel('From').selectOption('Warning');
  await expect(lines).toHaveText(/three/);
  await log.getByRole('link', { name: 'Stop following' }).click();
  await expect(page).toHaveURL(/\?log(_|%5F)until=3$/);
  await expect(log.getByRole('link', { name: 'Follow', exact: true })).toBeVisible();
  await expect(lines, 'what is chosen stays').toHaveCount(1);
  await log.getByRole('link', { name: 'Follow', exact: true }).click();
  await expect(page).toHaveURL(reprieve.url(`/job/${id}`));
  await expect(log.getByRole('link', { name: 'Stop following' })).toBeVisible();
});

test('a long text folds, and all of it can be unfolded', async ({ page, reprieve }) => {
  const note = `${'long '.repeat(500)}and its end`;
  const { id } = await reprieve.api.enqueue({ kind: 'ok.long', queue: unique('long'), payload: { note }, delay_ms: HOUR_MS });
  await open(page, reprieve.url(`/job/${id}`));
  const payload = page.getByRole('region', { name: 'Payload' });
  const end = payload.locator('.leaf-rest');
  await expect(end.getByText('and its end')).toBeHidden();
  await end.getByText('511 more characters').click();
  await expect(end.getByText('and its end')).toBeVisible();
});

test('a text of more characters than a browser keeps in one piece is there to its end', async ({ page, reprieve }) => {
  const note = `${'x'.repeat(140_000)} and its end`;
  const { id } = await reprieve.api.enqueue({ kind: 'ok.huge', queue: unique('huge'), payload: { note }, delay_ms: HOUR_MS });
  await open(page, reprieve.url(`/job/${id}`));
  const payload = page.getByRole('region', { name: 'Payload' });
  await payload.locator('.leaf-rest').getByText(/more characters/).click();
  await expect(payload.locator('.leaf-rest .leaf')).toContainText('and its end');
  await payload.getByText('Raw', { exact: true }).click();
  await payload.locator('.raw .raw').getByText(/more characters/).click();
  await expect(payload.locator('.raw .raw pre')).toContainText('and its end');
});

test.describe('where an answer is lost', () => {
  test.use({ expectedComplaints: /net::ERR_FAILED/ });

  test('a copy is made once, however often it is asked for', async ({ page, reprieve }) => {
    const queue = unique('once');
    const { id } = await reprieve.api.enqueue({ kind: 'ok.once', queue, delay_ms: HOUR_MS });
    await open(page, reprieve.url(`/job/${id}`));
    await page.getByRole('button', { name: 'More to do with this job' }).click();
    // The second click comes after the answer to the first, when the form is that of another copy.
    await page.getByRole('button', { name: 'Duplicate' }).click();
    await expect(page.getByRole('link', { name: 'Open the new job' })).toBeVisible();
    await page.getByRole('button', { name: 'More to do with this job' }).click();
    await page.evaluate(() => {
      const clicks: unknown[] = [];
      addEventListener('click', ({ detail, defaultPrevented }) => clicks.push([detail, defaultPrevented]));
      Object.assign(window, { clicks });
    });
    await page.getByRole('button', { name: 'Duplicate' }).hover();
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    const clicks = () => page.evaluate(() => (window as unknown as { clicks: unknown[] }).clicks);
    await expect.poll(clicks, 'a click that belongs to the one before').toEqual([[2, true]]);
    const jobs = async () => (await reprieve.api.call<{ items: unknown[] }>('GET', `/jobs?queue=${queue}`)).items.length;
    expect(await jobs()).toBe(2);

    // The answer is lost, and the next try is the same copy.
    await page.route('**/api/fn/duplicate_job', async (route) => {
      await route.fetch();
      await route.abort();
    }, { times: 1 });
    await page.getByRole('button', { name: 'Duplicate' }).click();
    // While the first is on its way the same is not sent again.
    await expect(new Screens(page, reprieve.program.address).said(/no answer came/)).toBeVisible();
    expect(await jobs()).toBe(3);
    const answer = page.waitForResponse('**/api/fn/duplicate_job');
    await page.getByRole('button', { name: 'Duplicate' }).click();
    expect((await answer).status(), 'it leads back to the page').toBe(302);
    expect(await jobs()).toBe(3);
  });
});

test('a due time is copied with its offset', async ({ page, context, reprieve }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const { id } = await reprieve.api.enqueue({ kind: 'ok.offset', queue: unique('offset'), delay_ms: HOUR_MS });
  const { due_ms } = await reprieve.api.job(id);
  await new Screens(page, reprieve.program.address).job(id);
  await page.getByTestId('due').getByRole('button', { name: 'Copy due time' }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(new Date(due_ms).toISOString());
});

test.describe('where the server fails', () => {
  test.use({ expectedComplaints: /status of 500/ });

  test('what went wrong has an id to copy, by which the log is searched', async ({ page, context, reprieve }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const { id } = await reprieve.api.enqueue({ kind: 'ok.broken', queue: unique('broken'), delay_ms: HOUR_MS });
    await new Screens(page, reprieve.program.address).job(id);
    const mend = await spoil(reprieve.program, id);
    await reprieve.api.enqueue({ kind: 'ok.beside', queue: unique('beside'), delay_ms: HOUR_MS });
    const panel = page.locator('.error-panel');
    await expect(panel).toContainText(/Something went wrong on the server \([\w-]+\)\./);
    // The page is read again meanwhile, and fails again under another id.
    await expect(async () => {
      const told = /\(([\w-]+)\)/.exec(await panel.innerText())?.[1];
      await panel.getByRole('button', { name: 'Copy request id' }).click();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(told);
    }).toPass();

    await mend();
    await reprieve.api.reschedule(id, 2 * HOUR_MS);
    await expect(panel, 'it goes with the first answer').toHaveCount(0);
  });
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 740 } });

  test('the navigation is a menu, and nothing is wider than the screen', async ({ page, reprieve }) => {
    const { id } = await reprieve.api.enqueue({ kind: 'ok.phone', queue: unique('phone'), delay_ms: HOUR_MS });
    for (const path of ['/', `/job/${id}`, '/dead', '/queue/default', '/search?find=nothing']) {
      await open(page, reprieve.url(path));
      const wider = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
      expect(wider, path).toBe(false);
    }
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Jobs' }).click();
    await expect(page).toHaveURL(/\/jobs\/delay/);
  });
});
