import { defineConfig } from '@playwright/test';
import tests from './playwright.config.ts';
import type { Choice } from './support/visitor.ts';

/** Core stories in browsers that Playwright does not drive; `cargo xtask nightly browsers` runs it. */
export default defineConfig<object, Choice>({
  ...tests,
  testDir: 'browsers',
  // One browser beside the other. The stories of one follow each other: on a display without a window manager, two of its
  // windows would take the focus from each other.
  fullyParallel: false,
  projects: [
    { name: 'firefox', use: { engine: 'firefox' } },
    { name: 'webkitgtk', use: { engine: 'webkitgtk' } },
  ],
});
