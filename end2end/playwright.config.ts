import { availableParallelism } from 'node:os';

import { defineConfig } from '@playwright/test';

/** A test that takes longer than this waits for something that will not come. */
const TEST_MS = 180_000;

export default defineConfig({
  testDir: 'tests',
  fullyParallel: true,
  forbidOnly: Boolean(process.env['CI']),
  // No second chance: a test that passes at times hides a race that users meet.
  retries: 0,
  // Each worker has a program, a Redis and a browser of its own. Most of what a test takes is waiting, so there is
  // one more than cores; with another one they wait for each other.
  workers: availableParallelism() + 1,
  timeout: TEST_MS,
  globalTimeout: 35 * 60_000,
  // As long as a busy machine may take for what must come: nothing that passes waits for it.
  expect: { timeout: 30_000 },
  reporter: [['list']],
  use: {
    locale: 'en-GB',
    timezoneId: 'UTC',
    viewport: { width: 1280, height: 900 },
    screenshot: 'only-on-failure',
    // To record what a test saw takes more than a third of its time: set it to look for a fault.
    trace: process.env['TRACE'] ? 'retain-on-failure' : 'off',
    launchOptions: {
      // Named by `cargo xtask test`; without it Playwright uses its own.
      executablePath: process.env['CHROMIUM'] || undefined,
      args: [
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
});
