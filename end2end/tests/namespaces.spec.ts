import { Api } from '../support/api.ts';
import { Program } from '../support/program.ts';
import { expect, expectAccessible, open, test as base, unique } from '../support/reprieve.ts';

const HOUR_MS = 3_600_000;

interface Two {
  shop: string;
  billing: string;
}

/** A program with two namespaces: `shop` at localhost, `billing` at billing.localhost. */
const test = base.extend<object, { two: Two }>({
  two: [
    async ({}, use) => {
      const program = await Program.start('serve', '--namespace', 'shop,billing');
      const port = new URL(program.address).port;
      await use({ shop: `http://localhost:${port}`, billing: `http://billing.localhost:${port}` });
      await program.stop();
      expect(program.log(), 'the program panicked').not.toContain('panicked');
    },
    { scope: 'worker' },
  ],
});

test('two tabs on two namespaces are both right, and stay live', async ({ context, two }) => {
  const queue = unique('two');
  const shop = new Api(two.shop);
  const billing = new Api(`${two.shop}/n/billing`);
  const [left, right] = [await context.newPage(), await context.newPage()];
  await open(left, `${two.shop}/jobs/delay?queue=${queue}`);
  await open(right, `${two.billing}/jobs/delay?queue=${queue}`);

  const ours = await shop.enqueue({ kind: 'ok.shop', queue, delay_ms: HOUR_MS });
  const theirs = await billing.enqueue({ kind: 'ok.billing', queue, delay_ms: HOUR_MS });
  for (const page of [left, right]) await page.getByRole('button', { name: /new/ }).first().click().catch(() => {});

  await open(left, `${two.shop}/jobs/delay?queue=${queue}`);
  await open(right, `${two.billing}/jobs/delay?queue=${queue}`);
  await expect(left.locator(`a[href^="/job/${ours.id}"]`)).toBeVisible();
  await expect(left.locator(`a[href^="/job/${theirs.id}"]`)).toHaveCount(0);
  await expect(right.locator(`a[href^="/job/${theirs.id}"]`)).toBeVisible();
  await expect(right.locator(`a[href^="/job/${ours.id}"]`)).toHaveCount(0);

  // An act in one tab is seen there, and nowhere else.
  await billing.cancel(theirs.id);
  await expect(right.getByRole('row').filter({ hasText: theirs.id.slice(0, 8) }).or(right.getByText('Cancelled')).first()).toBeVisible();
  await expect(left.locator(`a[href^="/job/${ours.id}"]`)).toBeVisible();
});

test('the switch leads to the same page of the other namespace', async ({ page, two }) => {
  await open(page, `${two.shop}/jobs/dead`);
  await page.getByRole('button', { name: 'shop' }).click();
  await page.getByRole('link', { name: 'billing' }).click();
  await expect(page).toHaveURL(`${two.billing}/jobs/dead`);
  await expect(page.getByRole('button', { name: 'billing' })).toBeVisible();
  await expectAccessible(page);
});

test('a short link opens the namespace that it names', async ({ page, two }) => {
  await page.goto(`${two.shop}/n/billing/audit`);
  await expect(page).toHaveURL(`${two.billing}/audit`);
});
