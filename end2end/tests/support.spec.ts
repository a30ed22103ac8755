import { invite, PASSWORD, signIn } from '../support/people.ts';
import { Program } from '../support/program.ts';
import { alive, expect, expectAccessible, test as base } from '../support/reprieve.ts';

/** A program that asks everybody to sign in. */
const test = base.extend<object, { house: Program }>({
  house: [
    async ({}, use) => {
      const program = await Program.start('serve', '--login', 'required');
      await use(program);
      await program.stop();
      expect(program.log(), 'the program panicked').not.toContain('panicked');
    },
    { scope: 'worker' },
  ],
});

test('support comes in at its desk, and every way from there leads somewhere', async ({ page, browser, house }) => {
  await signIn(page, house);
  const context = await browser.newContext();
  const theirs = await context.newPage();
  await invite(page, theirs, house.address, 'sue', 'support');

  await expect(theirs.getByRole('heading', { level: 1, name: 'Support desk' })).toBeVisible();
  await expect(theirs).toHaveURL(`${house.address}/desk`);
  // Pages that replace each other from here on are alive, too.
  await alive(theirs);
  const pages = theirs.getByRole('navigation', { name: 'Pages' });
  await expect(pages.getByRole('listitem')).toHaveText(['Support desk', 'Forecast', 'Audit']);
  await expectAccessible(theirs);
  for (const [name, heading] of [
    ['Forecast', 'Forecast'],
    ['Audit', 'Audit'],
    ['Support desk', 'Support desk'],
  ] as const) {
    await pages.getByRole('link', { name }).click();
    await expect(theirs.getByRole('heading', { level: 1, name: heading })).toBeVisible();
    await expect(theirs.locator('[data-error]')).toHaveCount(0);
  }
  await pages.getByRole('link', { name: 'Forecast' }).click();
  await expect(theirs.getByRole('heading', { level: 1, name: 'Forecast' })).toBeVisible();
  await theirs.keyboard.press('/');
  await expect(theirs.getByRole('searchbox', { name: 'Find by number' })).toBeFocused();
  await theirs.keyboard.type('4711');
  await theirs.keyboard.press('Enter');
  await expect(theirs, 'the search of the top bar').toHaveURL(`${house.address}/desk?find=4711`);
  await expect(theirs.getByText('Nothing is known of “4711”.')).toBeVisible();
  await pages.getByRole('link', { name: 'Reprieve' }).click();
  await expect(theirs, 'home is the desk').toHaveURL(`${house.address}/desk`);
  await theirs.getByRole('link', { name: 'sue' }).click();
  await expect(theirs).toHaveURL(`${house.address}/account`);

  await theirs.getByRole('button', { name: 'Sign out' }).click();
  await expect(theirs.getByText('You are signed out'), 'before they go on').toBeVisible();
  await theirs.goto(`${house.address}/forecast?view=week`);
  await theirs.getByLabel('Name').fill('sue');
  await theirs.getByLabel('Password').fill(PASSWORD);
  await theirs.getByRole('button', { name: 'Sign in' }).click();
  await expect(theirs, 'where they were on the way to').toHaveURL(`${house.address}/forecast?view=week`);
  await context.close();
});
