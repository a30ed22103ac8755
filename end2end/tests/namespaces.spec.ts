import { Api } from '../support/api.ts';
import { Program } from '../support/program.ts';
import { expect, expectAccessible, open, test as base, unique } from '../support/reprieve.ts';
import { Screens } from '../support/screens.ts';

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
  const left = new Screens(await context.newPage(), two.shop);
  const right = new Screens(await context.newPage(), two.billing);
  for (const screens of [left, right]) {
    await screens.list('delay', queue);
    // What happens before its stream is open is told by nobody.
    await expect(screens.page.getByRole('button', { name: /^Live\b/ })).toBeVisible();
  }

  // The same id in both: nothing but the namespace tells them apart.
  const id = unique('same');
  await shop.enqueue({ kind: 'ok.shop', id, queue, delay_ms: HOUR_MS });
  await billing.enqueue({ kind: 'ok.billing', id, queue, delay_ms: HOUR_MS });
  await expect(left.row(id)).toContainText('ok.shop');
  await expect(right.row(id)).toContainText('ok.billing');

  // An act in one is seen there, and nowhere else.
  await billing.cancel(id);
  await expect(right.row(id)).toHaveAttribute('data-left', 'true');
  // What comes after it is heard of after it.
  await shop.enqueue({ kind: 'ok.shop', queue, delay_ms: HOUR_MS });
  await expect(left.newChip()).toHaveText('1 new');
  await expect(left.row(id)).toHaveAttribute('data-left', 'false');
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
