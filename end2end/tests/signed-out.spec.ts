import { Api } from '../support/api.ts';
import { houseTest } from '../support/house.ts';
import { invite, PASSWORD, signIn } from '../support/people.ts';
import { alive, expect, expectAccessible, open } from '../support/reprieve.ts';
import { Screens, show } from '../support/screens.ts';

const HOUR_MS = 3_600_000;

// The browser tells of every answer that says that nobody is signed in.
const test = houseTest.extend({ expectedComplaints: /401/ });

test('when a sign-in has ended, what was typed stays, and the page goes on once the same person is back', async ({ page, house }) => {
  test.slow();
  const api = new Api(house.address);
  const { id } = await api.enqueue({ kind: 'k', id: 'kept', queue: 'mail', delay_ms: HOUR_MS });
  await signIn(page, house);
  await open(page, `${house.address}/job/${id}`);
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  const form = page.getByRole('dialog', { name: 'Cancel this job' });
  await form.getByLabel('Note').fill('two pages of reasons');

  await page.context().clearCookies({ name: /^(__Host-)?rp(-\d+)?$/ });
  // The page may hear of it by itself before anybody could press: then the form is under what it says.
  await form.getByRole('button', { name: 'Cancel job' }).dispatchEvent('click', {}, { timeout: 5_000 }).catch(() => undefined);
  const ended = page.getByRole('dialog', { name: 'Your sign-in has ended' });
  await expect(ended).toBeVisible();
  await expect(ended.getByText('ann is not signed in any more')).toBeVisible();
  await expectAccessible(page);
  await ended.getByRole('button', { name: 'I have signed in' }).click();
  await expect(ended, 'nobody has').toBeVisible();

  const opened = page.waitForEvent('popup');
  await ended.getByRole('link', { name: 'Sign in again' }).click();
  const other = await opened;
  await other.getByLabel('Name').fill('ann');
  await other.getByLabel('Password').fill(PASSWORD);
  await other.getByRole('button', { name: 'Sign in' }).click();
  await expect(other).toHaveURL(`${house.address}/account`);
  await other.close();
  await page.bringToFront();
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));

  await expect(ended).toBeHidden();
  await expect(form, 'it is open again').toBeVisible();
  await expect(form.getByLabel('Note')).toHaveValue('two pages of reasons');
  await form.getByRole('button', { name: 'Cancel job' }).click();
  await expect(page.getByText('two pages of reasons').first()).toBeVisible();
  expect((await api.job(id)).state).toBe('cancelled');
});

test('what was open in a menu is open again, with the focus where it was', async ({ page, house }) => {
  const api = new Api(house.address);
  const { id } = await api.enqueue({ kind: 'k', id: 'nested', queue: 'mail', delay_ms: HOUR_MS });
  await signIn(page, house);
  const screens = new Screens(page, house.address);
  await screens.list('delay', 'mail');
  await page.getByRole('button', { name: `Actions for k ${id}` }).click();
  const menu = page.getByRole('dialog', { name: 'Actions' });
  await menu.getByRole('button', { name: 'Cancel', exact: true }).click();
  const note = page.getByRole('dialog', { name: 'Cancel this job' }).getByLabel('Note');
  await note.fill('half a reas');

  const cookies = await page.context().cookies();
  await page.context().clearCookies({ name: /^(__Host-)?rp(-\d+)?$/ });
  const ended = page.getByRole('dialog', { name: 'Your sign-in has ended' });
  // As any answer would, without an act.
  await page.evaluate(() => window.dispatchEvent(new Event('signed-out')));
  await expect(ended).toBeVisible();
  await expect(note).toBeHidden();
  await page.context().addCookies(cookies);
  await ended.getByRole('button', { name: 'I have signed in' }).click();

  await expect(ended).toBeHidden();
  await expect(menu).toBeVisible();
  await expect(note).toBeFocused();
  await expect(note).toHaveValue('half a reas');
});

test('a page that only looks hears of it from its stream, and is loaded anew for somebody else', async ({ page, browser, house }) => {
  test.slow();
  await signIn(page, house);
  const bobs = await browser.newContext();
  const theirs = await bobs.newPage();
  await invite(page, theirs, house.address, 'bob', 'viewer');
  await alive(theirs);

  // An admin keeps bob out: his stream ends, and the page asks why.
  const form = { name: 'bob' };
  const kept = await page.request.post(`${house.address}/people/sessions/end`, { form, headers: { origin: house.address } });
  expect(kept.ok()).toBe(true);
  await expect(theirs.getByRole('dialog', { name: 'Your sign-in has ended' })).toBeVisible({ timeout: 60_000 });

  const cookies = await page.context().cookies();
  await bobs.addCookies(cookies);
  await theirs.getByRole('button', { name: 'I have signed in' }).click();
  await alive(theirs);
  await expect(theirs.getByRole('link', { name: 'ann' })).toBeVisible();
  await expect(theirs.getByRole('dialog')).toHaveCount(0);
  await bobs.close();
});

test('a person who signs in again with other rights has a page of those', async ({ page, browser, house }) => {
  test.slow();
  const { id } = await new Api(house.address).enqueue({ kind: 'k', id: 'rights', queue: 'mail', delay_ms: HOUR_MS });
  await signIn(page, house);
  const bobs = await browser.newContext();
  const theirs = await bobs.newPage();
  await invite(page, theirs, house.address, 'bob', 'operator');
  await alive(theirs);
  await open(theirs, `${house.address}/job/${id}`);
  const cancel = theirs.getByRole('button', { name: 'Cancel', exact: true });
  await expect(cancel).toBeEnabled();

  const form = { name: 'bob', role: 'viewer' };
  const changed = await page.request.post(`${house.address}/people/role`, { form, headers: { origin: house.address } });
  expect(changed.ok()).toBe(true);
  const ended = theirs.getByRole('dialog', { name: 'Your sign-in has ended' });
  await expect(ended).toBeVisible({ timeout: 60_000 });
  const back = await bobs.newPage();
  await back.goto(`${house.address}/login`);
  await back.getByLabel('Name').fill('bob');
  await back.getByLabel('Password').fill(PASSWORD);
  await back.getByRole('button', { name: 'Sign in' }).click();
  await expect(back.locator('.top-bar')).toBeVisible();
  await back.close();
  await theirs.evaluate(() => window.dispatchEvent(new Event('focus')));

  await expect(ended).toBeHidden();
  await expect(cancel, 'loaded anew').toBeDisabled();
  await bobs.close();
});

test('a tab that comes back is for the person who is signed in by then, and says so where something would be lost', async ({ page, browser, house }) => {
  test.slow();
  const { id } = await new Api(house.address).enqueue({ kind: 'k', id: 'whose', queue: 'mail', delay_ms: HOUR_MS });
  await signIn(page, house);
  const bobs = await browser.newContext();
  const theirs = await bobs.newPage();
  await invite(page, theirs, house.address, 'bob', 'operator');
  await alive(theirs);
  const [anns, of] = [await page.context().cookies(), await bobs.cookies()];
  await bobs.close();
  const live = page.getByRole('button', { name: /^Live\b/ });

  await open(page, `${house.address}/job/${id}`);
  await expect(live).toBeVisible();
  await show(page, true);
  await page.context().addCookies(of);
  await show(page, false);
  await expect(page.locator('.account-link')).toHaveText('bob');
  await alive(page);

  await expect(live).toBeVisible();
  await expect(page.getByText('Somebody else is signed in here now').first()).toBeHidden();
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  const note = page.getByRole('dialog', { name: 'Cancel this job' }).getByLabel('Note');
  await note.fill('two pages of reasons');
  await show(page, true);
  await page.context().addCookies(anns);
  await show(page, false);
  const said = page.getByText('Somebody else is signed in here now').first();
  await expect(said).toBeVisible();
  await expect(note).toHaveValue('two pages of reasons');
  await page.keyboard.press('Escape');
  await expect(page.locator('.account-link'), 'nothing would be lost any more').toHaveText('ann');
  await alive(page);
  await expect(said).toBeHidden();
});

test('a form that is sent as a whole page stays with what was typed', async ({ page, house }) => {
  await signIn(page, house);
  await open(page, `${house.address}/settings`);
  const section = page.getByRole('region', { name: 'Namespace' });
  const own = page.getByRole('region', { name: 'Appearance' });
  await own.getByLabel('Zone').fill('Asia/Tokyo');
  await section.getByLabel('Name on screen').fill('not yet saved');
  await page.context().clearCookies({ name: /^(__Host-)?rp(-\d+)?$/ });
  await own.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('dialog', { name: 'Your sign-in has ended' })).toBeVisible();
  await expect(page).toHaveURL(`${house.address}/settings`);
  await expect(own.getByLabel('Zone')).toHaveValue('Asia/Tokyo');
  await expect(section.getByLabel('Name on screen')).toHaveValue('not yet saved');

  const back = await page.context().newPage();
  await back.goto(`${house.address}/login`);
  await back.getByLabel('Name').fill('ann');
  await back.getByLabel('Password').fill(PASSWORD);
  await back.getByRole('button', { name: 'Sign in' }).click();
  await expect(back.locator('.overview')).toBeVisible();
  await back.close();
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  await expect(page.getByRole('dialog', { name: 'Your sign-in has ended' })).toBeHidden();
  await own.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Saved for this browser.').and(page.locator(':visible')).first()).toBeVisible();
  await expect(own.getByLabel('Zone')).toHaveValue('Asia/Tokyo');
});

test('the server hears of a person who only types for half an hour, and of none who is away', async ({ page, house }) => {
  test.slow();
  await signIn(page, house);
  await page.clock.install();
  await open(page, `${house.address}/settings`);
  let shown = 0;
  page.on('request', (request) => {
    if (request.url().includes('/api/fn/whoami') && !request.headers()['x-unattended']) shown += 1;
  });
  // Whatever the page asked for before this is counted by then.
  const heard = async () => page.evaluate(async () => void (await fetch('/healthz')));
  await page.getByRole('region', { name: 'Namespace' }).getByLabel('Name on screen').focus();
  for (let minute = 0; minute < 31; minute += 1) {
    await page.keyboard.press('x');
    await page.clock.runFor('01:00');
  }
  await expect.poll(() => shown, 'less than the thirty minutes after which a sign-in ends').toBeGreaterThanOrEqual(5);
  await heard();
  expect(shown, 'and no more than that takes').toBeLessThanOrEqual(7);

  const before = shown;
  await page.clock.runFor('02:00');
  await heard();
  const left = shown;
  expect(left - before).toBeLessThanOrEqual(1);
  await page.clock.runFor('31:00');
  await heard();
  expect(shown).toBe(left);
});

test('the page to sign in says which installation it is', async ({ page, house }) => {
  await page.goto(`${house.address}/login`);
  await expect(page.locator('.door-place')).toHaveText(/default/);
  await expectAccessible(page);
});
