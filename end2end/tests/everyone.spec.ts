import { expect, expectAccessible, open, test, unique } from '../support/reprieve.ts';
import { LISTS, Screens } from '../support/screens.ts';

const HOUR_MS = 3_600_000;

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme });

    test('axe finds nothing serious on any page', async ({ page, reprieve }) => {
      const { api, receiver } = reprieve;
      const queue = unique('axe');
      const [waiting, cancelled] = await api.enqueueMany([
        { kind: 'ok.axe', queue, subject: `resource:${queue}`, payload: { order: 7 }, delay_ms: HOUR_MS },
        { kind: 'ok.axe', queue, subject: `resource:${queue}`, delay_ms: HOUR_MS },
        { kind: 'ok.axe', queue },
        { kind: 'fatal.axe', queue },
        { kind: 'hold.axe', queue },
        { kind: 'ok.axe', queue, delay_ms: HOUR_MS, id: `${queue}-held` },
      ]);
      if (!waiting || !cancelled) throw new Error('nothing was enqueued');
      await api.cancel(cancelled.id);
      await api.hold(`${queue}-held`);

      const jobs = [waiting.id, cancelled.id, `${queue}-held`].map((id) => `/job/${id}`);
      for (const path of ['/', ...LISTS.map((list) => `/jobs/${list}`), ...jobs]) {
        await test.step(path, async () => {
          await open(page, reprieve.url(path));
          await expectAccessible(page);
        });
      }
      const screens = new Screens(page, reprieve.program.address);
      await screens.job(waiting.id);
      await screens.openCancel();
      await expectAccessible(page);
      receiver.release();
    });
  });
}

test('a job is found, called off and put back with the keyboard alone', async ({ page, reprieve }) => {
  const screens = new Screens(page, reprieve.program.address);
  const queue = unique('keys');
  const { id } = await reprieve.api.enqueue({ kind: 'ok.keys', queue, delay_ms: HOUR_MS });
  await screens.list('delay', queue);

  await tabTo(page, screens.link(id));
  await page.keyboard.press('Enter');
  await expect(screens.state()).toHaveText(/Delayed/);

  await tabTo(page, screens.cancelButton());
  await page.keyboard.press('Enter');
  await expect(screens.dialog()).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(screens.dialog()).toBeHidden();
  await expect(screens.cancelButton(), 'focus returns').toBeFocused();

  await page.keyboard.press('Enter');
  await tabTo(page, screens.dialog().getByRole('button', { name: 'Cancel job' }));
  await page.keyboard.press('Enter');
  await expect(screens.state()).toHaveText(/Cancelled/);

  await tabTo(page, screens.undoButton());
  await page.keyboard.press('Enter');
  await expect(screens.state()).toHaveText(/Delayed/);
});

/** Presses Tab until a control has the focus, as a person would. */
async function tabTo(page: import('@playwright/test').Page, control: import('@playwright/test').Locator): Promise<void> {
  for (let presses = 0; presses < 80; presses += 1) {
    if (await control.evaluate((element) => element === document.activeElement).catch(() => false)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error('the control cannot be reached with Tab');
}

test('the page is guarded by a strict policy', async ({ request, reprieve }) => {
  const response = await request.get(reprieve.url('/'));
  const policy = response.headers()['content-security-policy'] ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toMatch(/script-src [^;]*'nonce-/);
  expect(policy).not.toContain("'unsafe-inline'");
  expect(policy).not.toContain("'unsafe-eval'");
  expect(await response.text(), 'inline styles would be blocked').not.toMatch(/<[a-z][^>]* style="/);
});

test('a theme lasts, and no other one flashes first', async ({ page, reprieve }) => {
  await open(page, reprieve.url('/'));
  await page.getByRole('button', { name: 'Dark theme' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expect
    .poll(async () => (await page.context().cookies()).find(({ name }) => name === 'theme')?.value)
    .toBe('dark');

  const html = await (await page.request.get(reprieve.url('/'))).text();
  expect(html).toMatch(/<html[^>]*data-theme="dark"/);
});
