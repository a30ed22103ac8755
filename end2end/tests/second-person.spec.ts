import { Api } from '../support/api.ts';
import { houseTest } from '../support/house.ts';
import { invite, signIn } from '../support/people.ts';
import { expect, expectAccessible, expectAccessibleInBoth, open } from '../support/reprieve.ts';

const HOUR_MS = 3_600_000;

// At the end a job is looked for that is gone.
const test = houseTest.extend({ expectedComplaints: /404/ });

test('what one asks to be deleted is deleted by somebody else', async ({ page, browser, house }) => {
  test.slow();
  const api = new Api(house.address);
  for (const id of ['one', 'two', 'three']) {
    await api.enqueue({ kind: 'k', id, queue: 'mail', delay_ms: HOUR_MS });
    await api.cancel(id);
  }
  await signIn(page, house);
  const bobs = await browser.newContext();
  const theirs = await bobs.newPage();
  await invite(page, theirs, house.address, 'bob', 'operator');

  await open(page, `${house.address}/settings`);
  const section = page.getByRole('region', { name: 'Deleting' });
  await section.getByRole('button', { name: 'Need two people' }).click();
  await expect(section.getByText('Two people are needed.')).toBeVisible();

  await open(page, `${house.address}/job/one`);
  await expect(page.locator('button[data-key=D]')).toHaveAttribute('title', /Deleting needs two people/);

  await open(page, `${house.address}/jobs/cancelled?queue=mail`);
  await page.getByRole('checkbox', { name: 'Tick all on this page (a)' }).check();
  await page.getByRole('button', { name: 'Delete permanently' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Delete 3 jobs permanently');
  await expect(page.getByText('somebody else has to start this run within a day')).toBeVisible();
  await page.getByLabel('Note').fill('the import was wrong');
  await page.getByRole('button', { name: 'Ask for 3 jobs to be deleted' }).click();
  await expect(page.getByText('Waits for a second person')).toBeVisible();
  await expect(page.getByText(/^You asked for this/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Delete 3 jobs permanently' }), 'they have done what they can').toHaveCount(0);
  await expectAccessible(page);

  await open(theirs, `${house.address}/`);
  const asked = theirs.getByRole('listitem').filter({ hasText: 'ann asked to delete 3 jobs' });
  await expect(asked).toBeVisible();
  await expectAccessible(theirs);
  await asked.getByRole('link', { name: 'Look at it' }).click();
  await expect(theirs.getByText(/^ann asked for this/)).toBeVisible();
  await expect(theirs.getByText('the import was wrong')).toBeVisible();
  await expectAccessibleInBoth(theirs);
  await theirs.getByRole('button', { name: 'Delete 3 jobs permanently' }).click();
  await expect(theirs.getByRole('main').getByText('3 of 3')).toBeVisible();
  await expect(theirs.locator('.run-state')).toHaveText('Done');
  await expect(page.locator('.run-state'), 'the page of the person who asked learns of it').toHaveText('Done', { timeout: 60_000 });
  const gone = await page.goto(`${house.address}/api/v1/jobs/one`);
  expect(gone?.status()).toBe(404);
  await bobs.close();
});
