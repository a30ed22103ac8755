import type { Page } from '@playwright/test';
import { alive, expect, open, test, unique, type Reprieve } from '../support/reprieve.ts';
import { Screens } from '../support/screens.ts';

const HOUR_MS = 3_600_000;
/** More than a page of the smallest size has. */
const JOBS = 30;

/** Thirty jobs with one secret in their payloads, and one with another. */
async function given({ api }: Reprieve): Promise<{ queue: string; secret: string; ids: string[]; other: string }> {
  const queue = unique('sealed');
  const secret = `138${Date.now()}`;
  const job = (phone: string, n: number) => ({ kind: 'ok.sealed', queue, payload: { phone }, delay_ms: HOUR_MS + n * 1_000 });
  const jobs = await api.enqueueMany([...Array.from({ length: JOBS }, (_, n) => job(secret, n)), job('other', 0)]);
  const ids = jobs.map(({ id }) => id);
  return { queue, secret, ids: ids.slice(0, JOBS), other: ids[JOBS]! };
}

/** Everything that the browser asks for or shows as its address from now on. */
function addresses(page: Page): string[] {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url(), request.headers()['referer'] ?? ''));
  page.on('framenavigated', (frame) => asked.push(frame.url()));
  return asked;
}

test('what payloads are searched for stands in no address, and the list is restored from it', async ({ page, reprieve }) => {
  const { queue, secret, ids, other } = await given(reprieve);
  const screens = new Screens(page, reprieve.program.address);
  const asked = addresses(page);
  const line = page.getByRole('combobox', { name: 'Filter' });
  const typed = `payload.phone:${secret}`;
  await open(page, reprieve.url(`/jobs/delay?queue=${queue}&size=25`));
  await line.fill(typed);
  await line.press('Enter');
  await expect(screens.row(ids[0]!)).toBeVisible();
  await expect(screens.row(other)).toHaveCount(0);
  await expect(page).toHaveURL(/q=payload\.phone:sealed\.[0-9a-f]+/);
  await expect(line, 'the person who typed it sees it').toHaveValue(typed);
  const address = page.url();

  await screens.more().click();
  await expect(screens.row(ids[JOBS - 1]!)).toBeVisible();
  await page.reload();
  await expect(line).toHaveValue(typed);
  await expect(page.getByRole('link', { name: `Remove ${typed}` })).toBeVisible();
  await expect(screens.row(ids[0]!)).toBeVisible();
  await expect(screens.row(other)).toHaveCount(0);

  // The page that is come back to was never told what its address says.
  await alive(page);
  await page.getByRole('link', { name: `Remove ${typed}` }).click();
  await expect(screens.row(other)).toBeVisible();
  await page.reload();
  await expect(line).toHaveValue('');
  await page.goBack();
  await expect(screens.row(other)).toHaveCount(0);
  await expect(page).toHaveURL(address);
  await expect(line).toHaveValue(typed);
  await page.goForward();
  await expect(screens.row(other)).toBeVisible();
  await page.goBack();
  await expect(screens.row(other), 'what is ticked belongs to the list that was come back to').toHaveCount(0);

  await page.getByLabel('Tick all on this page (a)').click();
  await page.getByLabel(new RegExp(`match(ing)? ${typed} queue:${queue}`)).check();
  await page.getByRole('group', { name: 'What to do with the jobs ticked' }).getByRole('button', { name: 'Hold' }).click();
  await expect(page.getByRole('heading', { name: `Hold ${JOBS} jobs` })).toBeVisible();
  await expect(page.getByText(`matching ${typed}`), 'the page of the run says it').toBeVisible();
  expect(asked.filter((place) => place.includes(secret))).toEqual([]);
});

test('a line that does not read is pointed at, and stands in no address either', async ({ page, reprieve }) => {
  const asked = addresses(page);
  const secret = unique('secret');
  await open(page, reprieve.url('/jobs/delay'));
  const line = page.getByRole('combobox', { name: 'Filter' });
  await line.fill(`payload.phone:${secret} stat:dead`);
  await line.press('Enter');
  await expect(page.getByRole('alert')).toContainText('Did you mean “state:”?');
  await expect(line).toHaveValue(`payload.phone:${secret} stat:dead`);
  expect(asked.filter((place) => place.includes(secret))).toEqual([]);
});

test.describe('with an address that was touched', () => {
  test.use({ expectedComplaints: /status of 422/ });

  test('the page says so, and asks to type it again', async ({ page, reprieve }) => {
    const answer = await page.goto(reprieve.url(`/jobs/delay?q=payload.phone:sealed.${'0'.repeat(80)}`));
    expect(answer?.status()).toBe(422);
    await expect(page.getByRole('alert')).toContainText('only its own installation can read');
    await expect(page.getByRole('alert')).toContainText('Type that part of the filter again.');
    await expect(page.getByRole('table', { name: 'Jobs' })).toHaveCount(0);
  });
});

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false });

  test('a plain form leads to the sealed address, which can be paged, reloaded and left', async ({ page, reprieve }) => {
    const { queue, secret, ids, other } = await given(reprieve);
    const screens = new Screens(page, reprieve.program.address);
    const asked = addresses(page);
    const line = page.getByRole('combobox', { name: 'Filter' });
    const typed = `payload.phone:${secret}`;
    await page.goto(reprieve.url(`/jobs/delay?queue=${queue}&size=25`));
    await line.fill(typed);
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await expect(page).toHaveURL(/q=payload\.phone:sealed\.[0-9a-f]+/);
    await expect(line).toHaveValue(typed);
    await expect(screens.row(other)).toHaveCount(0);
    await screens.more().click();
    await expect(screens.row(ids[JOBS - 1]!)).toBeVisible();
    await expect(line).toHaveValue(typed);
    await page.reload();
    await expect(screens.row(ids[JOBS - 1]!)).toBeVisible();
    await page.goBack();
    await expect(screens.row(ids[0]!)).toBeVisible();
    expect(asked.filter((place) => place.includes(secret))).toEqual([]);

    await page.goto(reprieve.url(`/jobs/delay?q=${typed}&queue=${queue}`));
    await expect(page, 'an old link leads on to the sealed one').toHaveURL(/sealed\./);
    expect(page.url()).not.toContain(secret);
    await expect(line).toHaveValue(typed);
  });
});
