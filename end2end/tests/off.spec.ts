import { Api } from '../support/api.ts';
import { houseTest as test } from '../support/house.ts';
import { invite, signIn } from '../support/people.ts';
import { expect, expectAccessible, open } from '../support/reprieve.ts';

test('what somebody may not do says why to whoever has no pointer, and does nothing', async ({ page, browser, house }) => {
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
