import type { Locator, Page } from '@playwright/test';
import { Api } from '../support/api.ts';
import { claimed } from '../support/planted.ts';
import { Program } from '../support/program.ts';
import { expect, expectAccessible, open, test, unique } from '../support/reprieve.ts';

/** The card of the program's own worker: others claim by calls, and nobody knows their process. */
function own(page: Page): Locator {
  return page.getByRole('article').filter({ has: page.getByText('Process', { exact: true }) }).first();
}

for (const scripts of [true, false]) {
  test.describe(scripts ? 'with scripts' : 'without scripts', () => {
    test.use({ javaScriptEnabled: scripts });

    test('a worker is quieted, which its card says, and resumed', async ({ page, reprieve }) => {
      const read = async () => {
        if (scripts) await open(page, reprieve.url('/workers'));
        else await page.goto(reprieve.url('/workers'));
      };
      await read();
      const worker = own(page);
      await expect(worker.getByText('Live', { exact: true })).toBeVisible();
      await worker.getByRole('button', { name: /^Stop taking jobs/ }).click();
      await expect(page.getByText(/^Told\. It finishes what it has/).and(page.locator(':visible')).first()).toBeVisible();
      await expect
        .poll(async () => {
          if (!scripts) await read();
          return worker.locator('.standing').innerText();
        }, { timeout: 60_000 })
        .toBe('Quiet: finishing');
      await worker.getByRole('button', { name: /^Resume/ }).click();
      await expect
        .poll(async () => {
          if (!scripts) await read();
          return worker.locator('.standing').innerText();
        }, { timeout: 60_000 })
        .toBe('Live');
    });
  });
}

test('a job in the hands of a worker is on its card, and a stop says what it would return', async ({ page, reprieve }) => {
  const { id } = await reprieve.api.enqueue({ kind: 'hold.hands', queue: unique('hands') });
  await reprieve.receiver.first(id);
  await open(page, reprieve.url('/workers'));
  const worker = own(page);
  await worker.getByText(/^Running \d+ jobs?$/).click({ timeout: 60_000 });
  await expect(worker.locator(`a[href^="/job/${id}"]`)).toBeVisible();
  await worker.getByRole('button', { name: 'Stop worker' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('Stop this worker?');
  await expect(dialog.getByRole('listitem')).toContainText(['hold.hands']);
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(worker.getByRole('button', { name: 'Stop worker' }), 'focus returns').toBeFocused();
  reprieve.receiver.release();
});

test.describe('a stop that does not get through', () => {
  test.use({ expectedComplaints: /net::ERR_FAILED/ });

  test('is said in the dialog, which stays open', async ({ page, reprieve }) => {
    await open(page, reprieve.url('/workers'));
    const worker = own(page);
    await worker.getByRole('button', { name: 'Stop worker' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Note').fill('typed');
    await page.route(/order_worker/, (route) => route.abort(), { times: 1 });
    await dialog.getByRole('button', { name: 'Stop worker' }).click();
    await expect(dialog.getByRole('alert')).toBeVisible();
    await expect(dialog.getByLabel('Note')).toHaveValue('typed');
    await expect(page.locator('.notice')).toHaveCount(0);
  });
});

test('a queue that nobody works on is a banner with its jobs', async ({ page }) => {
  // Without a webhook it has no worker.
  const program = await Program.start('serve');
  try {
    await open(page, `${program.address}/workers`);
    await new Api(program.address).enqueue({ kind: 'unheard.of', queue: 'nobody' });
    const banner = page.getByRole('note').filter({ hasText: 'No workers for queue nobody: 1 ready job waits.' });
    await expect(banner).toBeVisible();
    await expect(page.getByTestId('voice')).toHaveText('No workers for queue nobody: 1 ready job waits.', { timeout: 60_000 });
    await expectAccessible(page);
    await banner.getByRole('link', { name: 'See them' }).click();
    await expect(page).toHaveURL(/\/jobs\/ready\?queue=nobody/);
  } finally {
    // Before its server, whose absence it would notice.
    await page.close();
    await program.stop();
  }
});

test.describe('without Redis', () => {
  test.use({ expectedComplaints: /503|Failed to load resource/ });

  test('what is known stays, without its colours, until it is read again', async ({ page, alone: reprieve }) => {
    await open(page, reprieve.url('/workers'));
    const fleet = page.locator('.fleet');
    await expect(fleet).toHaveCSS('filter', 'none');
    await reprieve.program.redis('CLIENT', 'PAUSE', '15000', 'ALL');
    await expect(page.locator('.error-panel')).toContainText('Redis', { timeout: 60_000 });
    await expect(fleet).toHaveCSS('filter', 'grayscale(1)');
    await expect(page.locator('.error-panel')).toHaveCount(0, { timeout: 60_000 });
    await expect(fleet).toHaveCSS('filter', 'none');
  });
});

test('with the keyboard: to the workers', async ({ page, reprieve }) => {
  await open(page, reprieve.url('/'));
  await page.keyboard.press('g');
  await page.keyboard.press('w');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Workers');
});

test('a job says for how long its worker was not heard, and when it is taken back', async ({ page, reprieve }) => {
  const { id } = await claimed(reprieve.api, 'far-away', 600_000);
  await open(page, reprieve.url(`/job/${id}`));
  await expect(page.locator('.job-head [data-state]').first()).toHaveText(/Active/);
  await expect(page.getByText(/has not been heard from/), 'nobody ever heard of it: its lease alone tells').toHaveCount(0);

  // As of one that heartbeats: a worker that claims by calls is not expected to be heard before its lease ends.
  await reprieve.program.redis('DEL', 'reprieve:{default}:worker:far-away');
  await reprieve.program.redis('ZADD', 'reprieve:{default}:workers', String(Date.now() - 22_000), 'far-away');
  // The page shows it; a screen reader hears it as well, from another place.
  const banner = page.getByRole('main').getByText(/^far-away has not been heard from for (2[2-9]|[3-5]\d) s\. Unless it reports, the job is taken back in 5\d\d s\.$/);
  await expect(banner).toBeVisible({ timeout: 60_000 });
});

test('the overview says how many forwarders there are and whether they are behind', async ({ page }) => {
  const program = await Program.start('serve');
  try {
    await open(page, `${program.address}/`);
    const health = page.locator('.health').getByText('one, on time');
    await expect(health).toBeVisible({ timeout: 60_000 });
  } finally {
    await page.close();
    await program.stop();
  }
});
