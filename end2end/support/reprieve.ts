import { AxeBuilder } from '@axe-core/playwright';
import { expect, test as base, type BrowserContext, type Page } from '@playwright/test';
import { Api } from './api.ts';
import { Program } from './program.ts';
import { Receiver } from './receiver.ts';

/** One running dashboard with what stands around it. */
export interface Reprieve {
  program: Program;
  api: Api;
  receiver: Receiver;
  /** The address of a page. */
  url(path: string): string;
}

/**
 * How long a job of the kind `hold` waits for its answer: until its test lets
 * it go, however slow the machine is. A job that was given up would be tried
 * again, and be active no more.
 */
const HOLD_MS = 300_000;

interface BrowserFixtures {
  /** A program of this test's own, so that every number on its screens is known. */
  alone: Reprieve;
  /** Complaints of the browser in this test: errors on the console, blocked by the policy, uncaught. */
  complaints: string[];
  /** Which complaints are part of the test, for instance while the server is away. */
  expectedComplaints: RegExp;
  /** Answers that come late, to find tests that do not wait for them. */
  slow: void;
  stood: void;
}

interface WorkerFixtures {
  /** A program that the tests of one worker share; each uses names of its own. */
  reprieve: Reprieve;
}

/**
 * Starts a program whose jobs of the kinds `ok`, `fail`, `fatal` and `hold`
 * are answered by the receiver in the way their name says.
 */
async function startReprieve(): Promise<Reprieve> {
  const receiver = await Receiver.start();
  const hooks = ['ok', 'fail', 'fatal'].flatMap((kind) => ['--webhook', `${kind}.*=${receiver.address}/${kind}`]);
  const hold = `[[webhook]]\nkind = "hold.*"\nurl = "${receiver.address}/hold"\nallow_private = true\ntimeout_ms = ${HOLD_MS}\n`;
  const program = await Program.configured(hold, 'serve', ...hooks, '--webhook-allow-private');
  return { program, receiver, api: new Api(program.address), url: (path) => program.address + path };
}

async function stopReprieve(reprieve: Reprieve): Promise<void> {
  // What a test that failed has left there would hold up the end.
  reprieve.receiver.release();
  await reprieve.program.stop();
  await reprieve.receiver.stop();
}

/** Runs a program while it is used; fails if it panicked. */
export const running = async ({}, use: (reprieve: Reprieve) => Promise<void>): Promise<void> => {
  const reprieve = await startReprieve();
  await use(reprieve);
  await stopReprieve(reprieve);
  expect(reprieve.program.log(), 'the program panicked').not.toContain('panicked');
};

/** For tests that need no browser. */
export const programTest = base.extend<object, WorkerFixtures>({
  reprieve: [running, { scope: 'worker' }],
});

/** For tests in the browser; each fails if the browser complained. */
export const test = programTest.extend<BrowserFixtures>({
  expectedComplaints: [/(?!)/, { option: true }],

  alone: async ({ page }, use) =>
    running({}, async (reprieve) => {
      await use(reprieve);
      // Before its server, whose absence it would notice.
      await page.close();
    }),

  complaints: [
    async ({ context, expectedComplaints }, use) => {
      const complaints: string[] = [];
      context.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning') {
          complaints.push(`${message.text()} (${message.location().url})`);
        }
      });
      context.on('weberror', (error) => complaints.push(String(error.error())));
      await use(complaints);
      const unexpected = complaints.filter((text) => !expectedComplaints.test(text));
      expect([...new Set(unexpected)], 'the browser complained').toEqual([]);
    },
    { auto: true },
  ],

  // A test that fails says how its pages stood.
  stood: [
    async ({ context }, use, info) => {
      await use();
      if (info.status === info.expectedStatus) return;
      const how = await Promise.all(context.pages().map((page) =>
        page.evaluate(() => {
          const say = (selector: string) => document.querySelector(`${selector}:not([hidden])`)?.textContent?.trim();
          const [live, banner] = [say('.live-badge'), say('#live-banner')];
          const asked = (performance.getEntriesByType('resource') as PerformanceResourceTiming[]).slice(-12).map(
            ({ name, startTime, duration, responseStatus }) => `${Math.round(startTime)}+${Math.round(duration)} ${responseStatus} ${name}`);
          const now = Math.round(performance.now());
          return JSON.stringify({ at: location.href, live, banner, hidden: document.hidden, title: document.title, now, asked }, null, 1);
        }).catch(String)));
      await info.attach('pages', { body: how.join('\n'), contentType: 'text/plain' });
    },
    { auto: true },
  ],

  slow: [
    async ({ context }, use) => {
      if (SLOW_MS) await slowDown(context, SLOW_MS);
      await use();
      if (SLOW_MS) await context.unrouteAll({ behavior: 'ignoreErrors' });
    },
    { auto: true },
  ],
});

/** By how much what pages ask for comes later, where somebody looks for tests that pass only because it comes at once. */
const SLOW_MS = Number(process.env['SLOW_MS'] ?? 0);

/** What our pages ask for comes late: half of the time passes before the server hears of it, and half after. */
async function slowDown(context: BrowserContext, ms: number): Promise<void> {
  const pass = () => new Promise((passed) => setTimeout(passed, ms / 2));
  await context.route('http://127.0.0.1:*/**', async (route) => {
    const request = route.request();
    // What pages elsewhere may read of it is for the browser to say.
    const isOurs = request.frame().url().startsWith(`${new URL(request.url()).origin}/`);
    if (request.resourceType() !== 'fetch' || !isOurs) return route.fallback();
    await pass();
    const response = await route.fetch({ maxRedirects: 0 }).catch(() => null);
    await pass();
    // Where nobody answers the browser finds out by itself.
    await (response ? route.fulfill({ response }) : route.continue()).catch(() => {});
  });
}

export { expect };

/** Opens a page and waits until it is alive. */
export async function open(page: Page, address: string): Promise<void> {
  const response = await page.goto(address);
  expect(response?.status(), address).toBe(200);
  await alive(page);
}

/** Waits until the page answers to clicks: the script says so on the root element. */
export async function alive(page: Page): Promise<void> {
  await expect(page.locator('html')).toHaveAttribute('data-scripted', /.*/, { timeout: 60_000 });
}

let names = 0;

const MARK = process.pid.toString(36);

/** A name that no other test uses, on either worker. */
export function unique(stem: string): string {
  names += 1;
  return `${stem}-${MARK}-${names}`;
}

/** Every such name in a text, with what tests put around it to name what belongs to it: a program serves the tests of one process. */
export const UNIQUE = new RegExp(`[\\w.:-]+-${MARK}-\\d+[\\w.:-]*`, 'g');

/** All rules, and the one of WCAG 2.2 that axe leaves off: a target is 24 pixels wide and high, or has room around it. */
const EVERYTHING = { rules: { 'target-size': { enabled: true } } };
const COLOURS = { runOnly: ['color-contrast'] };

/** Fails with what axe finds serious or critical. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await grave(page, EVERYTHING), 'axe').toEqual([]);
}

/** {@link expectAccessible} in the light and in the dark: the page is read once, and its colours once more. */
export async function expectAccessibleInBoth(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' });
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await grave(page, COLOURS), 'axe in the dark').toEqual([]);
  await page.emulateMedia({ colorScheme: null });
}

/** What axe finds serious or critical, in words with the elements. */
async function grave(page: Page, rules: typeof EVERYTHING | typeof COLOURS): Promise<string[]> {
  // A colour on its way to another one, as after a change of the theme, is neither.
  const changes = await page.evaluateHandle(async () => {
    const transitions = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
    await Promise.allSettled(transitions.map(({ finished }) => finished));
    const seen = { count: 0 };
    new MutationObserver(() => { seen.count += 1; }).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
    return seen;
  });
  // What is well need not be told, which takes a fifth of the time. Without frames from elsewhere there is nothing to put together in a page of its own, which would take as long again.
  const read = () => new AxeBuilder({ page }).setLegacyMode().options({ ...rules, resultTypes: ['violations'] }).analyze();
  // What is where is measured first, and judged later: a page that moved in between has text where none is.
  const moved = () => changes.evaluate((seen) => {
    const { count } = seen;
    seen.count = 0;
    return count > 0;
  });
  let { violations } = await read();
  for (let again = 0; violations.length > 0 && again < 3 && (await moved()); again += 1) ({ violations } = await read());
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => `${id}: ${help}\n${nodes.map(({ html, any }) => `  ${html} ${any.map(({ message }) => message).join('; ')}`).join('\n')}`);
}
