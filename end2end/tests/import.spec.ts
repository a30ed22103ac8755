import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Page } from '@playwright/test';
import { freePort, type Program } from '../support/program.ts';
import { expect, expectAccessible, open, test, unique } from '../support/reprieve.ts';

const DAY_MS = 86_400_000;

/** A sorted set as many shops have one: a JSON member an order, its score the time. The ids in it. */
async function foreign(program: Program, count: number): Promise<{ key: string; ids: string[] }> {
  const key = unique('orders');
  const ids = Array.from({ length: count }, (_, n) => `${key}-${n}`);
  for (const [n, id] of ids.entries()) {
    const due = Math.floor((Date.now() + DAY_MS) / 1_000) + n;
    await program.redis('ZADD', key, String(due), JSON.stringify({ order: { id }, customer: { id: `customer:${n}` } }));
  }
  return { key, ids };
}

/** Says why, in the form of that button: nothing is taken over or put back without a reason. */
async function because(page: Page, button: string): Promise<void> {
  const form = page.locator('form').filter({ has: page.getByRole('button', { name: button }) });
  await form.getByLabel('Reason').selectOption('Maintenance');
}

test('a sorted set is looked at, taken over once its count was typed, and put back', async ({ page, reprieve }) => {
  const { key, ids } = await foreign(reprieve.program, 7);
  await open(page, reprieve.url('/import'));
  await page.getByLabel('Format').selectOption('zset');
  await page.getByLabel('Key, topic or queues').fill(key);
  await page.getByLabel('Kind of its jobs').fill('ok.import');
  await page.getByLabel('Where the id is').fill('/order/id');
  await page.getByLabel('Where the subject is').fill('/customer/id');
  await page.getByRole('button', { name: 'Look at it' }).click();

  await expect(page.getByText('7 items can be taken over, 0 stay, 0 are due already.')).toBeVisible();
  await expect(page.getByRole('region', { name: 'Five of them, decoded' }).getByRole('row')).toHaveCount(6);
  expect(await reprieve.program.redis('ZCARD', key), 'looking changes nothing').toBe('7');
  await expectAccessible(page);

  await page.getByLabel('Type 7 to confirm').fill('7');
  await because(page, 'Take over 7 items');
  await page.getByRole('button', { name: 'Take over 7 items' }).click();
  await expect(page.getByText(/7 items were taken over and are in the journal/)).toBeVisible();
  await expect(page.locator('.notice').getByText('Took over 7, of which 0 replaced a waiting job')).toBeVisible();
  expect(await reprieve.program.redis('ZCARD', key)).toBe('0');
  expect((await reprieve.api.job(ids[0] ?? '')).subject).toBe('customer:0');

  const back = page.getByRole('region', { name: 'Put it back' });
  await because(page, 'Put back what has not run');
  await back.getByRole('button', { name: 'Put back what has not run' }).click();
  await expect(page.getByText('Nothing that was taken over under this name is left to put back.')).toBeVisible();
  await expect(page.locator('.notice').getByText('7 items are back where they were')).toBeVisible();
  expect(await reprieve.program.redis('ZCARD', key)).toBe('7');
});

test.describe('another number than was announced', () => {
  test('takes nothing over', async ({ page, reprieve }) => {
    const { key } = await foreign(reprieve.program, 2);
    await open(page, reprieve.url(`/import?format=zset&place=${key}&kind=ok.import`));
    await page.getByLabel('Type 2 to confirm').fill('1');
    await because(page, 'Take over 2 items');
    await page.getByRole('button', { name: 'Take over 2 items' }).click();
    await expect(page.getByLabel('Type 2 to confirm')).toHaveAccessibleDescription(/is not the one that was announced/);
    await expect(page.getByLabel('Type 2 to confirm'), 'it can be corrected at once').toBeFocused();
    expect(await reprieve.program.redis('ZCARD', key)).toBe('2');
  });
});

test('many items are put back once their count was typed', async ({ page, reprieve }) => {
  const { key } = await foreign(reprieve.program, 26);
  const name = unique('many');
  await open(page, reprieve.url(`/import?format=zset&place=${key}&kind=ok.import&name=${name}`));
  await page.getByLabel('Type 26 to confirm').fill('26');
  await because(page, 'Take over 26 items');
  await page.getByRole('button', { name: 'Take over 26 items' }).click();
  await expect(page.getByText(/26 items were taken over and are in the journal/)).toBeVisible();
  const back = page.getByRole('region', { name: 'Put it back' });
  await expect(back.getByLabel('Type 26 to confirm')).toHaveAttribute('required', '');
  await back.getByLabel('Type 26 to confirm').fill('26');
  await because(page, 'Put back what has not run');
  await back.getByRole('button', { name: 'Put back what has not run' }).click();
  await expect(page.getByText('Nothing that was taken over under this name is left to put back.')).toBeVisible();
  expect(await reprieve.program.redis('ZCARD', key)).toBe('26');
});

test('a key that is not there and one of another type say so, and nothing is offered for them', async ({ page, reprieve }) => {
  const [key, missing] = [unique('text'), unique('missing')];
  await reprieve.program.redis('SET', key, 'x');
  const look = async (at: string) => {
    await open(page, reprieve.url(`/import?format=zset&place=${at}&kind=k`));
    await expect(page.getByRole('heading', { name: 'Look at it' })).toBeVisible();
  };
  await look(missing);
  await expect(page.getByText('Nothing is there under that name.')).toBeVisible();
  await expect(page.getByRole('region', { name: 'Five of them, decoded' })).toHaveCount(0);
  await look(key);
  await expect(page.getByText('not taken: a string is there, which this format does not use')).toBeVisible();
  await expect(page.getByText('There are more items than are looked at')).toHaveCount(0);
  await expect(page.getByText('There is nothing to take over.')).toBeVisible();
  await expect(page.getByRole('button', { name: /^Take over/ })).toBeHidden();
  await expect(page.getByRole('button', { name: 'Put back what has not run' })).toBeHidden();
  await expectAccessible(page);
});

test('what they do is watched beside what we would have done', async ({ page, reprieve }) => {
  const { key } = await foreign(reprieve.program, 3);
  await open(page, reprieve.url(`/import?format=zset&place=${key}&kind=ok.import`));
  await page.getByRole('link', { name: 'Watch for six seconds' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('link', { name: 'Watching…' })).toBeVisible();
  const table = page.getByRole('region', { name: 'Watch it' }).getByRole('table');
  await expect(table.getByRole('row').filter({ hasText: 'Items seen waiting' })).toContainText('3', { timeout: 60_000 });
  await expect(page.getByRole('link', { name: 'Watch for six seconds' }), 'once more').toBeFocused();
  expect(await reprieve.program.redis('ZCARD', key)).toBe('3');
});

test('what was taken over without a name says under which it can be ended', async ({ page, reprieve }) => {
  const { key } = await foreign(reprieve.program, 1);
  await open(page, reprieve.url(`/import?format=zset&place=${key}&kind=ok.import`));
  await expect(page.getByText('under the name zset')).toBeVisible();
  await page.getByLabel('Type 1 to confirm').fill('1');
  await because(page, 'Take over 1 item');
  await page.getByRole('button', { name: 'Take over 1 item' }).click();
  await expect(page.getByText('reprieve import zset finish --name zset')).toBeVisible();
});

test.describe('an answer that was lost', () => {
  test.use({ expectedComplaints: /net::ERR_FAILED/ });

  test('has the source looked at anew: part of it may be done', async ({ page, reprieve }) => {
    const { key } = await foreign(reprieve.program, 2);
    await page.route('**/api/fn/take_over_import*', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await open(page, reprieve.url(`/import?format=zset&place=${key}&kind=ok.import`));
    await page.getByLabel('Type 2 to confirm').fill('2');
    await because(page, 'Take over 2 items');
    await page.getByRole('button', { name: 'Take over 2 items' }).click();
    await expect(page.getByText(/2 items were taken over and are in the journal/)).toBeVisible();
    await expect(page.getByRole('button', { name: 'Put back what has not run' })).toBeEnabled();
  });
});

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false });

  test('a source is named and looked at, and the address keeps it', async ({ page, reprieve }) => {
    const { key } = await foreign(reprieve.program, 4);
    await page.goto(reprieve.url('/import'));
    await page.getByLabel('Key, topic or queues').fill(key);
    await page.getByLabel('Kind of its jobs').fill('ok.import');
    await page.getByRole('button', { name: 'Look at it' }).click();
    await expect(page).toHaveURL(new RegExp(`place=${key}`));
    await expect(page.getByText('4 items can be taken over, 0 stay, 0 are due already.')).toBeVisible();
    await expect(page.getByLabel('Key, topic or queues')).toHaveValue(key);
  });
});

test.describe('a source that is incomplete', () => {
  test.use({ expectedComplaints: /status of 422/ });

  test('says what is missing and changes nothing', async ({ page, reprieve }) => {
    const answer = await page.goto(reprieve.url('/import?format=zset&place=nothing-here'));
    expect(answer?.status()).toBe(422);
    await expect(page.getByText(/a sorted set needs the kind of its jobs/)).toBeVisible();
  });
});

for (const scripts of [true, false]) {
  test.describe(`another Redis, ${scripts ? 'with' : 'without'} scripts`, () => {
    test.use({ javaScriptEnabled: scripts, expectedComplaints: /status of 422/ });

    test('is connected to, recognised, and taken from; its password is shown nowhere', async ({ page, reprieve }) => {
      const other = await OtherRedis.start();
      try {
        for (const n of [1, 2, 3]) other.run('ZADD', 'due:orders', String(Math.floor((Date.now() + n * DAY_MS) / 1_000)), `order-${n}`);
        other.run('ZADD', 'delayq:dq:sms', '4000000000', 'job-1');
        other.run('ZADD', 'ranks', '17', 'ann');
        if (scripts) await open(page, reprieve.url('/import'));
        else await page.goto(reprieve.url('/import'));
        await page.getByLabel('Address').fill(`redis://127.0.0.1:${other.port}/0`);
        await page.getByLabel('Password').fill('wrong');
        await page.getByRole('button', { name: 'Connect', exact: true }).click();
        await expect(page.getByRole('alert').or(page.locator('.form-outcome[data-tone="bad"]')).first()).toBeVisible();

        await page.getByLabel('Address').fill(`redis://127.0.0.1:${other.port}/0`);
        await page.getByLabel('Password').fill(PASSWORD);
        await page.getByRole('button', { name: 'Connect', exact: true }).click();
        const found = page.getByRole('region', { name: 'What was recognised' });
        await expect(found).toContainText(`@127.0.0.1:${other.port}`);
        await expect(found).toContainText('Topic sms of delayq');
        await expect(found).toContainText('Sorted set due:orders');
        await expect(found).toContainText('1 sorted set holds scores that are no times');
        await found.getByText('What shows it').last().click();
        await expect(found.getByText('order-1')).toBeVisible();

        await found.getByRole('link', { name: 'Use due:orders' }).click();
        await expect(page.getByLabel('Key, topic or queues')).toHaveValue('due:orders');
        await page.getByLabel('Kind of its jobs').fill('ok.import');
        // The name that is made of the format is that of the Redis here.
        await page.getByLabel('Name of this import').fill(unique('other'));
        await page.getByRole('button', { name: 'Look at it' }).click();
        await expect(page.getByText('3 items can be taken over, 0 stay, 0 are due already.')).toBeVisible();
        expect(await page.content(), 'shown nowhere').not.toContain(PASSWORD);
        expect(page.url()).not.toContain(PASSWORD);
        expect(reprieve.program.log(), 'and never logged').not.toContain(PASSWORD);
        if (scripts) await expectAccessible(page);

        await page.getByLabel('Type 3 to confirm').fill('3');
        await page.getByLabel('Take over in spite of this: All 3 items are bare ids').check();
        await because(page, 'Take over 3 items');
        await page.getByRole('button', { name: 'Take over 3 items' }).click();
        await expect(page.getByText(/3 items were taken over and are in the journal/)).toBeVisible();
        expect(other.run('ZCARD', 'due:orders')).toBe('0');
        await because(page, 'Put back what has not run');
        await page.getByRole('button', { name: 'Put back what has not run' }).click();
        await expect(page.getByText('Nothing that was taken over under this name is left to put back.')).toBeVisible();
        expect(other.run('ZCARD', 'due:orders')).toBe('3');
      } finally {
        await other.stop();
      }
    });
  });
}

const PASSWORD = 's3cr3t-of-the-old-shop';

/** The Redis of somebody else, which wants a password. */
class OtherRedis {
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(port: number, child: ChildProcess) {
    this.port = port;
    this.#child = child;
  }

  static async start(): Promise<OtherRedis> {
    const port = await freePort();
    const child = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--requirepass', PASSWORD]);
    for await (const line of child.stdout.setEncoding('utf8')) if (String(line).includes('Ready to accept')) break;
    return new OtherRedis(port, child);
  }

  run(...words: string[]): string {
    return execFileSync('redis-cli', ['-p', String(this.port), ...words], {
      env: { ...process.env, REDISCLI_AUTH: PASSWORD },
      encoding: 'utf8',
    }).trim();
  }

  async stop(): Promise<void> {
    const gone = once(this.#child, 'exit');
    this.#child.kill();
    await gone;
  }
}
