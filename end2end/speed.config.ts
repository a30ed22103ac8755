import { defineConfig } from '@playwright/test';
import tests from './playwright.config.ts';

/** Measures the screens in the browser; `cargo xtask speed` runs it against what ships. */
export default defineConfig({
  ...tests,
  testDir: 'speed',
  // One after the other: each figure has the machine to itself.
  workers: 1,
  timeout: 10 * 60_000,
  use: { ...tests.use, screenshot: 'off', trace: 'off' },
});
