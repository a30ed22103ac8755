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
