import type { Page } from '@playwright/test';
import { writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

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

/** Nobody needs to know on which machine the pictures were taken. */
function withoutMachine(machine: string): void {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    if (text.nodeValue?.includes(machine)) text.nodeValue = text.nodeValue.replaceAll(machine, 'host-1');
  }
}
