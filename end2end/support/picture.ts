import type { Locator, Page } from '@playwright/test';
import { writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** Wide as on a desk, and as on a phone. */
const SIZES = {
  wide: { width: 1280, height: 860 },
  phone: { width: 360, height: 740 },
} as const;

/** How good a picture is, of a hundred: letters are sharp, and a page has about thirty kilobytes. */
const QUALITY = 60;

/** Writes what is on screen into the folder of the pictures. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS'];
  if (!folder) throw new Error('the variable SCREENSHOTS names the folder for the pictures');
  await page.evaluate(withoutMachine, hostname());
  // Nothing is pointed at: where the last click was may be something else by now.
  await page.mouse.move(0, 0);
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
  await session.detach();
  await writeFile(join(folder, `${name}.webp`), Buffer.from(data, 'base64'));
}

/** Two pictures, wide and of a phone, with `about` in their middle where they are about a part of a page; the page is wide afterwards. */
export async function pictures(page: Page, name: string, about?: Locator): Promise<void> {
  const centre = async () => about?.evaluate((part) => part.scrollIntoView({ block: 'center' }));
  await centre();
  await picture(page, name);
  await page.setViewportSize(SIZES.phone);
  await centre();
  await picture(page, `${name}-phone`);
  await page.setViewportSize(SIZES.wide);
}

/** Nobody needs to know on which machine the pictures were taken. */
function withoutMachine(machine: string): void {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    if (text.nodeValue?.includes(machine)) text.nodeValue = text.nodeValue.replaceAll(machine, 'host-1');
  }
}
