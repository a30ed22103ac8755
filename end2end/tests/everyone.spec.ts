import type { Page } from '@playwright/test';
import { expect, expectAccessible, expectAccessibleInBoth, open, test, unique } from '../support/reprieve.ts';
import { furnished, PAGES, Screens } from '../support/screens.ts';

const HOUR_MS = 3_600_000;

test('axe finds nothing serious on any page', async ({ page, reprieve }) => {
  test.slow();
  // Not empty: what others list is there.
  await furnished(reprieve.api, 'axe');
  for (const path of PAGES) await readInBoth(page, reprieve.url(path));
  reprieve.receiver.release();
});

test('axe finds nothing serious on any list, job, queue, run and schedule', async ({ page, reprieve }) => {
  test.slow();
  const { api, receiver } = reprieve;
  for (const path of await furnished(api, 'axe')) await readInBoth(page, reprieve.url(path));
  const waiting = await api.enqueue({ kind: 'ok.axe', queue: unique('axe'), delay_ms: HOUR_MS });
  const screens = new Screens(page, reprieve.program.address);
  await screens.job(waiting.id);
  await screens.openCancel();
  await expectAccessibleInBoth(page);
  receiver.release();
});

async function readInBoth(page: Page, address: string): Promise<void> {
  await test.step(address, async () => {
    await open(page, address);
    expect(await endless(page), 'nothing there moves without an end').toEqual([]);
    await expectAccessibleInBoth(page);
  });
}

/** What moves for as long as the page is open, which keeps a processor busy for as long. */
async function endless(page: Page): Promise<string[]> {
  return page.evaluate(() => document.getAnimations().flatMap((animation) => (animation.effect?.getTiming().iterations === Infinity ? [(animation as CSSAnimation).animationName] : [])));
}

test.describe('where somebody asked for less motion', () => {
  test.use({ contextOptions: { reducedMotion: 'reduce' } });

  test('nothing moves', async ({ page, reprieve }) => {
    const subject = `resource:${unique('still')}`;
    const job = await reprieve.api.enqueue({ kind: 'ok.still', queue: unique('still'), subject, delay_ms: HOUR_MS });
    for (const path of ['/', `/jobs/delay?job=${job.id}`, `/desk/${subject}`]) {
      await open(page, reprieve.url(path));
      // In milliseconds, of all that is there.
      const longest = await page.evaluate(() => {
        const times = [...document.querySelectorAll('*')].flatMap((element) => ['', '::before', '::after'].flatMap((part) => {
          const { animationDuration, transitionDuration } = getComputedStyle(element, part);
          return `${animationDuration}, ${transitionDuration}`.split(', ').map((time) => parseFloat(time) * (time.endsWith('ms') ? 1 : 1_000));
        }));
        return Math.max(...times);
      });
      expect(longest, path).toBeLessThanOrEqual(1);
    }
  });
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 740 } });

  test('a finger hits what it means to', async ({ page, reprieve }) => {
    const queue = unique('finger');
    for (const delay_ms of [HOUR_MS, 2 * HOUR_MS, 3 * HOUR_MS]) {
      await reprieve.api.enqueue({ kind: 'ok.finger', queue, subject: `resource:${queue}`, delay_ms });
    }
    for (const path of ['/jobs/delay', '/forecast', `/desk/resource:${queue}`]) {
      await open(page, reprieve.url(path));
      await expectAccessible(page);
    }
  });

  test('no page scrolls sideways', async ({ page, reprieve }) => {
    test.slow();
    const paths = await furnished(reprieve.api, 'narrow');
    // Each name as long as it may be.
    const [name, id] = [unique('narrow').padEnd(64, 'n'), unique('narrow').padEnd(128, 'i')];
    await reprieve.api.enqueue({ kind: name, queue: name, subject: id, id, tags: [name], delay_ms: 3_600_000 });
    paths.push(`/job/${id}`, `/queue/${name}`, `/desk/${id}`, `/jobs/delay?q=${'x'.repeat(501)}`);
    const wide: string[] = [];
    for (const path of [...PAGES, ...paths]) {
      await open(page, reprieve.url(path));
      // The narrower one is also what is left of 640 pixels at 200 %.
      for (const width of [360, 320]) {
        await page.setViewportSize({ width, height: 740 });
        const needed = await page.evaluate(() => document.documentElement.scrollWidth);
        if (needed > width) wide.push(`${path}: ${needed} px of ${width}`);
      }
    }
    expect(wide).toEqual([]);
    reprieve.receiver.release();
  });

  test('the clock and its zone are on every phone', async ({ page, reprieve }) => {
    for (const width of [360, 320]) {
      await page.setViewportSize({ width, height: 740 });
      await open(page, reprieve.url('/'));
      const clock = page.locator('.wall-clock');
      await expect(clock).toHaveText(/\d\d:\d\d:\d\d UTC/);
      await expect(clock).toBeInViewport({ ratio: 1 });
      await page.mouse.wheel(0, 600);
      await expect(clock, 'wherever one is on the page').toBeInViewport({ ratio: 1 });
      await expect(page.locator('.top-bar'), 'what stays covers nothing').not.toBeInViewport();
      const covered = await clock.evaluate((clock) => {
        const { x, y, width, height } = clock.getBoundingClientRect();
        // What is pressed is what lies below it.
        (clock as HTMLElement).style.pointerEvents = 'auto';
        return document.elementFromPoint(x + width / 2, y + height / 2)?.closest('.wall-clock') === null;
      });
      expect(covered, `nothing covers it at ${width} pixels`).toBe(false);
    }
  });

  test('on a phone what needs attention comes before the numbers', async ({ page, reprieve }) => {
    await reprieve.api.enqueue({ kind: 'ok.first', queue: unique('first'), delay_ms: HOUR_MS });
    await open(page, reprieve.url('/'));
    const attention = page.locator('.overview > :is(.attention, .attention-quiet)');
    const numbers = page.getByRole('region', { name: 'Live queues' });
    const top = async (place: typeof numbers) => (await place.boundingBox())?.y ?? Number.NaN;
    expect(await top(attention)).toBeLessThan(await top(numbers));
    await page.setViewportSize({ width: 1280, height: 800 });
    expect(await top(numbers), 'the numbers come first where there is room').toBeLessThan(await top(attention));
  });
});

test('a job is found, called off and put back with the keyboard alone', async ({ page, reprieve }) => {
  const screens = new Screens(page, reprieve.program.address);
  const queue = unique('keys');
  const { id } = await reprieve.api.enqueue({ kind: 'ok.keys', queue, delay_ms: HOUR_MS });
  await screens.list('delay', queue);

  await tabTo(page, screens.link(id));
  await page.keyboard.press('Enter');
  await expect(screens.state()).toHaveText(/Delayed/);

  await tabTo(page, screens.cancelButton());
  await page.keyboard.press('Enter');
  await expect(screens.dialog()).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(screens.dialog()).toBeHidden();
  await expect(screens.cancelButton(), 'focus returns').toBeFocused();

  await page.keyboard.press('Enter');
  await tabTo(page, screens.dialog().getByRole('button', { name: 'Cancel job' }));
  await page.keyboard.press('Enter');
  await expect(screens.state()).toHaveText(/Cancelled/);

  await tabTo(page, screens.undoButton());
  await page.keyboard.press('Enter');
  await expect(screens.state()).toHaveText(/Delayed/);
});

test('who skips to the page goes on there, and so does who goes to a section', async ({ page, reprieve }) => {
  const isIn = (selector: string) => page.evaluate((selector) => document.activeElement?.closest(selector) !== null, selector);
  await open(page, reprieve.url('/settings'));
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to the page' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.locator('#page')).toBeFocused();
  await page.keyboard.press('Tab');
  expect(await isIn('.settings-nav'), 'the first link of the page').toBe(true);

  await page.getByRole('navigation', { name: 'Sections of the settings' }).getByRole('link', { name: 'Reasons' }).focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/#reasons$/);
  await page.keyboard.press('Tab');
  expect(await isIn('#reasons'), 'the first field of the section').toBe(true);
});

test('what is chosen is seen in forced colours', async ({ page, reprieve }) => {
  await page.emulateMedia({ forcedColors: 'active' });
  await open(page, reprieve.url('/forecast'));
  for (const chosen of ['.navigation a[aria-current]', '.segments a[aria-current]', '.theme-switch [aria-pressed="true"]']) {
    await expect(page.locator(chosen).filter({ visible: true }).first()).toHaveCSS('outline-style', 'solid');
  }
});

/** Presses Tab until a control has the focus, as a person would. */
async function tabTo(page: import('@playwright/test').Page, control: import('@playwright/test').Locator): Promise<void> {
  for (let presses = 0; presses < 80; presses += 1) {
    if (await control.evaluate((element) => element === document.activeElement).catch(() => false)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error('the control cannot be reached with Tab');
}

test('the page is guarded by a strict policy', async ({ request, reprieve }) => {
  const response = await request.get(reprieve.url('/'));
  const policy = response.headers()['content-security-policy'] ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toMatch(/script-src [^;]*'nonce-/);
  expect(policy).not.toContain("'unsafe-inline'");
  expect(policy).not.toContain("'unsafe-eval'");
  expect(await response.text(), 'inline styles would be blocked').not.toMatch(/<[a-z][^>]* style="/);
});

test('a theme lasts, and no other one flashes first', async ({ page, reprieve }) => {
  await open(page, reprieve.url('/'));
  await page.getByRole('button', { name: 'Dark theme' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expect
    .poll(async () => (await page.context().cookies()).find(({ name }) => name === 'theme')?.value)
    .toBe('dark');

  const html = await (await page.request.get(reprieve.url('/'))).text();
  expect(html).toMatch(/<html[^>]*data-theme="dark"/);
});

test('a letter leads from theme to theme, whatever the language', async ({ page, reprieve }) => {
  const kept = async () => (await page.context().cookies()).find(({ name }) => name === 'theme')?.value;
  for (const language of ['en', 'zh-CN']) {
    // A page that is open would load itself anew in the other language meanwhile.
    await page.goto('about:blank');
    await page.context().addCookies([{ name: 'language', value: language, url: reprieve.program.address }]);
    await open(page, reprieve.url('/'));
    const html = page.locator('html');
    await expect(html).toHaveAttribute('data-theme', 'system');
    for (const theme of ['light', 'dark', 'system']) {
      await page.keyboard.press('t');
      await expect(html).toHaveAttribute('data-theme', theme);
      await expect.poll(kept).toBe(theme);
      await expect(html).toHaveAttribute('lang', language);
    }
  }
});
