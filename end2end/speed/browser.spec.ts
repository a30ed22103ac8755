import { get, type IncomingMessage } from 'node:http';
import type { CDPSession, Page } from '@playwright/test';
import { alive, expect, programTest as test, unique, type Reprieve } from '../support/reprieve.ts';

/** How much slower than this machine the browser's processor is made: a cheap telephone. */
const SLOWDOWN = 4;
/** Loads of each page; the middle one counts. */
const LOADS = 5;
/** Rows that change at once. */
const ROWS = 200;
/** A frame that takes longer has left one out: they come every 16.7 ms. */
const LATE_MS = 25;
/** For how long a page is watched that has nothing to do. */
const REST_MS = 5_000;
/** Tabs that are open at once, in all and from one address: as many as a server allows. */
const TABS = 500;
const TABS_OF_ADDRESS = 10;
/** Jobs that wait while pages are opened, and how many come in one call. */
const WAITING = Number(process.env['SPEED_JOBS'] ?? 1_000_000);
const BATCH = 500;
/** For how long Redis is watched. */
const WATCH_MS = 20_000;

// Figures are reported, never judged: they say as much about the machine as about the program.

test('how soon a page is interactive, and what it transfers', async ({ browser, reprieve }) => {
  const { id } = await reprieve.api.enqueue({ kind: 'ok.speed', subject: 'resource:4711', payload: { order: 7 }, delay_ms: 3_600_000 });
  await reprieve.api.enqueueMany(Array.from({ length: 50 }, (_, n) => ({ kind: 'ok.speed', queue: 'speed', delay_ms: 3_600_000 + n })));
  for (const slowdown of [1, SLOWDOWN]) {
    for (const path of ['/', '/jobs/delay', `/job/${id}`, '/desk/resource:4711', '/forecast', '/settings']) {
      const loads: { interactive: number; bytes: number }[] = [];
      for (let n = 0; n < LOADS; n += 1) {
        // A context of its own: nothing is in its cache.
        const context = await browser.newContext();
        const page = await context.newPage();
        const session = await context.newCDPSession(page);
        await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
        const bytes = await transferred(session);
        const interactive = await whenAlive(page);
        await page.goto(reprieve.url(path));
        loads.push({ interactive: await interactive(), bytes: bytes() });
        await context.close();
      }
      report(`${path.replace(id, '…')}, processor ÷${slowdown}`, {
        interactive_ms: middle(loads.map(({ interactive }) => interactive)),
        transferred_kb: middle(loads.map(({ bytes }) => bytes)) / 1_000,
      });
    }
  }
});

test('how soon the first picture comes beside a million jobs', async ({ browser, reprieve }) => {
  test.setTimeout(30 * 60_000);
  const kinds = ['notice', 'delete_resource', 'invoice'];
  for (let first = 0; first < WAITING; first += BATCH) {
    await reprieve.api.enqueueMany(
      Array.from({ length: BATCH }, (_, n) => ({
        kind: kinds[n % kinds.length]!,
        queue: `queue-${n % 8}`,
        delay_ms: 3_600_000 + (first + n) * Math.floor((400 * 86_400_000) / WAITING),
      })),
    );
  }
  for (const path of ['/', '/jobs/delay', '/jobs/delay?q=due:<24h', '/forecast']) {
    const paints: number[] = [];
    for (let n = 0; n < LOADS; n += 1) {
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(reprieve.url(path));
      await alive(page);
      paints.push(await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN));
      await context.close();
    }
    report(`${path}, beside ${WAITING} jobs`, { first_picture_ms: middle(paints) });
  }
});

/** What changes every row of a list at once, and what each of them says then. */
const CHANGES = [
  {
    title: 'how long a frame takes in which 200 rows leave their list',
    change: (reprieve: Reprieve, subject: string) => reprieve.api.cancelSubject(subject),
    said: ['tr[data-left="true"] .cell-when', 'is now'],
  },
  {
    title: 'how long a frame takes in which 200 rows change in their list',
    change: async (reprieve: Reprieve, subject: string) => {
      const { id } = await reprieve.api.call<{ id: string }>('POST', '/bulk', { verb: 'reschedule', subject, shift_ms: 86_400_000 });
      await reprieve.api.call('POST', `/bulk/${id}/start`, { reason: 'a day later' });
    },
    said: ['.cell-own', 'a day later'],
  },
] as const;

for (const { title, change, said } of CHANGES) {
  test(title, async ({ page, reprieve }) => {
    const queue = unique('rows');
    const subject = `resource:${queue}`;
    // Due in days, as most of what waits: nothing of it counts seconds.
    await reprieve.api.enqueueMany(Array.from({ length: ROWS }, (_, n) => ({ kind: 'ok.rows', queue, subject, delay_ms: 3 * 86_400_000 + n })));
    await page.goto(reprieve.url(`/jobs/delay?queue=${queue}&size=${ROWS}`));
    await alive(page);
    await expect(page.locator('main tbody tr')).toHaveCount(ROWS);
    await page.evaluate(() => {
      const gaps: number[] = [];
      let last = performance.now();
      const frame = (now: number) => {
        gaps.push(now - last);
        last = now;
        requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
      new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => Object.assign(window, { longest: Math.max(duration, (window as { longest?: number }).longest ?? 0) }))).observe({ entryTypes: ['longtask'] });
      Object.assign(window, { gaps });
    });
    // What moves when a page becomes live has come to rest by then.
    await page.waitForTimeout(8_000);
    const session = await page.context().newCDPSession(page);
    // The processor's time alone, whatever else the machine does.
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    await page.evaluate(() => (window as unknown as { gaps: number[] }).gaps.splice(0));
    const resting = await worked(session);
    await page.waitForTimeout(REST_MS);
    const rested = await worked(session);
    const idle = await page.evaluate(() => Math.max(...(window as unknown as { gaps: number[] }).gaps.splice(0)));
    const [before, began] = [await worked(session), performance.now()];
    await change(reprieve, subject);
    // Looked for seldom, and in one go: what looks is work of the page as well.
    await page.waitForFunction(
      ([rows, [cell, word]]) => [...document.querySelectorAll(`main tbody ${cell}`)].filter(({ textContent }) => textContent?.includes(word)).length === rows,
      [ROWS, said] as const,
      { polling: 250, timeout: 30_000 },
    );
    const after = await worked(session);
    // Frames are counted and times go on meanwhile as they do at rest.
    const rests = (performance.now() - began) / REST_MS;
    const own = (of: 'ms' | 'script') => after[of] - before[of] - rests * (rested[of] - resting[of]);
    const { gap, late, task } = await page.evaluate((late) => {
      const seen = window as unknown as { gaps: number[]; longest?: number };
      return { gap: Math.max(...seen.gaps), late: seen.gaps.filter((gap) => gap > late).length, task: seen.longest ?? 0 };
    }, LATE_MS);
    // Below 50 ms the browser reports no task as long.
    report(title.replace(/.* (?=200)/, ''), {
      script_ms_a_row: own('script') / ROWS,
      work_ms: own('ms'),
      work_a_frame_ms: own('ms') / (after.layouts - before.layouts),
      frames: after.layouts - before.layouts,
      late_frames: late,
      longest_frame_ms: gap,
      longest_idle_frame_ms: idle,
      longest_task_ms: task,
      work_at_rest_ms_a_second: ((rested.ms - resting.ms) * 1_000) / REST_MS,
    });
  });
}

test('what 500 open tabs cost Redis and the server', async ({ reprieve }) => {
  test.skip(process.platform !== 'linux', 'tabs of several addresses on one machine need the whole of 127.0.0.0/8');
  const cost = async (tabs: number) => {
    const open = await Promise.all(Array.from({ length: tabs }, async (_, n) => tab(reprieve, n)));
    await settle();
    const before = await calls(reprieve);
    // Something happens, so that every tab has something to be told.
    const queue = unique('tabs');
    const until = Date.now() + WATCH_MS;
    let jobs = 0;
    while (Date.now() < until) {
      await reprieve.api.enqueueMany([{ kind: 'ok.tabs', queue, delay_ms: 3_600_000 }]);
      jobs += 1;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    const after = await calls(reprieve);
    report(`${tabs} tabs`, {
      redis_calls_per_s: ((after - before) * 1_000) / WATCH_MS,
      jobs_per_s: (jobs * 1_000) / WATCH_MS,
      server_rss_mb: (await reprieve.program.memory()) / 1e6,
      told_bytes_per_tab: open.reduce((sum, { told }) => sum + told(), 0) / tabs,
    });
    open.forEach(({ close }) => close());
    await settle();
  };
  await cost(1);
  await cost(TABS);
});

/** For how long the page has worked so far, drawing included, and its scripts alone, in ms; and how many frames it has laid out. */
async function worked(session: CDPSession): Promise<{ ms: number; script: number; layouts: number }> {
  const { metrics } = await session.send('Performance.getMetrics');
  const of = (metric: string) => metrics.find(({ name }) => name === metric)?.value ?? Number.NaN;
  return { ms: of('TaskDuration') * 1_000, script: of('ScriptDuration') * 1_000, layouts: of('LayoutCount') };
}

/** One tab's stream of events, from an address that it shares with nine others. */
async function tab(reprieve: Reprieve, place: number): Promise<{ told: () => number; close: () => void }> {
  const localAddress = `127.0.0.${2 + Math.floor(place / TABS_OF_ADDRESS)}`;
  let told = 0;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(`${reprieve.program.address}/events`, { localAddress, headers: { accept: 'text/event-stream' } }, resolve).on('error', reject);
  });
  expect(response.statusCode, `the stream of tab ${place}`).toBe(200);
  response.on('data', (chunk: Buffer) => (told += chunk.length)).on('error', () => undefined);
  return { told: () => told, close: () => response.destroy() };
}

/** How many calls Redis has answered so far. */
async function calls(reprieve: Reprieve): Promise<number> {
  return Number(/total_commands_processed:(\d+)/.exec(await reprieve.program.redis('INFO', 'stats'))?.[1]);
}

/** Time for streams to open or close; there is nothing to wait on. */
async function settle(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 2_000));
}

/** Counts what comes over the wire, compressed. */
async function transferred(session: CDPSession): Promise<() => number> {
  let bytes = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  await session.send('Network.enable');
  return () => bytes;
}

/** Has the page tell when it became alive, in ms since it was asked for. Nothing asks it meanwhile: that would slow it. */
async function whenAlive(page: Page): Promise<() => Promise<number>> {
  let tell = (_: number): void => undefined;
  const told = new Promise<number>((resolve) => {
    tell = resolve;
  });
  await page.exposeFunction('becameAlive', (ms: number) => tell(ms));
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      if (document.documentElement?.hasAttribute('data-scripted') !== true) return;
      observer.disconnect();
      (window as unknown as { becameAlive: (ms: number) => void }).becameAlive(performance.now());
    }).observe(document, { attributes: true, subtree: true, attributeFilter: ['data-scripted'] });
  });
  return () => told;
}

function middle(figures: number[]): number {
  return [...figures].sort((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN;
}

function report(what: string, figures: Record<string, number>): void {
  const said = Object.entries(figures).map(([name, figure]) => `${name}=${figure.toFixed(figure < 10 ? 2 : 0)}`);
  console.log(`speed: ${what}: ${said.join(' ')}`);
}
