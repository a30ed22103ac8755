import { expect, test } from '@playwright/test';
import { join } from 'node:path';
import { Program } from '../support/program.ts';
import { LISTS, Screens } from '../support/screens.ts';

/** The charts have a point a minute; one point is no picture. */
const WARM_UP_MS = 4 * 60_000;

const APPEARANCES = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1280, height: 860 } },
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1280, height: 860 } },
  { name: 'phone', colorScheme: 'light', viewport: { width: 360, height: 740 } },
] as const;

let program: Program;

test.beforeAll(async () => {
  test.setTimeout(WARM_UP_MS + 60_000);
  program = await Program.start('demo');
  await new Promise((resolve) => setTimeout(resolve, WARM_UP_MS));
});

test.afterAll(() => program.stop());

for (const { name, colorScheme, viewport } of APPEARANCES) {
  test.describe(name, () => {
    test.use({ colorScheme, viewport });

    test('pictures of the main screens', async ({ page }) => {
      const screens = new Screens(page, program.address);
      const folder = process.env['SCREENSHOTS'];
      if (!folder) throw new Error('the variable SCREENSHOTS names the folder for the pictures');
      const picture = (screen: string) => page.screenshot({ path: join(folder, `${screen}-${name}.png`), animations: 'disabled' });

      await screens.overview();
      await expect(page.getByRole('button', { name: /^Live\b/ })).toBeVisible();
      await picture('overview');

      await screens.list('delay');
      await expect(page.getByRole('button', { name: /^Live\b/ })).toBeVisible();
      await picture('jobs');

      // A job that has lived a little says more than one that only waits.
      for (const list of [...LISTS].reverse()) {
        await screens.list(list);
        const job = page.locator('main a[href^="/job/"]').first();
        if ((await job.count()) === 0 || list === 'held' || list === 'done') continue;
        await job.click();
        await expect(screens.state()).toBeVisible();
        break;
      }
      await expect(page.getByRole('button', { name: /^Live\b/ })).toBeVisible();
      await picture('job');
    });
  });
}
