import { defineConfig } from '@playwright/test';
import tests from './playwright.config.ts';

/** Takes the pictures of docs/screenshots; `cargo xtask screenshots` runs it. */
export default defineConfig({
  ...tests,
  testDir: 'screenshots',
  // One after the other: all of them look at one demo.
  workers: 1,
  use: { ...tests.use, screenshot: 'off', trace: 'off' },
});
