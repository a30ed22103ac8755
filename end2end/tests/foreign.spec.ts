import { Elsewhere, leaveBy, look, nobodysFrame, send, type Target } from '../support/elsewhere.ts';
import { Api } from '../support/api.ts';
import { signIn } from '../support/people.ts';
import { Program } from '../support/program.ts';
import { expect, open, test as base } from '../support/reprieve.ts';

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
  { path: '/api/fn/set_appearance', form: { theme: 'dark' } },
  { path: '/api/v1/jobs/one/cancel', form: {} },
  { path: '/api/v1/queues/mail/pause', form: {} },
  { path: '/people/add', form: { name: 'eve', role: 'admin' } },
  { path: '/account/sessions/end', form: {} },
  { path: '/logout', form: {} },
];

/** What would be read. */
const READABLE = ['/', '/job/one', '/api/fn/whoami', '/api/v1/jobs/one', '/export/audit.csv', '/events', '/metrics', '/account'];

interface House {
  program: Program;
  elsewhere: Elsewhere;
}

const test = base.extend<{ house: House }>({
  // A refused answer is an error on the console of the page that asked for it.
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
      expect(html, frame.url()).not.toContain('live.js');
      expect(html, frame.url()).not.toContain(CANARY);
    }
  }
  expect(await kept(program), 'nothing is changed by looking').toEqual(before);
  // Where it is not framed it is there.
  await page.goto(`${program.address}/job/one`);
  await expect(page.getByText(CANARY).first()).toBeVisible();
});

test('no page elsewhere changes anything while somebody is signed in', async ({ page, house }) => {
  test.slow();
  const { program, elsewhere } = house;
  await signIn(page, program);
  const targets = TARGETS.map(({ path, form }) => ({ address: program.address + path, form }));
  const before = await kept(program);
  for (const origin of [elsewhere.crossSite, elsewhere.sameSite]) {
    await page.goto(origin);
    for (const where of [page, await nobodysFrame(page)]) expect(await send(where, targets), 'what could be read').toEqual([]);
    for (const { address, form } of targets) {
      await page.goto(origin);
      expect(await leaveBy(page, address, form), `${origin} ${address}`).toBe(false);
    }
    expect(await kept(program), origin).toEqual(before);
  }
  // From a page of ours the same is done.
  await open(page, `${program.address}/jobs/delay`);
  expect(await leaveBy(page, `${program.address}/api/fn/cancel_job`, { id: 'one' })).toBe(true);
  expect(await kept(program), 'it could have been').not.toEqual(before);
});

test('a link on a page elsewhere leads a person who is signed in to the page it names', async ({ page, house }) => {
  const { program, elsewhere } = house;
  const follow = async (path: string) => {
    await page.goto(elsewhere.crossSite);
    await page.evaluate((address) => location.assign(address), program.address + path);
  };
  await follow('/job/one');
  await expect(page.getByLabel('Password')).toBeVisible();
  await signIn(page, program);
  await follow('/job/one');
  await expect(page.getByText(CANARY).first()).toBeVisible();
  await expect(page).toHaveURL(`${program.address}/job/one`);
});

test('a name that leads here tomorrow reads nothing and changes nothing', async ({ playwright, launchOptions, house }) => {
  const { program } = house;
  const { port } = new URL(program.address);
  const args = [...(launchOptions.args ?? []), '--host-resolver-rules=MAP *.example 127.0.0.1'];
  const browser = await playwright.chromium.launch({ ...launchOptions, args });
  try {
    // The page that refuses them forbids itself everything; theirs, from before the name led here, would not.
    const page = await browser.newPage({ bypassCSP: true });
    const before = await kept(program);
    for (const host of ['evil.example', '127.0.0.1.example', 'localhost.example']) {
      const response = await page.goto(`http://${host}:${port}/`);
      expect(response?.status(), host).toBe(421);
      const paths = [...READABLE, ...TARGETS.map(({ path }) => path)];
      const answers = await page.evaluate(
        async (paths) =>
          Promise.all(
            paths.flatMap((path) =>
              ['GET', 'POST'].map(async (method) => {
                const asked = `${method} ${path}`;
                const answer = fetch(path, { method }).then(async (response) => ({ asked, status: response.status, text: await response.text() }));
                return answer.catch((error: unknown) => ({ asked, status: 0, text: String(error) }));
              }),
            ),
          ),
        paths,
      );
      expect(answers.filter(({ status, text }) => status !== 421 || text.includes(CANARY)), host).toEqual([]);
      expect(answers).toHaveLength(2 * paths.length);
    }
    expect(await kept(program)).toEqual(before);
  } finally {
    await browser.close();
  }
});

test('a script that nobody of us wrote does not run, and nothing is kept in the browser', async ({ page, house }) => {
  const { program } = house;
  await signIn(page, program);
  // As if a text had left its place in the page that the server wrote.
  const foreign = [
    '<script>window.ran = "inline"</script>',
    '<script nonce="">window.ran = "an empty nonce"</script>',
    '<script nonce="AAAAAAAAAAAAAAAAAAAAAA==">window.ran = "a guessed nonce"</script>',
    '<script src="data:text/javascript,window.ran=%22data%22"></script>',
    '<img src="/nowhere" onerror="window.ran = \'an attribute\'">',
    '<svg onload="window.ran = \'svg\'"></svg>',
    '<iframe srcdoc="<script>parent.ran = \'srcdoc\'</script>"></iframe>',
    '<base href="http://elsewhere.example/">',
  ].join('');
  await page.route('**/jobs/delay', async (route) => {
    const response = await route.fetch();
    const html = await response.text();
    await route.fulfill({ response, body: html.replace('</main>', `${foreign}</main>`) });
  });
  await page.addInitScript(() => {
    const violations: string[] = [];
    Object.assign(window, { violations });
    addEventListener('securitypolicyviolation', ({ effectiveDirective }) => violations.push(effectiveDirective));
  });
  await open(page, `${program.address}/jobs/delay`);
  const inner = () => {
    const element = document.createElement('div');
    element.innerHTML = '<a href="javascript:window.ran = 1" id="leads">x</a><button onclick="window.ran = 2" id="acts">x</button>';
    const script = Object.assign(document.createElement('script'), { textContent: 'window.ran = "added"' });
    document.body.append(element, script);
    document.getElementById('leads')?.click();
    document.getElementById('acts')?.click();
    // Later: what the test itself evaluates may do so.
    setTimeout(() => new Function('window.ran = "eval"')(), 1);
  };
  await page.evaluate(inner);
  const seen = () => page.evaluate(() => ({ ...(window as unknown as { ran?: unknown; violations: string[] }), base: document.baseURI }));
  await expect.poll(async () => new Set((await seen()).violations).size, { message: 'the policy stops them' }).toBeGreaterThan(2);
  const { ran, base, violations } = await seen();
  expect(ran, violations.join()).toBeUndefined();
  expect(new URL(base).origin).toBe(program.address);
  const storage = await page.evaluate(async () => ({
    local: Object.keys(localStorage),
    session: Object.keys(sessionStorage),
    databases: (await indexedDB.databases()).map(({ name }) => name),
    caches: 'caches' in window ? await caches.keys() : [],
  }));
  expect(storage).toEqual({ local: [], session: [], databases: [], caches: [] });
  expect(await page.evaluate(() => document.cookie), 'no script reads the session').not.toMatch(/\brp(-\d+)?=/);
  expect((await page.context().cookies()).map(({ name }) => name), 'which there is').toContainEqual(
    expect.stringMatching(/^rp-\d+$/),
  );
});
