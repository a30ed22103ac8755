import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { Api } from '../support/api.ts';
import { Program } from '../support/program.ts';
import { expect, open, test, unique } from '../support/reprieve.ts';
import { Screens } from '../support/screens.ts';

/** Where cookies of the pages that were open belong to. */
const paths = async (screens: Screens) => [...new Set((await screens.page.context().cookies()).map(({ path }) => path))];

test('below a path, pages, acts and live updates are as at the root', async ({ page }) => {
  const program = await Program.start('serve', '--base-path', '/tools/jobs');
  expect(program.address).toMatch(/\/tools\/jobs$/);
  const [api, screens] = [new Api(program.address), new Screens(page, program.address)];
  const { id } = await api.enqueue({ kind: 'k', id: unique('below'), queue: 'mail', delay_ms: 3_600_000 });
  await screens.list('delay');
  await expect(screens.row(id)).toBeVisible();
  await expect(page.locator('.live-badge'), 'the stream is found').toHaveAttribute('data-live', 'live');

  await api.hold(id);
  await expect(screens.row(id), 'what happens elsewhere is seen').toContainText('Held');
  await screens.job(id);
  await screens.button('Unhold').first().click();
  await expect.poll(async () => (await api.job(id)).state).toBe('delayed');
  expect(new URL(page.url()).pathname, 'an act leads back to its page').toBe(`/tools/jobs/job/${id}`);

  await page.getByRole('link', { name: 'Overview' }).first().click();
  await expect(page).toHaveURL(program.address);
  expect(await paths(screens), 'the rest of the site has none of our cookies').toEqual(['/tools/jobs']);
  await page.close();
  await program.stop();
});

test('a program with a sign-in of its own has the dashboard as a part of it', async ({ page }) => {
  const example = join(dirname(process.env['REPRIEVE'] ?? ''), 'examples/embedded');
  test.skip(!existsSync(example), 'examples are built for the tests alone, not beside the program that ships');
  const redis = await Program.start('serve');
  const host = spawn(example, [`unix://${redis.socket}`], {
    env: { ...process.env, LISTEN: '127.0.0.1:0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface(host.stdout), 'line');
  const address = String(line).replace('listening on ', '');
  const screens = new Screens(page, `${address}/jobs`);
  const signIn = async (name: string) => {
    await page.goto(address);
    await page.getByLabel('Name').fill(name);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };

  const stranger = await page.request.get(`${address}/jobs`, { headers: { accept: 'text/html' } });
  expect(stranger.status()).toBe(401);
  expect(await stranger.text()).toContain('Sign in to the application');

  await signIn('bob');
  await page.getByRole('link', { name: 'Jobs' }).click();
  await expect(page).toHaveURL(`${address}/jobs`);
  await screens.list('delay');
  await expect(screens.row('delete-data-of-4711')).toBeVisible();
  await screens.job('delete-data-of-4711');
  await expect(screens.button('Cancel').first(), 'who may only look cannot call off').toHaveAttribute('aria-disabled', 'true');

  await page.goto(address);
  await page.getByRole('button', { name: 'Keep my data' }).click();
  await expect(page.getByText('The deletion of your data is cancelled.')).toBeVisible();

  await signIn('ann');
  await open(page, `${address}/jobs/job/delete-data-of-4711`);
  await screens.button('Undo').first().click();
  await expect(page.locator('h1'), 'it is put back').toContainText('Delayed');
  await page.goto(address);
  await expect(page.getByText('The deletion of your data is delayed.')).toBeVisible();
  await open(page, `${address}/jobs/audit`);
  await expect(page.locator('main')).toContainText('ann');

  await page.close();
  host.kill();
  await redis.stop();
});
