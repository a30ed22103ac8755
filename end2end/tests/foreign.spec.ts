import type { Page } from '@playwright/test';
import { Elsewhere, look, nobodysFrame, type Target } from '../support/elsewhere.ts';
import { Api } from '../support/api.ts';
import { Program } from '../support/program.ts';
import { expect, test as base } from '../support/reprieve.ts';

const PASSWORD = 'four words nobody guesses';
const HOUR_MS = 3_600_000;
const PREFIX = 'reprieve:{default}:';
/** Stands in what nobody elsewhere may read. */
const CANARY = 'canary-7c1e';

/** What would be changed, if looking at it did. */
const TARGETS: Target[] = [
  { path: '/api/fn/cancel_job', form: { id: 'one' } },
  { path: '/api/fn/hold_job', form: { id: 'two' } },
  { path: '/api/fn/pause_queue', form: { queue: 'mail' } },
  { path: '/api/fn/save_view', form: { name: 'mine', list: 'delay', shared: 'on' } },
  { path: '/api/fn/set_reasons', form: { reasons: 'because' } },
  { path: '/api/fn/set_theme', form: { theme: 'dark' } },
  { path: '/api/v1/jobs/one/cancel', form: {} },
  { path: '/api/v1/queues/mail/pause', form: {} },
  { path: '/people/add', form: { name: 'eve', role: 'admin' } },
  { path: '/account/sessions/end', form: {} },
  { path: '/logout', form: {} },
];

/** What would be read. */
const READABLE = ['/', '/job/one', '/api/fn/get_job?id=one', '/api/fn/get_overview', '/api/v1/jobs/one', '/export/audit.csv', '/events', '/metrics', '/account'];

interface House {
  program: Program;
  elsewhere: Elsewhere;
}

const test = base.extend<{ house: House }>({
  // A refused answer is an error on the console of whoever asked for it.
  expectedComplaints: /./,
  house: async ({}, use) => {
    // Jobs are put in while nobody has to sign in.
    const program = await Program.start('serve', '--login', 'required', '--api-auth', 'off');
    const elsewhere = await Elsewhere.start();
    const api = new Api(program.address);
    for (const id of ['one', 'two']) await api.enqueue({ kind: 'k', id, queue: 'mail', payload: { secret: CANARY }, delay_ms: HOUR_MS });
    await use({ program, elsewhere });
    await elsewhere.stop();
    await program.stop();
    expect(program.log(), 'the program panicked').not.toContain('panicked');
  },
});

/** Has the page's browser signed in as the first admin. */
async function signIn(page: Page, program: Program): Promise<void> {
  const key = /\/first\?key=(\w+)/.exec(program.log())?.[1] ?? '';
  const form = { key, name: 'ann', password: PASSWORD, again: PASSWORD };
  await page.request.post(`${program.address}/first`, { form, headers: { origin: program.address } });
  await page.goto(`${program.address}/`);
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
}

/** What there is to be changed. */
async function kept(program: Program): Promise<string[]> {
  const jobs = await Promise.all(['one', 'two'].map((id) => program.redis('GET', `${PREFIX}job:${id}`)));
  const sizes = ['people', 'views', 'tokens', 'settings'].map((key) => program.redis('HLEN', PREFIX + key));
  return [...jobs, ...(await Promise.all(sizes)), await program.redis('EXISTS', `${PREFIX}q:mail:paused`)];
}

test('no page elsewhere reads or frames anything while somebody is signed in', async ({ page, house }) => {
  test.slow();
  const { program, elsewhere } = house;
  await signIn(page, program);
  const addresses = READABLE.map((path) => program.address + path);
  const changes = TARGETS.map(({ path, form }) => `${program.address}${path}?${new URLSearchParams(form).toString()}`);
  const before = await kept(program);
  for (const origin of [elsewhere.crossSite, elsewhere.sameSite]) {
    await page.goto(origin);
    for (const where of [page, await nobodysFrame(page)]) {
      expect(await look(where, addresses), 'what could be read').toEqual([]);
      await look(where, changes);
    }
    // What a frame shows is an error of the browser's own, whatever was asked for.
    for (const frame of page.frames()) {
      const html = await frame.content();
      expect(html, frame.url()).not.toContain('app_bg.wasm');
      expect(html, frame.url()).not.toContain(CANARY);
    }
  }
  expect(await kept(program), 'nothing is changed by looking').toEqual(before);
  // Where it is not framed it is there.
  await page.goto(`${program.address}/job/one`);
  await expect(page.getByText(CANARY).first()).toBeVisible();
});
