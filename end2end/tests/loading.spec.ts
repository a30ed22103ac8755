import { expect, open, test } from '../support/reprieve.ts';

test('what loads has shapes of its height, and old data is dimmed while new is read', async ({ page, reprieve }) => {
  await open(page, reprieve.url('/'));
  let waits = 1_500;
  const late = async (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
  await page.route(/\/api\/fn\/get_(fleet|redis)/, async (route) => {
    await late(waits);
    await route.continue();
  });
  await page.getByRole('link', { name: 'Workers' }).first().click();
  const shapes = page.getByTestId('shapes');
  await expect(shapes).toBeVisible();
  const height = (await shapes.boundingBox())?.height ?? 0;
  expect(height, 'as high as panels are').toBeGreaterThan(400);
  // The page asks again every two seconds: later than that, and each answer would be that to an older question.
  waits = 0;
  await expect(page.getByRole('region', { name: 'Forwarders' }).first()).toBeVisible({ timeout: 20_000 });
  await expect(shapes).toHaveCount(0);

  waits = 3_000;
  const content = page.locator('.fleet');
  await expect(content, 'the old data is there, dimmed').toHaveCSS('filter', 'grayscale(1)', { timeout: 15_000 });
  waits = 0;
  await expect(content).toHaveCSS('filter', 'none', { timeout: 15_000 });
});
