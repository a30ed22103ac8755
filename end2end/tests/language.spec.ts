import type { Page } from '@playwright/test';
import { houseTest } from '../support/house.ts';
import { signIn } from '../support/people.ts';
import { expect, expectAccessible, expectAccessibleInBoth, open, test, UNIQUE } from '../support/reprieve.ts';
import { furnished, PAGES } from '../support/screens.ts';

/** Pages for people who sign in, who are found there. */
const ROOMS = ['/people', '/account'] as const;

/** What tests named: queues and ids, kinds, subjects, payloads; and what others named. None of it is ours to say. */
const NAMED = [
  /^(?:ok|hold|fail|fatal|flaky|none)\.[a-z]+/,
  /^[{[].*[\]}]$/s,
  /^: /, // what an error says behind the name it gives itself
  /^(?:null|order|api|(?:someone at the dashboard|(?:someone at the dashboard: )?the customer called twice)|Customer asked.*|the receiver answered .*|the post is late|the bank is closed)$/s,
  /^(?:noeviction|standalone|master|Europe\/Berlin|reprieve\.toml|Reprieve|OpenAPI|\/readyz|\/metrics|MIT OR Apache-2\.0)$/,
  /^placeholder: (?:rediss:.*|default)$/,
  /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, // ids of jobs that got theirs from the server
  /^\(UTC\)$/, // the zone of a field
  /^At (?:\d|minute \d).*\.$/, // a schedule in the words of the library that reads it
  /^title: Redis \(g r\)$/, // a name and its key
];

/** Whether a text, or a list of them, says something beside what tests named and the names of what is there. */
function isOurs(text: string, names: readonly string[]): boolean {
  if (NAMED.some((named) => named.test(text))) return false;
  const rest = text.replace(UNIQUE, '').replace(/^(?:aria-label|placeholder|title): /, '');
  return rest.split(', ').some((part) => /[A-Za-z]{2,}/.test(part) && !names.includes(part));
}

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
      for (const name of ['aria-label', 'placeholder', 'title']) {
        const text = element.getAttribute(name) ?? '';
        // A title that repeats what stands there, where that may be cut, was read there.
        const repeats = name === 'title' && element.textContent?.includes(text);
        if (plain(text) && !repeats) found.push(`${name}: ${text}`);
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

/** What is said on a page outside the files of words, what is cut, and whether the page is too wide for a phone. */
async function faults(page: Page, ours: (text: string) => boolean): Promise<string[]> {
  const found = (await untranslated(page)).filter(ours).map((text) => `not in the files of words: ${text}`);
  found.push(...(await cut(page)).filter(ours).map((text) => `cut: ${text}`));
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  if (width > 360) found.push(`scrolls sideways: ${width} px`);
  return found;
}

/**
 * What can be opened on a page, by its id: one of each sort, for rows alike open the same. What the frame around every page
 * opens is the same on all of them.
 */
async function opened(page: Page, withFrame: boolean): Promise<string[]> {
  return page.evaluate((withFrame) => {
    const sorts = new Map<string, string>();
    for (const opener of document.querySelectorAll('[popovertarget]:not([popovertargetaction=hide], [aria-disabled=true])')) {
      // What is folded away has a size and cannot be pressed.
      const isThere = opener.checkVisibility() && (withFrame || opener.closest('main'));
      const sort = `${opener.className} ${opener.textContent?.replace(/\d+/g, '')}`;
      if (isThere && !sorts.has(sort)) sorts.set(sort, opener.getAttribute('popovertarget') ?? '');
    }
    return [...new Set(sorts.values())];
  }, withFrame);
}

/** Opens each of it in turn, looks, and closes it again. */
async function openEach(page: Page, withFrame: boolean, look: (id: string) => Promise<void>): Promise<void> {
  for (const id of await opened(page, withFrame)) {
    const opener = page.locator(`[popovertarget="${id}"]:not([popovertargetaction=hide]):visible`).first();
    await opener.evaluate((button: HTMLElement) => button.click());
    await expect(page.locator(`[id="${id}"]`)).toBeVisible();
    await look(id);
    await page.keyboard.press('Escape');
    await expect(page.locator(':popover-open')).toHaveCount(0);
  }
}

test.describe('the accented language', () => {
  test.use({ viewport: { width: 360, height: 740 } });

  test('nothing on any page is said outside the files of words, and nothing is cut', async ({ page, context, reprieve }) => {
    test.slow();
    const paths = await furnished(reprieve.api, 'xa');
    await context.addCookies([{ name: 'language', value: 'en-XA', url: reprieve.program.address }]);
    const wrong: Record<string, string[]> = {};
    for (const path of [...PAGES, ...paths]) {
      await open(page, reprieve.url(path));
      const names = await reprieve.api.names();
      const ours = (text: string) => isOurs(text, names);
      const look = async (where: string) => {
        const found = await faults(page, ours);
        if (found.length > 0) wrong[`${path} ${where}`] = found;
      };
      await look('itself');
      await openEach(page, path === '/', look);
      if (path !== '/') continue;
      await page.keyboard.press('?');
      await expect(page.locator('.key-help')).toBeVisible();
      await look('its keys');
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+k');
      await expect(page.locator('.palette-list a').first()).toBeVisible();
      await look('its palette');
      await page.keyboard.press('Escape');
    }
    expect(wrong).toEqual({});
    reprieve.receiver.release();
  });

  houseTest('where people sign in, nothing is said outside the files of words, and nothing is cut', async ({ page, context, house }) => {
    await context.addCookies([{ name: 'language', value: 'en-XA', url: house.address }]);
    // What a browser calls itself is its own.
    const ours = (text: string) => !text.startsWith('Mozilla/') && isOurs(text, ['ann']);
    const wrong: Record<string, string[]> = {};
    const look = async (where: string) => {
      const found = await faults(page, ours);
      if (found.length > 0) wrong[where] = found;
    };
    for (const path of ['/login', '/first?key=none', '/welcome?name=ann&key=none']) {
      await page.goto(house.address + path);
      await look(path);
    }
    await signIn(page, house);
    for (const path of ROOMS) {
      await open(page, house.address + path);
      await look(path);
      await openEach(page, path === ROOMS[0], (id) => look(`${path} ${id}`));
    }
    expect(wrong).toEqual({});
  });
});

/** What is the same in every language is looked at in English each time, and in Chinese each night. */
const IN_ENGLISH_TOO = 'takes a minute and a half: part of `cargo xtask nightly browser`';

test.describe('Chinese', () => {
  const readAll = async (page: Page, address: string, paths: readonly string[]) => {
    await page.context().addCookies([{ name: 'language', value: 'zh-CN', url: address }]);
    for (const path of paths) {
      await test.step(path, async () => {
        await open(page, address + path);
        await expect(page.locator('html')).toHaveAttribute('lang', 'zh-CN');
        // Its colours are those of every language.
        await expectAccessible(page);
      });
    }
  };

  test('axe finds nothing serious on any page', async ({ page, reprieve }) => {
    test.skip(!process.env['REPRIEVE_TEST_LARGE'], IN_ENGLISH_TOO);
    test.slow();
    await furnished(reprieve.api, 'zh');
    await readAll(page, reprieve.program.address, PAGES);
    reprieve.receiver.release();
  });

  test('axe finds nothing serious on any list, job, queue, run and schedule', async ({ page, reprieve }) => {
    test.skip(!process.env['REPRIEVE_TEST_LARGE'], IN_ENGLISH_TOO);
    test.slow();
    await readAll(page, reprieve.program.address, await furnished(reprieve.api, 'zh'));
    reprieve.receiver.release();
  });

  houseTest('axe finds nothing serious where people sign in', async ({ page, context, house }) => {
    houseTest.slow();
    await context.addCookies([{ name: 'language', value: 'zh-CN', url: house.address }]);
    await page.goto(`${house.address}/login`);
    await expect(page.locator('html')).toHaveAttribute('lang', 'zh-CN');
    await expectAccessibleInBoth(page);
    await signIn(page, house);
    for (const path of ROOMS) {
      await open(page, house.address + path);
      await expectAccessibleInBoth(page);
    }
  });
});
