import { Api } from '../support/api.ts';
import { houseTest as test } from '../support/house.ts';
import { invite, signIn } from '../support/people.ts';
import { expect, expectAccessible, open } from '../support/reprieve.ts';

test('what somebody may not do says why without a pointer too, and does nothing', async ({ page, browser, house }) => {
  await signIn(page, house);
  const theirs = await (await browser.newContext()).newPage();
  await invite(page, theirs, house.address, 'vic', 'viewer');
  const { id } = await new Api(house.address).enqueue({ kind: 'ok.off', delay_ms: 3_600_000 });
  await open(theirs, `${house.address}/job/${id}`);
  const cancel = theirs.getByRole('main').getByRole('button', { name: 'Cancel', exact: true });
  await expect(cancel, 'it is there, and off').toBeDisabled();
  await cancel.focus();
  await expect(cancel).toBeFocused();
  await expect(cancel).toHaveAccessibleDescription(/jobs\.cancel/);
  const why = await cancel.evaluate((button) => getComputedStyle(button, '::after').content);
  expect(why, 'and is seen').toContain('jobs.cancel');
  await theirs.keyboard.press('Enter');
  await cancel.click({ force: true });
  await expect(theirs.getByRole('dialog')).toBeHidden();
  await expectAccessible(theirs);
  await theirs.context().close();
});

test('what is shown once is copied with a button', async ({ page, context, house }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await signIn(page, house);
  await open(page, `${house.address}/people`);
  await page.locator('#new-name').fill('vic');
  await page.getByRole('button', { name: 'Add and show the link' }).click();
  await expect(page.getByRole('heading', { name: 'The link for vic' })).toBeVisible();
  await page.getByRole('button', { name: 'Copy link' }).click();
  const link = await page.locator('.shown-once code').innerText();
  expect(link).toContain('/welcome?');
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(link);
});
