import type { Page } from '@playwright/test';
import { expect, expectAccessible, open, test, unique } from '../support/reprieve.ts';
import { LISTS } from '../support/screens.ts';

const HOUR_MS = 3_600_000;

/** Pages that every visitor may open; each speaks through the files of words alone. */
const PAGES = ['/desk', '/desk?find=nobody'];

/**
 * What stands on a page in plain letters although the page is in the accented language of tests. Data may: it is
 * marked with `translate="no"` or `lang`, or is code, an instant or a number with its unit.
 */
async function untranslated(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const data = 'body [lang], [translate="no"], code, pre, kbd, time, script, style, option[value], .environment-badge, .namespace, .brand';
    const allowed = /^(?:[\d.,:+%~<>≤≥/·–—-]|\s|UTC|MiB|GiB|KiB|TiB|B|p\d\d|Redis|EN|中|curl|Rust|HTTP|JSON|TLS)*$/;
    const seen = (element: Element) => element.getClientRects().length > 0;
    const plain = (text: string) => /[A-Za-z]{2,}/.test(text) && !allowed.test(text) && !/[^\x00-\x7f]/.test(text.replace(/[…·–—×“”‘’]/g, ''));
    const found: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = node.parentElement;
      const text = node.textContent?.trim() ?? '';
      if (parent && !parent.closest(data) && seen(parent) && plain(text)) found.push(text);
    }
    for (const element of document.querySelectorAll('[aria-label], [title], [placeholder]')) {
      if (element.closest(data)) continue;
      for (const name of ['aria-label', 'placeholder']) {
        const text = element.getAttribute(name) ?? '';
        if (plain(text)) found.push(`${name}: ${text}`);
      }
    }
    return [...new Set(found)];
  });
}

/** Labels whose text does not fit into them. */
async function cut(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('button, a, label, th, h1, h2, legend, summary, [role=tab]')]
      .filter((element) => element.getClientRects().length > 0 && !element.closest('.visually-hidden, .skip'))
      .filter((element) => {
        const { overflowX } = getComputedStyle(element);
        return overflowX !== 'visible' && overflowX !== 'auto' && element.scrollWidth > element.clientWidth + 1;
      })
      .map((element) => element.textContent?.trim() ?? ''),
  );
}

test.describe('the accented language', () => {
  test.use({ viewport: { width: 360, height: 740 } });

  for (const path of PAGES) {
    test(`nothing on ${path} is said outside the files of words, and nothing is cut`, async ({ page, context, reprieve }) => {
      const queue = unique('xa');
      await reprieve.api.enqueueMany([
        { kind: 'ok.xa', queue, subject: `resource:${queue}`, delay_ms: HOUR_MS },
        { kind: 'fatal.xa', queue },
      ]);
      await context.addCookies([{ name: 'language', value: 'en-XA', url: reprieve.program.address }]);
      await open(page, reprieve.url(path));
      expect(await untranslated(page), 'not in the files of words').toEqual([]);
      expect(await cut(page), 'cut').toEqual([]);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(width, 'the page scrolls sideways').toBeLessThanOrEqual(360);
    });
  }
});

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(`Chinese, ${colorScheme}`, () => {
    test.use({ colorScheme });

    test('axe finds nothing serious on any page', async ({ page, context, reprieve }) => {
      const queue = unique('zh');
      const [job] = await reprieve.api.enqueueMany([{ kind: 'ok.zh', queue, subject: `resource:${queue}`, delay_ms: HOUR_MS }]);
      await context.addCookies([{ name: 'language', value: 'zh-CN', url: reprieve.program.address }]);
      for (const path of [...PAGES, ...LISTS.map((list) => `/jobs/${list}`), `/job/${job?.id}`, `/desk/resource:${queue}`]) {
        await test.step(path, async () => {
          await open(page, reprieve.url(path));
          await expect(page.locator('html')).toHaveAttribute('lang', 'zh-CN');
          await expectAccessible(page);
        });
      }
    });
  });
}
