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
      // A page that was left waits for it no longer.
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

/** A request that the page repeats until a route answers it instead of the server. */
const PROBE = '/healthz?gate';

/**
 * Waits until the page's requests really go through its routes.
 *
 * `page.route` returns before a page that is already open uses the interception. A key pressed at once can send a request that
 * bypasses every route and `waitForRequest`.
 */
export async function standing(page: Page): Promise<void> {
  // A page that opens later uses its routes from the start.
  if (page.url() === 'about:blank') return;
  await page.route(`**${PROBE}`, (route) => route.fulfill({ headers: { 'x-gate': 'here' } }));
  while (!(await page.evaluate(async (probe) => (await fetch(probe)).headers.has('x-gate'), PROBE)));
  await page.unroute(`**${PROBE}`);
}
