import { expect, test, type Page } from '@playwright/test';
import { picture } from '../support/picture.ts';
import { Program } from '../support/program.ts';
import { open } from '../support/reprieve.ts';
import { LISTS, Screens } from '../support/screens.ts';

/** The charts have a point a minute; one point is no picture. */
const WARM_UP_MS = 4 * 60_000;

/** The size of a picture in a document. */
const VIEWPORT = { width: 1280, height: 860 };

let program: Program;

test.beforeAll(async () => {
  test.setTimeout(WARM_UP_MS + 60_000);
  program = await Program.start('demo');
  await new Promise((resolve) => setTimeout(resolve, WARM_UP_MS));
});

test.afterAll(() => program.stop());

test.use({ viewport: VIEWPORT, contextOptions: { reducedMotion: 'reduce' } });

/** Takes a picture of a page that is live. */
async function taken(page: Page, name: string): Promise<void> {
  await expect(page.getByRole('button', { name: /^Live\b/ })).toBeVisible();
  // What is read again for long loses its colours, as on a machine that has no time for it.
  await page.locator('.loading').evaluateAll((all) => all.forEach((one) => one.removeAttribute('data-reading')));
  await picture(page, name);
}

test('the overview, a list and a job', async ({ page }) => {
  const screens = new Screens(page, program.address);
  await screens.overview();
  await taken(page, 'overview-light');

  await screens.list('delay');
  await taken(page, 'jobs-light');

  // A job that has lived a little says more than one that only waits.
  for (const list of [...LISTS].reverse()) {
    await screens.list(list);
    const job = page.locator('main a[href^="/job/"]').first();
    if ((await job.count()) === 0 || list === 'held' || list === 'done') continue;
    await open(page, program.address + (await job.getAttribute('href')));
    await expect(screens.state()).toBeVisible();
    break;
  }
  await taken(page, 'job-light');
});

test.describe('at night', () => {
  test.use({ colorScheme: 'dark' });

  test('the overview', async ({ page }) => {
    await new Screens(page, program.address).overview();
    await taken(page, 'overview-dark');
  });
});
