import { Gate } from '../support/gate.ts';
import { expect, test, unique } from '../support/reprieve.ts';
import { Screens } from '../support/screens.ts';

// The browser itself notes the refusal on the console.
test.use({ expectedComplaints: /status of (409|422)/ });

test('the second of two people is told what happened, and nothing is overwritten', async ({ context, reprieve }) => {
  const { id } = await reprieve.api.enqueue({ kind: 'hold.conflict', queue: unique('conflict'), delay_ms: 3_600_000 });
  const mine = new Screens(await context.newPage(), reprieve.program.address);
  const theirs = new Screens(await context.newPage(), reprieve.program.address);
  await mine.job(id);
  await theirs.job(id);

  // I look at the form while the other one runs the job.
  await mine.page.getByRole('button', { name: /Pause live updates/ }).click();
  await mine.openCancel();
  await theirs.runNow();
  await reprieve.receiver.first(id);
  await mine.confirmCancel('Duplicate');

  const dialog = mine.dialog();
  await expect(dialog).toContainText(/This job started .* ago on \S+, so it was not cancelled\./);
  expect((await reprieve.api.job(id)).state).toBe('active');

  // What can still be done is offered, with the reason that was chosen.
  await expect(dialog.getByLabel('Reason')).toHaveValue('Duplicate');
  await dialog.getByRole('button', { name: 'Ask it to stop' }).click();
  await expect.poll(async () => (await reprieve.api.job(id)).state, { timeout: 60_000 }).toBe('cancelled');
  reprieve.receiver.release();
});

test('a job that lives again after a conflict is called off like any other', async ({ page, reprieve }) => {
  const screens = new Screens(page, reprieve.program.address);
  const { id, version } = await reprieve.api.enqueue({ kind: 'ok.again', queue: unique('again'), delay_ms: 3_600_000 });
  const refusal = screens.dialog().locator('.refusal');
  await screens.job(id);
  // A reading that was on its way when the dialog opened would tell the page what it is not to know yet.
  const gate = await Gate.before(page, new RegExp(`/job/${id}$`));
  gate.shut();
  await screens.openCancel();
  await reprieve.api.cancel(id);
  await screens.confirmCancel('Customer asked');
  await expect(refusal).toBeVisible();
  await expect(screens.dialog().getByRole('button', { name: 'Cancel it anyway' })).toBeDisabled();
  await screens.dialog().getByRole('button', { name: 'Keep job' }).click();
  gate.open();

  await reprieve.api.reinstate(id);
  await expect(page.locator('input[name=seen]').first()).toHaveValue(String(version + 2));
  await screens.openCancel();
  await expect(refusal).toHaveCount(0);
  await screens.confirmCancel('Customer asked');
  await expect.poll(async () => (await reprieve.api.job(id)).version).toBe(version + 3);
  expect((await reprieve.api.job(id)).state).toBe('cancelled');
});

test('an act that follows another one waits for its answer, and both are done', async ({ page, reprieve }) => {
  const screens = new Screens(page, reprieve.program.address);
  const { id, version } = await reprieve.api.enqueue({ kind: 'ok.both', queue: unique('both'), delay_ms: 3_600_000 });
  await screens.job(id);
  const { due_ms } = await reprieve.api.job(id);
  const gate = await Gate.holding(page, /hold_job/, () => screens.button('Hold').click());
  await screens.reschedule('In 1 d');
  gate.open();
  await expect.poll(async () => (await reprieve.api.job(id)).version).toBe(version + 2);
  const after = await reprieve.api.job(id);
  expect(after.state).toBe('held');
  expect(after.due_ms).toBeGreaterThan(due_ms);
  await expect(screens.dialog()).toBeHidden();
  await expect(page.locator('.refusal')).toHaveCount(0);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('an act that waited is still none on what another person has made of the job', async ({ page, reprieve }) => {
  const screens = new Screens(page, reprieve.program.address);
  const { id, version } = await reprieve.api.enqueue({ kind: 'ok.third', queue: unique('third'), delay_ms: 3_600_000 });
  await screens.job(id);
  await page.getByRole('button', { name: /Pause live updates/ }).click();
  const gate = await Gate.holding(page, /hold_job/, () => screens.button('Hold').click());
  await screens.reschedule('In 1 d');
  await reprieve.api.reschedule(id, 7_200_000);
  const { due_ms } = await reprieve.api.job(id);
  gate.open();
  await expect(screens.dialog().locator('.refusal')).toBeVisible();
  expect(await reprieve.api.job(id)).toMatchObject({ state: 'delayed', version: version + 1, due_ms });
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('an act that the one before it has made pointless is not done, and that is said', async ({ page, reprieve }) => {
  const screens = new Screens(page, reprieve.program.address);
  const { id, version } = await reprieve.api.enqueue({ kind: 'ok.moot', queue: unique('moot'), delay_ms: 3_600_000 });
  await screens.job(id);
  const gate = await Gate.holding(page, /cancel_job/, () => screens.cancel('Customer asked'));
  await screens.dialog().getByRole('button', { name: 'Keep job' }).click();
  await screens.runNow();
  gate.open();
  await expect(screens.said(/^Not done to .*: before that could be sent, what you did just before had changed it/)).toBeVisible();
  await expect(screens.state()).toHaveText(/Cancelled/);
  expect(await reprieve.api.job(id)).toMatchObject({ state: 'cancelled', version: version + 1 });
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('keys on a row are done one after the other', async ({ page, reprieve }) => {
  const screens = new Screens(page, reprieve.program.address);
  const queue = unique('keys');
  const { id, version } = await reprieve.api.enqueue({ kind: 'ok.keys', queue, delay_ms: 3_600_000 });
  await screens.list('delay', queue);
  await screens.link(id).focus();
  const gate = await Gate.holding(page, /hold_job/, () => page.keyboard.press('h'));
  await page.keyboard.press('h');
  await page.keyboard.press('r');
  await page.getByRole('dialog', { name: 'Run now' }).getByRole('button', { name: 'Run now' }).click();
  gate.open();
  await expect.poll(async () => (await reprieve.api.job(id)).state).toBe('held');
  await expect(screens.said(/^Not done to .*: before that could be sent, what you did just before had changed it/)).toBeVisible();
  expect((await reprieve.api.job(id)).version, 'the second press of the same key is no act').toBe(version + 1);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('a payload that waited to be saved overwrites nothing that its form had warned of', async ({ page, reprieve }) => {
  const screens = new Screens(page, reprieve.program.address);
  const { id, version } = await reprieve.api.enqueue({ kind: 'ok.pinned', queue: unique('pinned'), payload: { n: 1 }, delay_ms: 3_600_000 });
  await screens.job(id);
  await page.getByText('Edit the payload').click();
  await page.getByLabel('New payload').fill('{"n":10}');
  await reprieve.api.call('POST', `/jobs/${id}/edit`, { payload: { n: 2 } });
  await expect(page.getByText('The payload was changed while you typed.')).toBeVisible();
  const gate = await Gate.holding(page, /hold_job/, () => screens.button('Hold').click());
  await page.getByRole('button', { name: 'Save the payload' }).click();
  gate.open();
  await expect(page.locator('.refusal')).toBeVisible();
  expect(await reprieve.api.job(id)).toMatchObject({ state: 'held', version: version + 2, payload: { n: 2 } });
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('an act that follows an undo waits for its answer', async ({ page, reprieve }) => {
  const screens = new Screens(page, reprieve.program.address);
  const { id, version } = await reprieve.api.enqueue({ kind: 'ok.undo', queue: unique('undo'), delay_ms: 3_600_000 });
  await screens.job(id);
  await screens.button('Hold').click();
  await expect(screens.state()).toHaveText(/Held/);
  const gate = await Gate.holding(page, /unhold_job/, () => page.locator('.notice').getByRole('button', { name: 'Undo' }).click());
  await screens.reschedule('In 1 d');
  gate.open();
  await expect.poll(async () => (await reprieve.api.job(id)).version).toBe(version + 3);
  expect((await reprieve.api.job(id)).state).toBe('delayed');
  await expect(screens.dialog()).toBeHidden();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('a question that is asked of a row stays open when an act before it is answered', async ({ page, reprieve }) => {
  const screens = new Screens(page, reprieve.program.address);
  const queue = unique('asked');
  const { id, version } = await reprieve.api.enqueue({ kind: 'ok.asked', queue, delay_ms: 3_600_000 });
  await screens.list('delay', queue);
  await screens.link(id).focus();
  const gate = await Gate.holding(page, /hold_job/, () => page.keyboard.press('h'));
  await page.keyboard.press('e');
  const question = page.getByRole('dialog', { name: 'Reschedule this job' });
  await expect(question).toBeVisible();
  gate.open();
  await expect(page.locator('.bell-count')).toHaveText('1');
  await expect(question).toBeVisible();
  await question.getByText('In 1 d').click();
  await question.getByRole('button', { name: 'Reschedule' }).click();
  await expect.poll(async () => (await reprieve.api.job(id)).version).toBe(version + 2);
  await expect(question, 'what was asked in it is done').toBeHidden();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('a panel knows what was done to its job in the list beside it', async ({ page, reprieve }) => {
  const screens = new Screens(page, reprieve.program.address);
  const queue = unique('beside');
  const { id, version } = await reprieve.api.enqueue({ kind: 'ok.beside', queue, delay_ms: 3_600_000 });
  await screens.list('delay', queue);
  await screens.link(id).first().click();
  const panel = page.getByRole('complementary', { name: 'Job' });
  await expect(panel.getByRole('button', { name: 'Reschedule' }).first()).toBeVisible();
  await screens.row(id).getByRole('link').first().focus();
  const gate = await Gate.holding(page, /hold_job/, () => page.keyboard.press('h'));
  await panel.getByRole('button', { name: 'Reschedule' }).first().click();
  await screens.dialog().getByText('In 1 d').click();
  await screens.dialog().getByRole('button', { name: 'Reschedule' }).click();
  gate.open();
  await expect.poll(async () => (await reprieve.api.job(id)).version).toBe(version + 2);
  await expect(page.locator('.refusal')).toHaveCount(0);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('a payload that another person changed is not overwritten by the one who still types', async ({ page, reprieve }) => {
  const screens = new Screens(page, reprieve.program.address);
  const { id, version } = await reprieve.api.enqueue({ kind: 'ok.type', queue: unique('type'), payload: { n: 1 }, delay_ms: 3_600_000 });
  const edit = (n: number) => reprieve.api.call('POST', `/jobs/${id}/edit`, { payload: { n } });
  const theirs = page.getByText('The payload was changed while you typed.');
  const field = page.getByLabel('New payload');
  await screens.job(id);
  await page.getByText('Edit the payload').click();

  // What nobody has touched follows the job.
  await edit(2);
  await expect(field).toHaveValue('{"n":2}');
  await expect(theirs).toBeHidden();

  // A change that leaves the payload as it was is none to what is typed.
  await field.fill('{"n":10}');
  await reprieve.api.reschedule(id, 7_200_000);
  await expect(page.locator('input[name=seen]').first()).toHaveValue(String(version + 2));
  await expect(theirs).toBeHidden();

  await edit(3);
  await expect(theirs).toBeVisible();
  await page.getByRole('button', { name: 'Save the payload' }).click();
  await expect(page.locator('.refusal')).toBeVisible();
  await expect(page.locator('.tree')).toContainText('3');
  await expect(field, 'nothing typed is lost').toHaveValue('{"n":10}');

  await page.getByRole('button', { name: 'Take the new one' }).click();
  await expect(field).toHaveValue('{"n":3}');
  await field.fill('{"n":11}');
  await page.getByRole('button', { name: 'Save the payload' }).click();
  await expect(screens.said('Saved. The next attempt gets the new payload.')).toBeVisible();
  await expect(page.locator('.tree')).toContainText('11');

  // Who saved may go on.
  await field.fill('{"n":12}');
  await page.getByRole('button', { name: 'Save the payload' }).click();
  await expect(page.locator('.tree')).toContainText('12');
  await expect(theirs).toBeHidden();
});

test('an edit of a payload is undone, and one that breaks its JSON asks first', async ({ page, reprieve }) => {
  const screens = new Screens(page, reprieve.program.address);
  const payload = async () => (await reprieve.api.job(id)).payload;
  const save = page.getByRole('button', { name: 'Save the payload' });
  const field = page.getByLabel('New payload');
  const { id } = await reprieve.api.enqueue({ kind: 'ok.edit', queue: unique('edit'), payload: { n: 1 }, delay_ms: 3_600_000 });
  await screens.job(id);
  await page.getByText('Edit the payload').click();

  await field.fill('{"n":12345678901234567890123}');
  await save.click();
  await expect(page.locator('.tree')).toContainText('12345678901234567890123');
  await expect(page.locator('.history tbody tr').first()).toContainText('new payload');
  await expect(screens.said('Saved. The next attempt gets the new payload.')).toBeVisible();
  await page.locator('.notice').getByRole('button', { name: 'Undo' }).click();
  await expect(screens.said('Undone. The next attempt gets the payload as it was.')).toBeVisible();
  expect(await payload()).toEqual({ n: 1 });
  await expect(field).toHaveValue('{"n":1}');

  const asIs = page.getByLabel('Save it although it is not valid JSON');
  await expect(asIs, 'nobody is asked for what is JSON').toBeHidden();
  await field.fill('{"n":\n1');
  await save.click();
  await expect(page.locator('.form-outcome')).toContainText(
    'Not valid JSON (line 2, column 1). Correct it, or tick the box to save it as it is.',
  );
  await expect(field).toBeFocused();
  expect(await payload()).toEqual({ n: 1 });
  await asIs.check();
  await save.click();
  await expect(page.locator('.tree')).toBeHidden();
  await expect(page.locator('pre.payload')).toContainText('{"n":');

  // To mean that text says nothing of the next.
  await field.fill('{"n":2}');
  await save.click();
  await expect.poll(payload).toEqual({ n: 2 });
  await field.fill('{"n":');
  await expect(asIs).not.toBeChecked();
});

test('a save that follows another one waits for its answer, and both are saved', async ({ page, reprieve }) => {
  const screens = new Screens(page, reprieve.program.address);
  const { id } = await reprieve.api.enqueue({ kind: 'ok.twice', queue: unique('twice'), payload: { n: 1 }, delay_ms: 3_600_000 });
  const field = page.getByLabel('New payload');
  const save = page.getByRole('button', { name: 'Save the payload' });
  await screens.job(id);
  const gate = await Gate.before(page, /edit_job/);
  await page.getByText('Edit the payload').click();
  await field.fill('{"n":2}');
  gate.shut();
  const asked = page.waitForRequest(/edit_job/);
  await save.click();
  await asked;
  await field.fill('{"n":3}');
  await save.click();
  gate.open();
  await expect.poll(async () => (await reprieve.api.job(id)).payload).toEqual({ n: 3 });
  await expect(page.locator('.refusal')).toHaveCount(0);
  await expect(page.locator('.history tbody tr').filter({ hasText: 'new payload' })).toHaveCount(2);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test.describe('where an answer is lost', () => {
  test.use({ expectedComplaints: /net::ERR_FAILED/ });

  test('what is typed after it is saved as well, and nobody else is made responsible', async ({ page, reprieve }) => {
    const screens = new Screens(page, reprieve.program.address);
    const { id } = await reprieve.api.enqueue({ kind: 'ok.lost', queue: unique('lost'), payload: { n: 1 }, delay_ms: 3_600_000 });
    const field = page.getByLabel('New payload');
    const save = page.getByRole('button', { name: 'Save the payload' });
    await screens.job(id);
    await page.getByText('Edit the payload').click();
    await page.route('**/api/fn/edit_job', async (route) => {
      await route.fetch();
      await route.abort();
    }, { times: 1 });
    await field.fill('{"n":2}');
    await save.click();
    await expect(page.locator('.tree')).toContainText('2');
    await expect(page.getByText('The payload was changed while you typed.')).toBeHidden();

    await field.fill('{"n":3}');
    await save.click();
    await expect.poll(async () => (await reprieve.api.job(id)).payload).toEqual({ n: 3 });
    await expect(field).toHaveValue('{"n":3}');
  });
});

test('a payload that is typed and not saved is asked about by the browser when the page is left', async ({ page, reprieve }) => {
  const screens = new Screens(page, reprieve.program.address);
  const { id } = await reprieve.api.enqueue({ kind: 'ok.leave', queue: unique('leave'), payload: { n: 1 }, delay_ms: 3_600_000 });
  const field = page.getByLabel('New payload');
  await screens.job(id);
  await page.getByText('Edit the payload').click();
  await field.pressSequentially('7');
  const asked: string[] = [];
  page.on('dialog', async (dialog) => {
    asked.push(dialog.type());
    await dialog.dismiss();
  });
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Workers' }).click();
  await expect.poll(() => asked).toEqual(['beforeunload']);
  await expect(field, 'a person who stays has it').toHaveValue(/7/);

  // What somebody saves meanwhile is not overwritten either.
  await reprieve.api.call('POST', `/jobs/${id}/edit`, { payload: { n: 2 } });
  await expect(page.getByText('The payload was changed while you typed.')).toBeVisible();
  await page.getByRole('button', { name: 'Take the new one' }).click();
  await expect(field).toHaveValue('{"n":2}');
  await page.reload();
  expect(asked, 'nothing is asked where nothing is lost').toHaveLength(1);
});

test('a job that runs stops when it is asked to', async ({ page, reprieve }) => {
  const screens = new Screens(page, reprieve.program.address);
  const { id } = await reprieve.api.enqueue({ kind: 'hold.stop', queue: unique('stop') });
  await reprieve.receiver.first(id);
  await screens.job(id);
  await expect(screens.state()).toHaveText(/Active/);

  await screens.button(/Ask (it )?to stop/).first().click();
  await screens.confirm(/Ask (it )?to stop/, 'Customer asked');

  // Its worker hears of it with the next heartbeat.
  await expect.poll(async () => (await reprieve.api.job(id)).state, { timeout: 60_000 }).toBe('cancelled');
  reprieve.receiver.release();
});

for (const scripts of [true, false]) {
  test.describe(scripts ? 'with scripts' : 'without scripts', () => {
    test.use({ javaScriptEnabled: scripts });

    test('a reason that is none of the usual ones says what it is', async ({ page, reprieve }) => {
      const screens = new Screens(page, reprieve.program.address);
      const { id } = await reprieve.api.enqueue({ kind: 'ok.other', queue: unique('other'), delay_ms: 3_600_000 });
      if (scripts) await screens.job(id);
      else await page.goto(reprieve.url(`/job/${id}`));
      await screens.openCancel();
      const dialog = screens.dialog();
      const note = dialog.getByLabel('Note');
      await dialog.getByLabel('Reason').selectOption({ label: 'Other' });
      await note.fill('too short');
      await dialog.getByRole('button', { name: 'Cancel job' }).click();
      if (scripts) {
        await expect(dialog).toContainText('at least 10 characters');
        await expect(note).toBeFocused();
        await expect(dialog, 'it is asked again').toBeVisible();
      } else {
        await expect(page.getByText(/^A reason has at least 10 characters/)).toBeVisible();
        await screens.openCancel();
        await dialog.getByLabel('Reason').selectOption({ label: 'Other' });
      }
      expect((await reprieve.api.job(id)).state).toBe('delayed');

      await note.fill('the customer called twice');
      await dialog.getByRole('button', { name: 'Cancel job' }).click();
      await expect(screens.state()).toHaveText(/Cancelled/);
      await expect(page.locator('main')).toContainText('the customer called twice');
    });
  });
}
