import type { Page } from '@playwright/test';

/** Answers of the server that wait for as long as a test wants. */
export class Gate {
  #open = Promise.resolve();
  #release = () => {};

  /** Stands in the way of every request whose address fits; open at first. */
  static async before(page: Page, address: RegExp): Promise<Gate> {
    const gate = new Gate();
    await page.route(address, async (route) => {
      await gate.#open;
      // Whoever went on to another page waits for it no longer.
      await route.continue().catch(() => {});
    });
    await standing(page);
    return gate;
  }

  /** Holds what an act asks for, and waits until it was asked. */
  static async holding(page: Page, address: RegExp, act: () => Promise<void>): Promise<Gate> {
    const gate = await Gate.before(page, address);
    gate.shut();
    const asked = page.waitForRequest(address);
    await act();
    await asked;
    return gate;
  }

  /** From now on answers wait. */
  shut(): void {
    this.#open = new Promise((resolve) => {
      this.#release = resolve;
    });
  }

  /** Lets through what waits, and what comes. */
  open(): void {
    this.#release();
    this.#open = Promise.resolve();
  }
}

/** What the page is asked to fetch until that does not reach the server any more. */
const PROBE = '/healthz?gate';

/**
 * Waits until nothing that the page asks for comes past its routes: between `route` and a key that is pressed.
 *
 * Chromium says that it intercepts before the page that is open has its new way to the network. A key that is pressed at
 * once may be faster: the request passes, and Playwright tells nobody of it, neither a route nor `waitForRequest`.
 */
export async function standing(page: Page): Promise<void> {
  // What is opened later has it from the beginning.
  if (page.url() === 'about:blank') return;
  await page.route(`**${PROBE}`, (route) => route.fulfill({ headers: { 'x-gate': 'here' } }));
  while (!(await page.evaluate(async (probe) => (await fetch(probe)).headers.has('x-gate'), PROBE)));
  await page.unroute(`**${PROBE}`);
}
