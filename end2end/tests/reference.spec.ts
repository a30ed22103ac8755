import { expect, expectAccessible, test } from '../support/reprieve.ts';

for (const width of [360, 390, 768]) {
  test(`the page of the API is read without sideways scrolling at ${width} pixels`, async ({ page, reprieve }) => {
    await page.setViewportSize({ width, height: 844 });
    await page.goto(reprieve.url('/api/docs'));
    await expect(page.getByRole('heading', { level: 1 })).toContainText('HTTP API');
    // Everything that can be opened is open: tables and examples are what is wide.
    await page.locator('details').evaluateAll((all) => all.forEach((one) => one.setAttribute('open', '')));
    const wide = await page.evaluate(() => {
      const shown = [document.documentElement, ...document.querySelectorAll('main, main *')];
      return shown
        .filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline')
        .map((one) => `${one.tagName} ${one.className} ${one.scrollWidth} > ${one.clientWidth}`);
    });
    expect(wide).toEqual([]);
  });
}

test('axe finds nothing serious on the page of the API', async ({ page, reprieve }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(reprieve.url('/api/docs'));
  await page.locator('details').evaluateAll((all) => all.slice(0, 5).forEach((one) => one.setAttribute('open', '')));
  await expectAccessible(page);
});
