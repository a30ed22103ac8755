import type { Page } from '@playwright/test';
import { alive, expect, test, unique } from '../support/reprieve.ts';

/** Opens a page whose script comes only when it is let. */
async function slowly(page: Page, address: string): Promise<() => Promise<void>> {
  let come = () => {};
  const may = new Promise<void>((resolve) => (come = resolve));
  await page.route('**/live.js', async (route) => {
    await may;
    await route.continue();
  });
  await page.goto(address, { waitUntil: 'commit' });
  return async () => {
    come();
    await alive(page);
  };
}

test('what is typed before the page is alive stays, and counts', async ({ page, reprieve }) => {
  const { id } = await reprieve.api.enqueue({ kind: 'ok.early', queue: unique('early'), payload: { n: 1 }, delay_ms: 3_600_000 });
  const comes = await slowly(page, reprieve.url(`/job/${id}`));
  await page.getByText('Edit the payload').click();
  const field = page.getByLabel('New payload');
  await field.fill('{"n":7}');
  await comes();
  await expect(field).toHaveValue('{"n":7}');
  await page.getByRole('button', { name: 'Save the payload' }).click();
  await expect.poll(async () => (await reprieve.api.job(id)).payload).toEqual({ n: 7 });
});

test('a row ticked and a filter typed early are the page\'s own', async ({ page, reprieve }) => {
  const queue = unique('early');
  await reprieve.api.enqueueMany([1, 2].map(() => ({ kind: 'ok.early', queue, delay_ms: 3_600_000 })));
  const comes = await slowly(page, reprieve.url(`/jobs/delay?queue=${queue}`));
  await page.getByRole('checkbox', { name: /^Tick ok.early/ }).first().check();
  await page.getByRole('combobox', { name: 'Filter' }).fill('kind:ok.early');
  await comes();
  await expect(page.getByText('1 selected')).toBeVisible();
  await expect(page.getByRole('combobox', { name: 'Filter' })).toHaveValue('kind:ok.early');
});
