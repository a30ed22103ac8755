import type { Page } from '@playwright/test';
import { Gate } from '../support/gate.ts';
import { expect, open, test, unique } from '../support/reprieve.ts';
import { Screens } from '../support/screens.ts';

const HOUR_MS = 3_600_000;

/** How many jobs of a queue wait by the counts that a page has heard last; to be asked for before the page is opened. */
async function heard(page: Page): Promise<(queue: string) => Promise<number>> {
  await page.addInitScript(() => {
    const { EventSource } = window;
    window.EventSource = class extends EventSource {
      constructor(url: string | URL) {
        super(url);
        this.addEventListener('counts', ({ data }: MessageEvent<string>) => Object.assign(window, { counts: JSON.parse(data) }));
      }
    };
  });
  return (queue) =>
    page.evaluate((queue) => {
      const { counts } = window as unknown as { counts?: { queues: Record<string, { delayed: number }> } };
      return counts?.queues[queue]?.delayed ?? 0;
    }, queue);
}

for (const { screen, viewport } of [
  { screen: 'a wide screen', viewport: { width: 1280, height: 900 } },
  { screen: 'a phone', viewport: { width: 360, height: 740 } },
]) {
  test.describe(`on ${screen}`, () => {
    test.use({ viewport });

    test(`a list and a job have shapes of their height on ${screen}`, async ({ page, reprieve }) => {
      const screens = new Screens(page, reprieve.program.address);
      const queue = unique('shapes');
      const [first] = await reprieve.api.enqueueMany(
        Array.from({ length: 8 }, (_, n) => ({ kind: 'ok.shapes', queue, subject: `resource:${n}`, delay_ms: HOUR_MS + n })),
      );
      const gate = await Gate.before(page, /\/api\/fn\/(list_jobs|get_job)/);
      const waiting = await heard(page);
      await open(page, reprieve.url('/bulk'));
      // So many shapes the list has: as many as the stream has counted.
      await expect.poll(() => waiting(queue)).toBe(8);
      const shapes = page.getByTestId('shapes');
      const height = async () => (await shapes.boundingBox())?.height ?? 0;

      gate.shut();
      // As pages lead to each other where the next one is made in the browser.
      await page.locator('main').evaluate((main, href) => {
        const link = Object.assign(document.createElement('a'), { href, textContent: 'Delay' });
        main.append(link);
        link.click();
        link.remove();
      }, `/jobs/delay?queue=${queue}`);
      await expect(shapes).toBeVisible();
      const tabs = (await page.locator('.tabs').boundingBox())?.height ?? 0;
      const ofList = await height();
      gate.open();
      await expect(screens.row(first!.id)).toBeVisible();
      await expect(shapes).toHaveCount(0);
      const list = (await page.locator('.jobs-list').boundingBox())?.height ?? 0;
      expect(Math.abs(list - ofList) / list, `${ofList} for a list of ${list}`).toBeLessThan(0.15);
      expect((await page.locator('.tabs').boundingBox())?.height, 'what stands above does not grow').toBe(tabs);

      gate.shut();
      await screens.link(first!.id).first().click();
      await expect(shapes, 'in the panel or on the page').toBeVisible();
      const ofJob = await height();
      gate.open();
      await expect(screens.state()).toBeVisible();
      await expect(shapes).toHaveCount(0);
      const job = (await page.locator('.job').boundingBox())?.height ?? 0;
      expect(Math.abs(job - ofJob) / job, `${ofJob} for a job of ${job}`).toBeLessThan(0.35);
    });
  });
}

test('the page of a job has shapes, and a list that is read again is dimmed', async ({ page, reprieve }) => {
  const screens = new Screens(page, reprieve.program.address);
  const queue = unique('dimmed');
  const { id } = await reprieve.api.enqueue({ kind: 'ok.dimmed', queue, delay_ms: HOUR_MS });
  const gate = await Gate.before(page, /\/api\/fn\/(list_jobs|get_job)/);
  await screens.list('delay', queue);
  gate.shut();
  await page.getByRole('link', { name: /Soonest first/ }).click();
  await expect(page.locator('.job-form'), 'the old rows are there, dimmed').toHaveCSS('filter', 'grayscale(1)');
  await expect(screens.row(id)).toBeVisible();
  gate.open();
  await expect(page.locator('.job-form')).toHaveCSS('filter', 'none', { timeout: 60_000 });

  gate.shut();
  await screens.link(id).first().click();
  await page.locator('.job-panel').getByRole('link', { name: 'Open as a page' }).click();
  const shapes = page.locator('main').getByTestId('shapes');
  await expect(shapes).toBeVisible();
  gate.open();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('ok.dimmed');
  await expect(shapes).toHaveCount(0);
});
