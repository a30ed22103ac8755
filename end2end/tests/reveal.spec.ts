import type { Page } from '@playwright/test';
import { expect, expectAccessible, open, running, test as base, unique, type Reprieve } from '../support/reprieve.ts';

const HOUR_MS = 3_600_000;

/** Rules of redaction hold for everybody, so these tests have a program of their own. */
const test = base.extend<object, { reprieve: Reprieve }>({
  reprieve: [async ({}, use) => running({}, use), { scope: 'worker' }],
});

/** A job with a card number that a rule hides. */
async function hidden(page: Page, reprieve: Reprieve): Promise<{ id: string; queue: string; secret: string }> {
  const [queue, secret] = [unique('reveal'), unique('s3cr3t')];
  const rule = { kinds: '*', path: 'card.number', keep: 0 };
  const set = await page.request.post(reprieve.url('/api/v1/settings/redaction'), { data: { value: [rule] } });
  expect(set.ok(), await set.text()).toBe(true);
  const { id } = await reprieve.api.enqueue({ kind: 'ok.reveal', queue, payload: { card: { number: secret }, n: 1 }, delay_ms: HOUR_MS });
  return { id, queue, secret };
}

/** Asks for the look with a reason. */
async function look(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Reveal /card/number' }).click();
  const dialog = page.getByRole('dialog', { name: 'Reveal /card/number' });
  await dialog.getByLabel('Reason').selectOption({ index: 1 });
  await dialog.getByLabel('Ticket').fill('8812');
  await dialog.getByRole('button', { name: 'Reveal', exact: true }).click();
}

/** The look stands in the audit, without what was seen. */
async function isWrittenDown(page: Page, reprieve: Reprieve, secret: string): Promise<void> {
  await page.goto(reprieve.url('/audit'));
  const entry = page.getByRole('row').filter({ hasText: 'Look at a hidden part' }).first();
  await expect(entry).toContainText(/ticket 8812/i);
  expect(await page.content()).not.toContain(secret);
}

test.describe('with scripts', () => {
  test('after a minute it is hidden again', async ({ page, reprieve }) => {
    const { id, secret } = await hidden(page, reprieve);
    await page.clock.install();
    await open(page, reprieve.url(`/job/${id}`));
    await look(page);
    const shown = page.getByText(secret);
    await expect(shown).toBeVisible();
    await page.clock.fastForward(61_000);
    await expect(shown).toHaveCount(0);
  });

  for (const place of ['on its page', 'beside its list'] as const) {
    test(`a hidden part is shown ${place} until it is left`, async ({ page, reprieve }) => {
      const { id, queue, secret } = await hidden(page, reprieve);
      const path = place === 'on its page' ? `/job/${id}` : `/jobs/delay?queue=${queue}&open=${id}`;
      await open(page, reprieve.url(path));
      const before = page.url();
      expect(await page.content()).not.toContain(secret);

      await page.getByRole('button', { name: 'Reveal /card/number' }).click();
      // Beside its list it is the same.
      if (place === 'on its page') await expectAccessible(page);
      await page.keyboard.press('Escape');
      await look(page);

      const shown = page.getByText(secret);
      await expect(shown).toBeVisible();
      await expect(page.locator('.revealed-mark')).toHaveText('Revealed to you and written down; kept nowhere');
      await expect(page.getByTestId('voice'), 'heard as well').toContainText('Revealed to you');
      await expect(page.getByRole('dialog', { name: 'Reveal /card/number' })).toBeHidden();
      if (place === 'on its page') await expectAccessible(page);
      expect(page.url()).toBe(before);
      const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, history.state]));
      expect(stored).not.toContain(secret);

      await page.getByRole('button', { name: 'Hide it again' }).click();
      await expect(shown).toHaveCount(0);
      await look(page);
      await expect(shown).toBeVisible();
      await page.reload();
      await expect(page.getByRole('button', { name: 'Reveal /card/number' })).toBeVisible();
      expect(await page.content(), 'it is gone on reload').not.toContain(secret);
      await isWrittenDown(page, reprieve, secret);
    });
  }
});

test.describe('without a reason', () => {
  test.use({ expectedComplaints: /status of 422/ });

  test('nothing is shown, and the form says so', async ({ page, reprieve }) => {
    const { id, secret } = await hidden(page, reprieve);
    await open(page, reprieve.url(`/job/${id}`));
    await page.getByRole('button', { name: 'Reveal /card/number' }).click();
    const dialog = page.getByRole('dialog', { name: 'Reveal /card/number' });
    await dialog.getByLabel('Reason').selectOption({ label: 'Other' });
    // Without the browser's own check: the server asks as well.
    await dialog.locator('form').evaluate((form: HTMLFormElement) => { form.noValidate = true; });
    await dialog.getByRole('button', { name: 'Reveal', exact: true }).click();
    await expect(dialog.getByLabel('Note')).toHaveAccessibleDescription(/at least 10 characters/);
    await expect(dialog.getByLabel('Note')).toBeFocused();
    expect(await page.content()).not.toContain(secret);
  });
});

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false });

  test('a page of its own shows it once', async ({ page, reprieve }) => {
    const { id, secret } = await hidden(page, reprieve);
    await page.goto(reprieve.url(`/job/${id}`));
    await look(page);

    await expect(page.getByRole('heading', { name: 'Reveal /card/number', level: 1 })).toBeVisible();
    await expect(page.getByText(secret)).toBeVisible();
    expect(page.url()).not.toContain(secret);
    await page.getByRole('link', { name: 'Back to the job' }).click();
    await expect(page).toHaveURL(reprieve.url(`/job/${id}`));
    expect(await page.content()).not.toContain(secret);
    await isWrittenDown(page, reprieve, secret);
  });
});
