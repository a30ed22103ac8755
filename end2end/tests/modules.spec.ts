import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { standing } from '../support/gate.ts';
import { alive, expect, open, test } from '../support/reprieve.ts';

const LOCALE = new URL('../../app/locales/en', import.meta.url).pathname;

/** Marks the document that is open, and says later whether it still is. */
async function mark(page: Page): Promise<() => Promise<boolean>> {
  await page.evaluate(() => document.documentElement.setAttribute('data-test-mark', ''));
  return () => page.evaluate(() => document.documentElement.hasAttribute('data-test-mark'));
}

/** Whether the code of each page is a file of its own, as in what ships. */
async function isSplit(page: Page): Promise<boolean> {
  return (await page.locator('head link[rel="preload"][href$=".parts"]').count()) > 0;
}

/** The keys of the sentences that are there in the sources. */
const KEYS = new Set(
  readdirSync(LOCALE).flatMap((file) => [...readFileSync(join(LOCALE, file), 'utf8').matchAll(/^([\w-]+) =/gm)].map(([, key]) => key)),
);

/** What stands on a page as its key, for its sentence was not there. */
async function unsaid(page: Page): Promise<string[]> {
  const words = await page.evaluate(() => {
    const named = [...document.querySelectorAll('[aria-label], [title], [placeholder]')];
    const names = named.flatMap((one) => ['aria-label', 'title', 'placeholder'].map((name) => one.getAttribute(name) ?? ''));
    return [document.body.innerText, ...names].join(' ').split(/\s+/);
  });
  return words.filter((word) => KEYS.has(word));
}

test('every page of the navigation opens in place, and the code of each is loaded once', async ({ page, reprieve }) => {
  test.slow();
  const loaded: string[] = [];
  page.on('request', (request) => {
    const name = /[^/]+\.(?:parts|ftl)$/.exec(request.url())?.[0];
    if (name !== undefined) loaded.push(name);
  });
  await open(page, reprieve.url('/bulk'));
  const split = await isSplit(page);
  const isSameDocument = await mark(page);
  const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
  const all = await links.evaluateAll((all) => all.map((link) => new URL((link as HTMLAnchorElement).href).pathname));
  // Pages that come from the server alone are loaded whole.
  const addresses: string[] = [];
  for (const address of all) {
    const html = await (await page.request.get(reprieve.url(address))).text();
    if (!html.includes('/live.js')) addresses.push(address);
  }
  expect(addresses.length).toBeGreaterThan(3);

  // Twice: the second time everything is there already.
  for (const address of [...addresses, ...addresses]) {
    await page.getByRole('navigation', { name: 'Pages' }).locator(`a[href="${address}"]`).first().click();
    await expect(page).toHaveURL(reprieve.url(address));
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    expect(await unsaid(page), `every sentence of ${address} is there`).toEqual([]);
  }

  expect(await isSameDocument(), 'no page was loaded whole').toBe(true);
  expect(loaded.length, 'each file was asked for once').toBe(new Set(loaded).size);
  expect(loaded.includes('bulk.parts'), 'the first page asks for its own').toBe(split);
  for (const file of ['every.en.ftl', 'bulk.en.ftl', 'import.en.ftl']) {
    expect(loaded.includes(file), 'and for the sentences of its language').toBe(split);
  }
  expect(loaded.join(' '), 'but for no others').not.toContain('zh-CN');
  if (split) expect(loaded.length).toBeGreaterThan(6);
});

test.describe('another build', () => {
  test.use({ expectedComplaints: /\.parts|\.ftl|status of 404/ });

  test('a page whose code does not come any more is loaded whole', async ({ page, reprieve }) => {
    await open(page, reprieve.url('/bulk'));
    const split = await isSplit(page);
    const isSameDocument = await mark(page);
    // What a server of another build says to the address of this one's files.
    await page.route('**/import.parts', (route) => route.fulfill({ status: 404 }), { times: 1 });

    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Import' }).click();

    await expect(page.getByRole('heading', { level: 1, name: 'Import' })).toBeVisible();
    await expect(page).toHaveURL(reprieve.url('/import'));
    await alive(page);
    expect(await isSameDocument(), 'in place where nothing is split').toBe(!split);
  });

  test('a page whose sentences do not come any more is loaded whole', async ({ page, reprieve }) => {
    await open(page, reprieve.url('/bulk'));
    const split = await isSplit(page);
    const isSameDocument = await mark(page);
    await page.route('**/import.en.ftl', (route) => route.fulfill({ status: 404 }), { times: 1 });

    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Import' }).click();

    await expect(page.getByRole('heading', { level: 1, name: 'Import' })).toBeVisible();
    await alive(page);
    expect(await isSameDocument(), 'in place where nothing is split').toBe(!split);
  });

  test('the palette searches without its list, and asks for it again the next time', async ({ page, reprieve }) => {
    await open(page, reprieve.url('/bulk'));
    const split = await isSplit(page);
    await page.route('**/search.parts', (route) => route.fulfill({ status: 404 }), { times: 1 });
    await standing(page);
    const palette = page.getByRole('dialog', { name: 'Go anywhere' });
    const settings = palette.getByRole('link', { name: 'Settings' });

    await page.keyboard.press('Control+k');
    const told = palette.getByText('The server does not answer.');
    await expect(split ? told : settings).toBeVisible();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await expect(settings, 'it is there now').toBeVisible();

    await palette.getByRole('textbox').fill('nowhere at all');
    await expect(palette.getByText('Nothing has that name.')).toBeVisible();
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(reprieve.url('/search?find=nowhere+at+all'));
  });
});
