import { invite, PASSWORD } from '../support/people.ts';
import { Program } from '../support/program.ts';
import { expect, expectAccessible, open, test as base } from '../support/reprieve.ts';

/** A program that asks everybody to sign in, and its first admin. */
const test = base.extend<object, { house: Program }>({
  house: [
    async ({ browser }, use) => {
      const program = await Program.start('serve', '--login', 'required');
      const link = program.log().match(/http:\S+\/first\?key=\w+/)?.[0];
      if (!link) throw new Error(`no link for the first admin: ${program.log()}`);
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(link);
      await expectAccessible(page);
      await page.getByLabel('Name').fill('ann');
      await page.getByLabel('New password', { exact: true }).fill(PASSWORD);
      await page.getByLabel('New password once more').fill(PASSWORD);
      await page.getByRole('button', { name: 'Begin' }).click();
      await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible();
      await page.goto(link);
      await expect(page.getByText('this link is good once'), 'the link is good once').toBeVisible();
      await expect(page.getByLabel('Name')).toHaveCount(0);
      await expectAccessible(page);
      await context.close();
      await use(program);
      await program.stop();
      expect(program.log(), 'the program panicked').not.toContain('panicked');
    },
    { scope: 'worker' },
  ],
});

test('nothing is seen before the sign-in, and a wrong password says no more than that', async ({ page, house }) => {
  await page.goto(`${house.address}/jobs/dead`);
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await expectAccessible(page);
  await page.getByLabel('Name').fill('ann');
  await page.getByLabel('Password').fill('not this one, surely');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('alert')).toHaveText('Name, password or code is not right.');
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await page.getByLabel('Name').fill('ann');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page, 'where they wanted to go').toHaveURL(`${house.address}/jobs/dead`);
  for (const path of ['/people', '/account']) {
    await open(page, `${house.address}${path}`);
    await expectAccessible(page);
  }
});

test('a token is shown, however often it was asked for', async ({ page, house }) => {
  await page.goto(`${house.address}/login`);
  await page.getByLabel('Name').fill('ann');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.locator('.account-link')).toHaveText('ann');
  await open(page, `${house.address}/people`);
  await page.getByText('Make a token').first().click();
  await page.getByLabel('Name of the token').fill('twice');
  await page.getByText('view', { exact: true }).click();
  await page.getByRole('button', { name: 'Make it and show it' }).dblclick();
  await expect(page.getByRole('heading', { name: 'The token twice' })).toBeVisible();
});

test('a person is invited, comes in with their own rights, and is out at once when they are disabled', async ({ page, browser, house }) => {
  await page.goto(`${house.address}/login`);
  await page.getByLabel('Name').fill('ann');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.locator('.account-link')).toHaveText('ann');
  const theirs = await (await browser.newContext()).newPage();
  await invite(page, theirs, house.address, 'vic', 'viewer');
  await open(theirs, `${house.address}/jobs/delay`);
  const refused = await theirs.request.get(`${house.address}/redis`);
  expect(refused.status(), 'not for a viewer').toBe(403);

  const disabled = await page.request.post(`${house.address}/people/disable`, {
    form: { name: 'vic', disabled: '1' },
    headers: { origin: house.address, accept: 'text/html' },
  });
  expect(disabled.ok()).toBe(true);
  await theirs.goto(`${house.address}/jobs/delay`);
  await expect(theirs.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await theirs.context().close();
});
