import { expect, open, test } from '../support/reprieve.ts';

for (const scripts of [true, false]) {
  test.describe(scripts ? 'with scripts' : 'without scripts', () => {
    test.use({ javaScriptEnabled: scripts, expectedComplaints: /was preloaded using link preload but not used/ });

    test('what Redis is like is judged, explained and looked at again', async ({ page, reprieve }) => {
      if (scripts) await open(page, reprieve.url('/redis'));
      else await page.goto(reprieve.url('/redis'));
      const findings = page.getByRole('region', { name: 'What was looked at' }).last();
      await expect(findings.getByRole('row').filter({ hasText: 'noeviction' })).toContainText('Good');
      await expect(findings.getByRole('row').filter({ hasText: 'every write is on disk' })).toContainText('Good');
      await expect(page.getByText('Slow calls')).toBeVisible();

      const looked = page.locator('.redis-looked time');
      const before = await looked.getAttribute('datetime');
      await page.getByRole('link', { name: 'Look again' }).click();
      await expect(looked).not.toHaveAttribute('datetime', before ?? '');
    });
  });
}

test('with the keyboard: looked at again without leaving the page', async ({ page, reprieve }) => {
  await open(page, reprieve.url('/redis'));
  const looked = page.locator('.redis-looked time');
  const before = await looked.getAttribute('datetime');
  await page.getByRole('link', { name: 'Look again' }).focus();
  await page.keyboard.press('Enter');
  await expect(looked).not.toHaveAttribute('datetime', before ?? '');
  await expect(page.locator('html'), 'in place, not loaded anew').toHaveAttribute('data-hydrated', /.*/);
});
