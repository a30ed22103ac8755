import type { Locator, Page } from '@playwright/test';
import { expect, expectAccessible, open, test, unique } from '../support/reprieve.ts';

/** Fills the form of a new schedule but for what the test is about. */
async function fill(page: Page, name: string, expression = '30 9 * * MON-FRI'): Promise<void> {
  const form = page.locator('.schedule-form');
  await form.getByLabel('Name', { exact: true }).fill(name);
  await form.getByLabel('Expression').fill(expression);
  await form.getByLabel('Time zone').fill('Europe/Berlin');
  await form.getByLabel('Kind of job').fill('ok.cron');
}

/** The open confirmation. */
function dialog(page: Page): Locator {
  return page.getByRole('dialog');
}

test.describe('whole', () => {
  // The page of a schedule may be on its way while that is deleted there.
  test.use({ expectedComplaints: /404/ });

  test('a schedule is tried out while it is typed, made, run, paused, changed and deleted', async ({ page, reprieve }) => {
    const name = unique('cron');
    await open(page, reprieve.url('/schedules'));
    await page.getByRole('link', { name: 'New schedule' }).first().click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('New schedule');
    await fill(page, name, '30 9 * * FRO');
    await expect(page.getByText('This cannot be read')).toBeVisible();
    await page.getByLabel('Expression').first().fill('30 9 * * MON-FRI');
    const preview = page.getByRole('region', { name: 'What it would do' });
    await expect(preview.locator('time')).not.toHaveCount(0);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create schedule' }).click();

    await expect(page.getByRole('heading', { level: 1 })).toHaveText(name);
    await expect(page.getByRole('region', { name: 'Next ten' }).locator('time').first()).toBeVisible();

    await page.getByRole('button', { name: 'Run now' }).click();
    await expect(dialog(page)).toContainText('Enqueues one ok.cron job');
    await dialog(page).getByRole('button', { name: 'Run now' }).click();
    await expect(page.getByText('Run by hand')).toBeVisible();

    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await dialog(page).getByRole('button', { name: `Pause ${name}` }).click();
    await expect(page.getByText(/^Paused by/)).toBeVisible();
    await page.getByRole('button', { name: `Resume ${name}` }).click();
    await expect(page.getByText(/^Fires next/)).toBeVisible();

    await page.getByRole('link', { name: 'Change', exact: true }).click();
    await page.getByLabel('Expression').first().fill('@daily');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await expect(page.locator('dd', { hasText: '@daily' })).toBeVisible();

    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog(page).getByRole('button', { name: `Delete ${name}` }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Schedules');
    await expect(page.getByRole('link', { name })).toHaveCount(0);
  });
});

test('a page is not asked for while an answer is on its way that shows another', async ({ page, reprieve }) => {
  const name = unique('gone');
  await reprieve.api.putSchedule({ name, schedule: '@daily', job: { kind: 'ok.gone' } });
  await open(page, reprieve.url(`/schedule/${name}`));
  const asked: string[] = [];
  page.on('request', (request) => request.method() === 'GET' && asked.push(new URL(request.url()).pathname));
  await page.route(/\/api\/fn\//, async (route) => {
    // What was asked for before is no matter of this answer.
    asked.length = 0;
    const answer = await route.fetch({ maxRedirects: 0 });
    // An event, of this act and of another job, comes in the meantime.
    await reprieve.api.enqueue({ kind: 'ok.gone', queue: name, delay_ms: 3_600_000 });
    await new Promise((passed) => setTimeout(passed, 1_500));
    await route.fulfill({ response: answer });
  });
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await dialog(page).getByRole('button', { name: `Delete ${name}` }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Schedules');
  expect(asked, 'it is gone').not.toContain(`/schedule/${name}`);
});

test('of two people who change one schedule the second is told, and nothing is overwritten', async ({ page, reprieve }) => {
  const name = unique('both');
  await reprieve.api.putSchedule({ name, schedule: '@daily', job: { kind: 'ok.both' } });
  await open(page, reprieve.url(`/schedule/${name}/edit`));
  await reprieve.api.putSchedule({ name, schedule: '@hourly', job: { kind: 'ok.both' } });
  await page.getByLabel('Queue (optional)').fill('elsewhere');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await expect(page.getByRole('alert')).toContainText('Somebody changed this schedule while you looked');
  await expect(page.getByLabel('Queue (optional)'), 'what was typed stays').toHaveValue('elsewhere');
  const beside = await page.context().newPage();
  await open(beside, reprieve.url(`/schedule/${name}`));
  await expect(beside.locator('dd', { hasText: '@hourly' })).toBeVisible();
  await beside.close();

  await page.getByRole('button', { name: 'Save changes' }).click();
  await expect(page, 'a person who was told may save all the same').toHaveURL(new RegExp(`/schedule/${name}(\\?|$)`));
  await expect(page.locator('dd', { hasText: '@daily' })).toBeVisible();
});

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false });

  test('a schedule is tried out, made, paused and deleted by plain forms', async ({ page, reprieve }) => {
    const name = unique('plain');
    await page.goto(reprieve.url('/schedules/new'));
    await fill(page, name, '@daily');
    await page.getByRole('button', { name: 'Try it out' }).click();
    await expect(page.getByRole('region', { name: 'What it would do' }).locator('time').first()).toBeVisible();
    await expect(page.getByLabel('Name', { exact: true }), 'what was typed stays').toHaveValue(name);

    await page.getByLabel('Expression').fill('61 * * * *');
    await page.getByRole('button', { name: 'Create schedule' }).click();
    await expect(page.getByText('There is no minute 61').first()).toBeVisible();
    await expect(page.getByLabel('Kind of job')).toHaveValue('ok.cron');
    await page.getByLabel('Expression').fill('30 9 * * MON-FRI');
    await page.getByRole('button', { name: 'Create schedule' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(name);
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await dialog(page).getByRole('button', { name: `Pause ${name}` }).click();
    await expect(page.getByText(/^Paused by/)).toBeVisible();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog(page).getByRole('button', { name: `Delete ${name}` }).click();
    await expect(page.getByRole('link', { name })).toHaveCount(0);
  });
});

test('why a schedule was not paused or run is said in the form, which stays open', async ({ page, reprieve }) => {
  const name = unique('refused');
  await reprieve.api.putSchedule({ name, schedule: '@daily', job: { kind: 'ok.refused' } });
  await open(page, reprieve.url(`/schedule/${name}`));
  const refusal = dialog(page).getByRole('alert');
  const conflict = 'Somebody changed this schedule while you looked';
  for (const [opens, sends] of [['Pause', `Pause ${name}`], ['Run now', 'Run now']] as const) {
    await page.getByRole('button', { name: opens, exact: true }).first().click();
    await dialog(page).getByLabel('Note').fill('typed');
    // As when somebody changed it in between.
    await page.route(/(pause|run)_schedule/, (route) => {
      const form = new URLSearchParams(route.request().postData() ?? '');
      form.set('seen', '999');
      return route.continue({ postData: form.toString() });
    }, { times: 1 });
    await dialog(page).getByRole('button', { name: sends, exact: true }).click();
    await expect(refusal).toContainText(conflict);
    await expect(dialog(page).getByLabel('Note'), 'what was typed stays').toHaveValue('typed');
    await expect(page.locator('.notice')).toHaveCount(0);
    await page.keyboard.press('Escape');
    await expect(dialog(page)).toBeHidden();
  }
  await expect(page.getByText(/^Fires next/), 'nothing was done').toBeVisible();

  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await dialog(page).getByRole('button', { name: `Pause ${name}` }).click();
  await expect(page.getByText(/^Paused by/)).toBeVisible();
});

test('with the keyboard: to the list, into a schedule, paused and resumed', async ({ page, reprieve }) => {
  const name = unique('keys');
  await reprieve.api.putSchedule({ name, schedule: '@daily', job: { kind: 'ok.keys' } });
  await open(page, reprieve.url('/'));
  await page.keyboard.press('g');
  await page.keyboard.press('c');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Schedules');
  await page.getByRole('link', { name }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(name);
  await page.getByRole('button', { name: 'Pause', exact: true }).focus();
  await page.keyboard.press('Enter');
  await expect(dialog(page)).toBeVisible();
  await page.keyboard.press('Control+Enter');
  await expect(page.getByText(/^Paused by/)).toBeVisible();
  await page.getByRole('button', { name: `Resume ${name}` }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText(/^Fires next/)).toBeVisible();
});
