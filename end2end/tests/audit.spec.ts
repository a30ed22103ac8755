import { expect, expectAccessible, expectAccessibleInBoth, open, test, unique } from '../support/reprieve.ts';
import { show } from '../support/screens.ts';

const HOUR_MS = 3_600_000;

test('an act is found with who, why and what it changed, and leads to its job', async ({ page, reprieve }) => {
  const queue = unique('audit');
  const { id } = await reprieve.api.enqueue({ kind: 'ok.audit', queue, delay_ms: HOUR_MS });
  await reprieve.api.hold(id);

  await open(page, reprieve.url(`/audit?queue=${queue}`));

  const row = page.getByRole('row').filter({ hasText: id });
  await expect(row).toContainText('Hold job');
  await expect(row).toContainText('127.0.0.1');
  await row.getByText('Details').click();
  await expect(row).toContainText('Request');
  await expect(row).toContainText('Delayed');
  await expect(row).toContainText('Held');
  await row.getByRole('link', { name: 'ok.audit' }).click();
  await expect(page).toHaveURL(new RegExp(`/job/${id}`));
});

test('an act that was undone says so, and by whom', async ({ page, reprieve }) => {
  const queue = unique('audit');
  const { id } = await reprieve.api.enqueue({ kind: 'ok.audit', queue, delay_ms: HOUR_MS });
  await reprieve.api.hold(id);
  await reprieve.api.call('POST', `/jobs/${id}/unhold`, {});

  await open(page, reprieve.url(`/audit?queue=${queue}`));

  const rows = page.getByRole('row').filter({ hasText: id });
  const act = (name: string) => rows.filter({ has: page.getByRole('cell', { name, exact: true }) });
  await expect(act('Hold job')).toContainText('Undone by api');
  await expect(act('Unhold job')).not.toContainText('Undone');
});

test('the list does not move by itself, and new acts come with a key', async ({ page, reprieve }) => {
  const queue = unique('audit');
  const jobs = await reprieve.api.enqueueMany([
    { kind: 'ok.audit', queue, delay_ms: HOUR_MS },
    { kind: 'ok.audit', queue, delay_ms: HOUR_MS },
  ]);
  await reprieve.api.hold(jobs[0]!.id);
  await open(page, reprieve.url(`/audit?queue=${queue}`));
  const rows = page.getByRole('table').getByRole('row');
  await expect(rows).toHaveCount(2);
  await reprieve.api.hold(jobs[1]!.id);
  await show(page, true);
  await show(page, false);
  await page.waitForTimeout(1_500); // longer than live pages wait before they read again
  await expect(rows).toHaveCount(2);
  await page.keyboard.press('.');
  await expect(rows).toHaveCount(3);
});

test('it is reached by its key, filtered by its form, and taken along as a file', async ({ page, reprieve }) => {
  const queue = unique('audit');
  const { id } = await reprieve.api.enqueue({ kind: 'ok.audit', queue, delay_ms: HOUR_MS });
  await reprieve.api.cancel(id);
  await open(page, reprieve.url('/'));
  await page.keyboard.press('g');
  await page.keyboard.press('a');
  await expect(page.getByRole('heading', { name: 'Audit' })).toBeVisible();

  await page.getByLabel('Queue', { exact: true }).fill(queue);
  await page.getByLabel('Act', { exact: true }).selectOption('hold');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await expect(page.getByText('No act fits.')).toBeVisible();
  await page.getByLabel('Act', { exact: true }).selectOption('cancel');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await expect(page.getByRole('row').filter({ hasText: id })).toContainText('Cancel job');

  const csv = await (await page.request.get(reprieve.url(`/export/audit.csv?queue=${queue}`))).text();
  expect(csv.split('\n')[0]).toContain('entry,at,by,act,target');
  expect(csv).toContain(id);
  const lines = await (await page.request.get(reprieve.url(`/export/audit.jsonl?queue=${queue}`))).text();
  expect(JSON.parse(lines.trim())).toMatchObject({ verb: 'cancel', target: id, queue });
});

test('the chain is checked on demand', async ({ page, reprieve }) => {
  const { id } = await reprieve.api.enqueue({ kind: 'ok.audit', delay_ms: HOUR_MS });
  await reprieve.api.hold(id);
  await open(page, reprieve.url('/audit'));
  await page.getByRole('button', { name: 'Verify all entries' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Sound' })).toBeVisible();
});

test.describe('in Berlin', () => {
  test.use({ timezoneId: 'Europe/Berlin' });

  test('times of the filter are those on the clock of the reader', async ({ page, reprieve }) => {
    await open(page, reprieve.url('/audit?from=2031-07-15T07:00Z'));
    const from = page.getByLabel('From (+02)');
    await expect(from).toHaveValue(/^2031-07-15T09:00/);
    await from.fill('2031-01-15T09:00');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await expect(page).toHaveURL(/from=2031-01-15T09%3A00&.*zone=Europe%2FBerlin/);
    await expect(page.getByLabel('From (+01)')).toHaveValue(/^2031-01-15T09:00/);
  });
});

test('on a phone each part of an act has its word', async ({ page, reprieve }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  const { id } = await reprieve.api.enqueue({ kind: 'ok.words', queue: unique('words'), delay_ms: HOUR_MS });
  await reprieve.api.cancel(id);
  await open(page, reprieve.url('/audit'));
  const act = page.locator('.audit-table tbody tr').filter({ hasText: id }).first();
  const words = await act
    .locator('td')
    .evaluateAll((cells) => cells.map((cell) => getComputedStyle(cell, '::before').content.replaceAll('"', '')));
  expect(words).toEqual(await page.locator('.audit-table thead th').allTextContents());
});

test.describe('with scripts off', () => {
  test.use({ javaScriptEnabled: false });

  test('acts are filtered and checked as well', async ({ page, reprieve }) => {
    const queue = unique('audit');
    const { id } = await reprieve.api.enqueue({ kind: 'ok.audit', queue, delay_ms: HOUR_MS });
    await reprieve.api.hold(id);
    await page.goto(reprieve.url('/audit'));
    await page.getByLabel('Queue', { exact: true }).fill(queue);
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await expect(page.getByRole('row').filter({ hasText: id })).toContainText('Hold job');
    await page.getByRole('button', { name: 'Verify all entries' }).click();
    await expect(page.getByText(/Sound/)).toBeVisible();
  });
});

for (const locale of ['en', 'zh-CN'] as const) {
  test.describe(locale, () => {
    test.use({ locale });

    test('axe finds nothing serious, on a phone neither', async ({ page, reprieve }) => {
      const { id } = await reprieve.api.enqueue({ kind: 'ok.audit', delay_ms: HOUR_MS });
      await reprieve.api.hold(id);
      await open(page, reprieve.url('/audit?check=1'));
      await expectAccessibleInBoth(page);
      await page.setViewportSize({ width: 360, height: 740 });
      await expectAccessible(page);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(overflow, 'nothing sticks out to the side').toBeLessThanOrEqual(0);
    });
  });
}
