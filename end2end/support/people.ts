import { expect, type Page } from '@playwright/test';
import type { Program } from './program.ts';

/** A password that the rules take. */
export const PASSWORD = 'four words nobody guesses';

/** Has the page's browser signed in as the first admin. */
export async function signIn(page: Page, program: Program): Promise<void> {
  // It answers as soon as it has said where to begin, which may be heard after the answer.
  const key = () => /\/first\?key=(\w+)/.exec(program.log())?.[1] ?? '';
  await expect.poll(key, 'the link of the first admin').not.toBe('');
  const form = { key: key(), name: 'ann', password: PASSWORD, again: PASSWORD };
  await page.request.post(`${program.address}/first`, { form, headers: { origin: program.address } });
  await page.goto(`${program.address}/`);
  // In whatever language: nobody else is shown the number of jobs.
  await expect(page.locator('.overview')).toBeVisible();
}

/** The person on one page invites somebody, who signs in on another. */
export async function invite(admin: Page, theirs: Page, address: string, name: string, role: string): Promise<void> {
  const added = await admin.request.post(`${address}/people/add`, {
    form: { name, role },
    headers: { origin: address, accept: 'text/html' },
  });
  expect(added.status()).toBe(200);
  const link = (await added.text()).replaceAll('&amp;', '&').match(/http:[^"<\s]+\/welcome\?[^"<\s]+/)?.[0];
  if (!link) throw new Error('no link to come in by');
  await theirs.goto(link);
  await theirs.getByLabel('New password', { exact: true }).fill(PASSWORD);
  await theirs.getByLabel('New password once more').fill(PASSWORD);
  await theirs.getByRole('button').last().click();
  // A page that is left before the answer has come is not signed in.
  await theirs.waitForURL(({ pathname }) => pathname !== '/welcome');
  await expect(theirs.locator('.account-link')).toHaveText(name);
}
