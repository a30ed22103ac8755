import type { Page } from '@playwright/test';
import { Gate } from '../support/gate.ts';
import { alive, expect, open, test, unique } from '../support/reprieve.ts';

/** Opens a page whose application comes only when it is let. */
async function slowly(page: Page, address: string): Promise<() => Promise<void>> {
  let come = () => {};
  const may = new Promise<void>((resolve) => (come = resolve));
  await page.route('**/app_bg*.wasm', async (route) => {
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
  const comes = await slowly(page, reprieve.url('/settings'));
  const reasons = page.getByLabel('One reason a line');
  await reasons.fill('Typed early');
  await page.getByLabel('Path in the payload').fill('customer.name');
  await page.getByLabel('Rows').selectOption('compact');
  await page.getByLabel('Single letters are shortcuts').uncheck();
  await comes();
  await expect(reasons).toHaveValue('Typed early');
  await expect(page.getByLabel('Path in the payload')).toHaveValue('customer.name');
  await expect(page.getByLabel('Rows')).toHaveValue('compact');
  await expect(page.getByLabel('Single letters are shortcuts')).not.toBeChecked();
  await expect(page.locator('.settings-preview pre'), 'the preview follows it').toContainText('+49 151 1234567');
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

test('who goes back before the page is alive comes to where they went', async ({ page, reprieve }) => {
  const queue = unique('early');
  await reprieve.api.enqueue({ kind: 'ok.early', queue, delay_ms: 3_600_000 });
  const gate = await Gate.before(page, /app_bg.*\.wasm/);
  await open(page, reprieve.url(`/jobs/delay?queue=${queue}`));
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Schedules' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Schedules' })).toBeVisible();
  gate.shut();
  await page.reload({ waitUntil: 'commit' });
  await expect(page.getByRole('heading', { level: 1, name: 'Schedules' })).toBeVisible();
  await page.goBack({ waitUntil: 'commit' });
  await expect(page).toHaveURL(new RegExp(`queue=${queue}`));
  gate.open();
  await expect(page.getByRole('checkbox', { name: /^Tick ok.early/ }).first()).toBeVisible();
  await alive(page);
});
