import { expect, expectAccessible, open, test } from '../support/reprieve.ts';

/** Ten more than have a row at first. */
const QUEUES = 60;

test('a queue that is paused before it has a job is led to, and resumed there', async ({ page, alone }) => {
  await open(page, alone.url('/'));
  await expect(page.getByRole('heading', { name: 'No jobs yet' })).toBeVisible();
  await alone.api.pause('early');

  await open(page, alone.url('/'));
  await expect(page.getByRole('heading', { name: 'No jobs yet' })).toHaveCount(0);
  await page.getByRole('region', { name: 'Needs attention' }).getByRole('link', { name: 'To the queue' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Queue early');
  await page.getByRole('button', { name: 'Resume', exact: true }).click();
  await expect(page.locator('.notice', { hasText: 'Resumed early. Its jobs start again.' })).toBeVisible();
  await open(page, alone.url('/'));
  await expect(page.getByRole('heading', { name: 'No jobs yet' }), 'nobody has said anything about it any more').toBeVisible();
});

test('of many queues those with jobs have a row, and the others have one when somebody asks', async ({ page, alone }) => {
  const name = (n: number) => `q${String(n).padStart(2, '0')}`;
  const ids = await alone.api.enqueueMany(
    Array.from({ length: QUEUES }, (_, n) => ({ kind: 'ok.many', queue: name(n), delay_ms: 3_600_000, id: `job-${n}` })),
  );
  expect(ids).toHaveLength(QUEUES);
  const rows = page.locator('table.queues tbody tr');
  await open(page, alone.url('/'));
  await expect(rows).toHaveCount(50);
  await expect(page.getByText(`50 of ${QUEUES} queues, those with jobs first.`)).toBeVisible();
  await expect(page.getByRole('link', { name: name(59), exact: true })).toHaveCount(0);

  await page.getByRole('link', { name: 'Show all' }).click();
  await expect(rows).toHaveCount(QUEUES);
  await expect(page.getByRole('link', { name: name(59), exact: true })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Show fewer' }).click();
  await expect(rows).toHaveCount(50);
});
