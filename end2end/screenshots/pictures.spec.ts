import { expect, test } from '@playwright/test';
import { picture } from '../support/picture.ts';
import { Program } from '../support/program.ts';
import { open } from '../support/reprieve.ts';
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
    test.use({ colorScheme, viewport, contextOptions: { reducedMotion: 'reduce' } });

    test('pictures of the main screens', async ({ page }) => {
      const screens = new Screens(page, program.address);
      const taken = async (screen: string) => {
        // What is read again for long loses its colours, as on a machine that has no time for it.
        await page.locator('.loading').evaluateAll((all) => all.forEach((one) => one.removeAttribute('data-reading')));
        await picture(page, `${screen}-${name}`);
      };

      await screens.overview();
      await expect(page.getByRole('button', { name: /^Live\b/ })).toBeVisible();
      await taken('overview');

      await screens.list('delay');
      await expect(page.getByRole('button', { name: /^Live\b/ })).toBeVisible();
      await taken('jobs');

      // A job that has lived a little says more than one that only waits.
      for (const list of [...LISTS].reverse()) {
        await screens.list(list);
        const job = page.locator('main a[href^="/job/"]').first();
        if ((await job.count()) === 0 || list === 'held' || list === 'done') continue;
        await open(page, program.address + (await job.getAttribute('href')));
        await expect(screens.state()).toBeVisible();
        break;
      }
      await expect(page.getByRole('button', { name: /^Live\b/ })).toBeVisible();
      await taken('job');
    });
  });
}
