import type { Page } from '@playwright/test';
import { alive, expect, expectAccessible, open, test as base, unique } from '../support/reprieve.ts';
import { running, type Reprieve } from '../support/reprieve.ts';

/** Settings hold for everybody, so these tests have a program of their own. */
const test = base.extend<object, { reprieve: Reprieve }>({
  // Named again, so that it is another one than that of the other tests.
  reprieve: [async ({}, use) => running({}, use), { scope: 'worker' }],
});

for (const scripts of [true, false]) {
  test.describe(scripts ? 'with scripts' : 'without scripts', () => {
    test.use({ javaScriptEnabled: scripts });

    // What is sent before the page is alive goes without its script, and what was typed is not kept.
    const enter = async (page: Page, reprieve: Reprieve) => {
      if (scripts) await open(page, reprieve.url('/settings'));
      else await page.goto(reprieve.url('/settings'));
    };

    test.beforeEach(async ({ page, reprieve }) => enter(page, reprieve));

    test('how I like the screens is kept in this browser', async ({ page, reprieve }) => {
      const section = page.getByRole('region', { name: 'Appearance' });
      await section.getByLabel('Theme').selectOption('dark');
      await section.getByLabel('Rows').selectOption('compact');
      await section.getByLabel('Zone').fill('Asia/Shanghai');
      await section.getByRole('button', { name: 'Save' }).click();
      await expect(page.getByText('Saved for this browser.').and(page.locator(':visible')).first()).toBeVisible();
      await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
      await page.goto(reprieve.url('/settings'));
      await expect(section.getByLabel('Zone')).toHaveValue('Asia/Shanghai');
      await expect(section.getByLabel('Rows')).toHaveValue('compact');
      await reprieve.api.enqueue({ kind: 'ok.compact', queue: unique('compact'), delay_ms: 3_600_000 });
      await page.goto(reprieve.url('/jobs/delay'));
      await expect(page.getByRole('table', { name: 'Jobs' }), 'the lists follow').toHaveAttribute('data-compact', 'true');
      await page.goto(reprieve.url('/jobs/delay?rows=roomy'));
      await expect(page.getByRole('table', { name: 'Jobs' }), 'a link knows better').toHaveAttribute('data-compact', 'false');
      await enter(page, reprieve);

      await section.getByLabel('Zone').fill('Mars/Olympus');
      await section.getByRole('button', { name: 'Save' }).click();
      const why = page.getByText('That could not be done: Mars/Olympus is not the name of a zone');
      await expect(why.and(page.locator(':visible')).first()).toBeVisible();
      const zone = section.getByLabel('Zone');
      if (scripts) {
        await expect(zone).toHaveAccessibleDescription(/Mars\/Olympus is not the name of a zone/);
        await expect(zone).toHaveAttribute('aria-invalid', 'true');
        await expect(zone).toBeFocused();
        await expect(zone, 'it can be corrected').toHaveValue('Mars/Olympus');
      } else {
        await expect(zone, 'the one before holds').toHaveValue('Asia/Shanghai');
      }
      const again = page.url();
      await page.goto(reprieve.url('/settings'));
      await expect(zone).toHaveValue('Asia/Shanghai');
      await page.goto(again);
      await expect(why, 'it is told once').toHaveCount(0);
      // With scripts the address has forgotten it.
      if (!scripts) await expect(page.getByText('That could not be understood').and(page.locator(':visible')).first()).toBeVisible();
    });

    test('the namespace gets a name and a colour that everybody sees', async ({ page }) => {
      const section = page.getByRole('region', { name: 'Namespace' });
      const title = unique('Shop');
      await section.getByLabel('Name on screen').fill(title);
      await section.getByText('Green').click();
      await section.getByRole('button', { name: 'Save' }).click();
      await expect(page.getByText('Saved. It holds from now on.').and(page.locator(':visible')).first()).toBeVisible();
      await expect(section.getByLabel('Name on screen')).toHaveValue(title);
      await expect(section.getByLabel('Green')).toBeChecked();
    });

    test('a person who chose no zone has that of the namespace', async ({ page, reprieve }) => {
      const section = page.getByRole('region', { name: 'Namespace' });
      const save = async (zone: string) => {
        await section.getByLabel('Zone of the namespace').fill(zone);
        await section.getByRole('button', { name: 'Save' }).click();
      };
      await save('Asia/Kathmandu');
      await expect(page.getByText('Saved. It holds from now on.').and(page.locator(':visible')).first()).toBeVisible();
      const { id } = await reprieve.api.enqueue({ kind: 'ok.zone', queue: unique('zone'), delay_ms: 3_600_000 });
      await page.goto(reprieve.url(`/job/${id}`));
      await expect(page.locator('.job-sentence')).toContainText('+05:45');
      await page.context().addCookies([{ name: 'zone', value: 'Asia/Tokyo', url: reprieve.url('/') }]);
      await page.goto(reprieve.url(`/job/${id}`));
      await expect(page.locator('.job-sentence'), 'who chose one reads that').toContainText('+09');
      await enter(page, reprieve);
      await expect(section.getByLabel('Zone of the namespace')).toHaveValue('Asia/Kathmandu');
      await save('');
      await expect(page.getByText('Saved. It holds from now on.').and(page.locator(':visible')).first()).toBeVisible();
    });

    test('what is kept how long is set in days', async ({ page }) => {
      const section = page.getByRole('region', { name: 'Retention' });
      const row = section.getByRole('listitem').filter({ hasText: 'The namespace' });
      // Another one each time: what is so already is not saved.
      const days = scripts ? '30' : '31';
      await row.getByLabel('Dead', { exact: true }).fill(days);
      await row.getByRole('button', { name: 'Save' }).click();
      await expect(page.getByText('Saved. It holds from now on.').and(page.locator(':visible')).first()).toBeVisible();
      await expect(row.getByLabel('Dead', { exact: true })).toHaveValue(days);
    });

    test('how many ended jobs a queue keeps is set as a number', async ({ page }) => {
      const section = page.getByRole('region', { name: 'Retention' });
      const row = section.getByRole('listitem').filter({ hasText: 'The namespace' });
      const most = scripts ? '100,000' : '200,000';
      await row.getByLabel('At most, of Dead').fill(most);
      await row.getByRole('button', { name: 'Save' }).click();
      await expect(page.getByText('Saved. It holds from now on.').and(page.locator(':visible')).first()).toBeVisible();
      await expect(row.getByLabel('At most, of Dead')).toHaveValue(most);
    });

    test('a mistake in the row of one queue is shown in that row', async ({ page, reprieve }) => {
      const queue = unique('kept');
      await reprieve.api.enqueue({ kind: 'ok.kept', queue, delay_ms: 3_600_000 });
      await page.reload();
      if (scripts) await alive(page);
      const section = page.getByRole('region', { name: 'Retention' });
      const row = section.getByRole('listitem').filter({ hasText: queue });
      const most = row.getByLabel('At most, of Dead');
      await most.fill('many');
      await row.getByRole('button', { name: 'Save' }).click();
      await expect(page.locator('.form-outcome[data-tone="bad"]')).toBeVisible();
      if (scripts) {
        await expect(most).toHaveAttribute('aria-invalid', 'true');
        await expect(most).toBeFocused();
        await expect(section.locator('[aria-invalid]'), 'and in no other').toHaveCount(1);
      }
    });

    test('a secret is hidden by a rule, and shown again without it', async ({ page, reprieve }) => {
      const secret = unique('s3cr3t');
      const { id } = await reprieve.api.enqueue({ kind: 'ok.secret', payload: { card: { number: secret } }, delay_ms: 3_600_000 });
      const section = page.getByRole('region', { name: 'Redaction' });
      await section.getByLabel('Path in the payload').fill('card.number');
      await section.getByLabel('Kinds', { exact: true }).fill('ok.secret');
      await section.getByLabel('Characters that stay').selectOption('0');
      await section.getByRole('button', { name: 'Hide it' }).click();
      const rule = section.getByRole('listitem').filter({ hasText: 'card.number of ok.secret is hidden' });
      await expect(rule).toBeVisible();
      await page.goto(reprieve.url(`/job/${id}`));
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      expect(await page.content()).not.toContain(secret);

      await enter(page, reprieve);
      await rule.getByRole('button', { name: 'Remove' }).click();
      await expect(rule).toHaveCount(0);
    });

    test('an alert is added, tried and removed', async ({ page }) => {
      const section = page.getByRole('region', { name: 'Alerts' });
      const queue = unique('alert');
      await section.getByLabel('When').selectOption('dead');
      await section.getByLabel('Limit').fill('7');
      await section.getByLabel('Queue', { exact: true }).fill(queue);
      await section.getByRole('button', { name: 'Add alert' }).click();
      const rule = section.getByRole('listitem').filter({ hasText: `${queue}: more than 7 jobs die within an hour` });
      await expect(rule).toBeVisible();
      await section.getByRole('button', { name: 'Send a test alert' }).click();
      await expect(page.getByText(/A test alert was enqueued/).and(page.locator(':visible')).first()).toBeVisible();
      await rule.getByRole('button', { name: 'Remove' }).click();
      await expect(rule).toHaveCount(0);
    });

    test('who may do what stands there by role', async ({ page }) => {
      const table = page.getByRole('table', { name: 'Roles' });
      await expect(table.getByRole('columnheader')).toHaveText(['What one does', 'Viewer', 'Support', 'Operator', /^Admin/, 'Conditions']);
      const row = table.getByRole('row', { name: 'Cancel and postpone many jobs at once' });
      await expect(row.getByRole('cell')).toHaveText([/no$/, '25 jobs', /^10,000 jobs/, 'confirmed above 100', 'Each job is checked by itself']);
    });

    test('the reasons are one a line, and dialogs offer them', async ({ page, reprieve }) => {
      const section = page.getByRole('region', { name: 'Reasons' });
      await section.getByLabel('One reason a line').fill('Paid late\nWrong number');
      await section.getByRole('button', { name: 'Save' }).click();
      await expect(section.getByText(/These are your own/)).toBeVisible();
      const { id } = await reprieve.api.enqueue({ kind: 'ok.reason', delay_ms: 3_600_000 });
      await page.goto(reprieve.url(`/job/${id}`));
      await page.getByRole('button', { name: 'Cancel', exact: true }).click();
      await expect(page.getByRole('dialog').getByLabel('Reason')).toContainText('Wrong number');
      await enter(page, reprieve);
      await section.getByLabel('One reason a line').fill('');
      await section.getByRole('button', { name: 'Save' }).click();
      await expect(section.getByText(/These are the usual ones/)).toBeVisible();
    });

    test('the fields that are indexed are one a line', async ({ page, reprieve }) => {
      const section = page.getByRole('region', { name: 'Search', exact: true });
      const fields = section.getByLabel('One field a line');
      await expect(section).toContainText('No field is indexed: filters look through payloads.');
      await fields.fill('payload.order.id\namount');
      await section.getByRole('button', { name: 'Save' }).click();
      await expect(page.getByText('Saved. It holds from now on.').and(page.locator(':visible')).first()).toBeVisible();
      await expect(fields, 'what filters have in front is no part of it').toHaveValue('order.id\namount');
      await expect(section).toContainText(/The index is (being made|complete)/);
      await enter(page, reprieve);
      await expect(fields).toHaveValue('order.id\namount');
      await expect(section).toContainText(/The index is (being made|complete)/);
      await fields.fill('');
      await section.getByRole('button', { name: 'Save' }).click();
      await expect(section).toContainText('No field is indexed');
    });

    test.describe('where the server refuses', () => {
      test.use({ expectedComplaints: /status of 422/ });

      test('a field that is no path into a payload is refused in words', async ({ page }) => {
        const section = page.getByRole('region', { name: 'Search', exact: true });
        const fields = section.getByLabel('One field a line');
        await fields.fill('amount\norder id');
        await section.getByRole('button', { name: 'Save' }).click();
        if (scripts) {
          await expect(fields).toHaveAccessibleDescription(/“order id” is not a path into a payload/);
          await expect(fields).toHaveAttribute('aria-invalid', 'true');
          await expect(fields).toBeFocused();
          await expect(fields, 'it can be corrected').toHaveValue('amount\norder id');
        } else {
          await expect(page.getByText('That could not be done: “order id” is not a path into a payload').and(page.locator(':visible')).first()).toBeVisible();
          await expect(fields).toHaveValue('');
        }
        await expect(section).toContainText('No field is indexed');
      });
    });
  });
}

test('the preview of a redaction follows while it is typed', async ({ page, reprieve }) => {
  await open(page, reprieve.url('/settings'));
  const section = page.getByRole('region', { name: 'Redaction' });
  const shown = section.locator('.settings-shown');
  await expect(shown).toContainText('hidden');
  await expect(shown).toContainText('Ann');
  await section.getByLabel('Path in the payload').fill('customer.name');
  await expect(shown).not.toContainText('Ann');
});

test('how far the index is follows without the page being loaded again', async ({ page, reprieve }) => {
  await reprieve.api.enqueue({ kind: 'ok.amount', queue: unique('amount'), delay_ms: 3_600_000, payload: { amount: 7 } });
  await open(page, reprieve.url('/settings'));
  const section = page.getByRole('region', { name: 'Search', exact: true });
  await section.getByLabel('One field a line').fill('amount');
  await section.getByRole('button', { name: 'Save' }).click();
  await expect(section).toContainText('The index is complete', { timeout: 60_000 });
  await expect(page.getByTestId('voice')).toContainText('The index is complete', { timeout: 60_000 });
  await section.getByLabel('One field a line').fill('');
  await section.getByRole('button', { name: 'Save' }).click();
  await expect(section).toContainText('No field is indexed');
});

test('the filter suggests the fields that are indexed, and finds by them at once', async ({ page, reprieve }) => {
  const number = unique('order');
  await reprieve.api.enqueue({ kind: 'ok.order', queue: unique('settings'), delay_ms: 3_600_000, payload: { order: { id: number } } });
  await open(page, reprieve.url('/settings'));
  const section = page.getByRole('region', { name: 'Search', exact: true });
  await section.getByLabel('One field a line').fill('order.id\namount');
  await section.getByRole('button', { name: 'Save' }).click();
  await expect(section).toContainText('The index is complete');
  await open(page, reprieve.url('/jobs/delay'));
  const filter = page.getByRole('combobox', { name: 'Filter', exact: true });
  const suggested = page.locator('datalist option[label="indexed: found at once"]');
  await filter.pressSequentially('kind:k payload.o');
  await expect(suggested).toHaveCount(1);
  await expect(suggested).toHaveAttribute('value', 'kind:k payload.order.id:');
  await filter.fill(`payload.order.id:${number}`);
  await filter.press('Enter');
  await expect(page.locator('.list-status')).toHaveText('1 matching · indexed');
  await open(page, reprieve.url('/settings'));
  await section.getByLabel('One field a line').fill('');
  await section.getByRole('button', { name: 'Save' }).click();
  await expect(section).toContainText('No field is indexed');
});

test.describe('where somebody else was faster', () => {
  test.use({ expectedComplaints: /status of 409/ });

  test('what they set is shown, and no second save overwrites a third unseen', async ({ page, reprieve }) => {
    const set = (reasons: string[]) => reprieve.api.call('POST', '/settings/reasons', { value: reasons });
    await open(page, reprieve.url('/settings'));
    const section = page.getByRole('region', { name: 'Reasons' });
    await section.getByLabel('One reason a line').fill('Mine');
    for (const theirs of ['Theirs', 'Theirs again']) {
      await set([theirs]);
      await section.getByRole('button', { name: 'Save' }).click();
      await expect(section.getByText('This is how it stands now:')).toBeVisible();
      await expect(section.locator('.settings-shown')).toHaveText(theirs);
      await expect(section.getByText('Save once more to put it in place of theirs.')).toBeVisible();
      await expect(section.getByLabel('One reason a line')).toHaveValue('Mine');
    }
    await section.getByRole('button', { name: 'Save' }).click();
    await expect(section.locator('.settings-shown')).toHaveCount(0);
    await expect(section.getByLabel('One reason a line')).toHaveValue('Mine');
    await set([]);
  });

  test('a rule of retention stands as it is now, in place of what was typed over another', async ({ page, reprieve }) => {
    const queue = unique('kept');
    const set = (most: number) => reprieve.api.call('POST', '/retention', { queue, dead_most: most });
    await reprieve.api.enqueue({ kind: 'ok.kept', queue, delay_ms: 3_600_000 });
    await set(6);
    await open(page, reprieve.url('/settings'));
    const row = page.getByRole('region', { name: 'Retention' }).getByRole('listitem').filter({ hasText: queue });
    const most = row.getByLabel('At most, of Dead');
    await most.fill('9');
    await set(7);
    await row.getByRole('button', { name: 'Save' }).click();
    await expect(page.locator('.form-outcome')).toContainText('This is how it stands now.');
    await alive(page);
    await expect(most).toHaveValue('7');
  });
});

test('with the keyboard: a section is reached, a box is changed, the form is sent', async ({ page, reprieve }) => {
  await open(page, reprieve.url('/settings'));
  await page.getByRole('navigation', { name: 'Sections of the settings' }).getByRole('link', { name: 'Reasons' }).focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/#reasons$/);
  const rows = page.getByLabel('Rows');
  await rows.focus();
  await page.keyboard.press('c');
  await expect(rows).toHaveValue('compact');
  await page.getByRole('region', { name: 'Appearance' }).getByRole('button', { name: 'Save' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText('Saved for this browser.').and(page.locator(':visible')).first()).toBeVisible();
});

test('who switches letters off still closes what is beside a list by Esc', async ({ page, reprieve }) => {
  const queue = unique('letters');
  const { id } = await reprieve.api.enqueue({ kind: 'ok.letters', queue, delay_ms: 3_600_000 });
  await open(page, reprieve.url('/settings'));
  const section = page.getByRole('region', { name: 'Appearance' });
  await section.getByLabel('Single letters are shortcuts').uncheck();
  await section.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Saved for this browser.').and(page.locator(':visible')).first()).toBeVisible();
  await open(page, reprieve.url(`/jobs/delay?queue=${queue}`));
  const link = page.locator(`a[href^="/job/${id}"]`).first();
  await link.click();
  const panel = page.getByRole('complementary', { name: 'Job' });
  await expect(panel).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(panel).toBeHidden();
  await link.focus();
  await page.keyboard.press('h');
  await page.keyboard.type('go');
  await expect(page).toHaveURL(/\/jobs\/delay/);
  expect((await reprieve.api.job(id)).state).toBe('delayed');
});

test('who may do what is read in Chinese, and on a phone as cards', async ({ page, context, reprieve }) => {
  await context.addCookies([{ name: 'language', value: 'zh-CN', url: reprieve.url('/') }]);
  await page.setViewportSize({ width: 360, height: 740 });
  await open(page, reprieve.url('/settings#roles'));
  const row = page.locator('.rights tr').filter({ hasText: '批量撤销和推迟任务' });
  await expect(row).toContainText('25 个任务');
  const label = await row.locator('[data-label]').first().evaluate((cell) => getComputedStyle(cell, '::before').content);
  expect(label, 'a card names its roles').toBe('"查看者"');
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(wide, 'nothing scrolls sideways').toBeLessThanOrEqual(360);
  await expectAccessible(page);
});

test.describe('what is not saved', () => {
  test('stays while another section is saved', async ({ page, reprieve }) => {
    await open(page, reprieve.url('/settings'));
    const retention = page.getByRole('region', { name: 'Retention' });
    const row = retention.getByRole('listitem').filter({ hasText: 'The namespace' });
    const title = unique('Unsaved');
    await row.getByLabel('Dead', { exact: true }).fill('41');
    await page.getByLabel('Name on screen').fill(title);
    await page.getByText('Amber').click();

    const appearance = page.getByRole('region', { name: 'Appearance' });
    await appearance.getByLabel('Rows').selectOption('compact');
    await appearance.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('Saved for this browser.').and(page.locator(':visible')).first()).toBeVisible();
    await expect(page.getByLabel('Name on screen'), 'it was typed, not saved').toHaveValue(title);
    await expect(page.getByRole('radio', { name: 'Amber' })).toBeChecked();
    await expect(row.getByLabel('Dead', { exact: true })).toHaveValue('41');
  });

  test('is asked about by the browser when the page is left', async ({ page, reprieve }) => {
    await open(page, reprieve.url('/settings'));
    const zone = page.getByLabel('Zone', { exact: true });
    await zone.click();
    await zone.pressSequentially('Asia/To');
    const asked: string[] = [];
    page.on('dialog', async (dialog) => {
      asked.push(dialog.type());
      await dialog.dismiss();
    });
    await page.evaluate(() => location.reload());
    await expect.poll(() => asked).toEqual(['beforeunload']);
    await expect(zone, 'a person who stays has it').toHaveValue('Asia/To');
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Overview' }).click();
    await expect.poll(() => asked).toHaveLength(2);
    await expect(zone).toHaveValue('Asia/To');
    await zone.fill('');
    await page.reload();
    expect(asked, 'nothing is asked where nothing is lost').toHaveLength(2);
  });
});
