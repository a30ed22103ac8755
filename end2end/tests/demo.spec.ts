import { Api, type Job } from '../support/api.ts';
import { Program } from '../support/program.ts';
import { expect, expectAccessible, test } from '../support/reprieve.ts';
import { Screens } from '../support/screens.ts';

/** As many as that may be where a browser and two programs start at once. */
const SECONDS_MS = 30_000;

test('the demo looks alive within seconds', async ({ page }) => {
  const program = await Program.start('demo');
  try {
    const screens = new Screens(page, program.address);
    await screens.overview();

    await expect.poll(() => screens.tile('Delay'), { timeout: SECONDS_MS }).toBeGreaterThan(0);
    const before = await page.getByRole('main').innerText();
    await expect.poll(() => page.getByRole('main').innerText(), { timeout: SECONDS_MS }).not.toBe(before);
    await expectAccessible(page);

    await screens.list('delay');
    await expect(page.getByRole('row').nth(1)).toBeVisible();

    // The resource that people are told to look at has a plan of four steps, and the desk calls it off as one. It is rented
    // again as soon as it is gone; what is called off here has a while to go.
    const desk = `${program.address}/desk/resource:4711`;
    const api = new Api(program.address);
    const left = async () => {
      const { items } = await api.call<{ items: Job[] }>('GET', '/subjects/resource:4711');
      return Math.max(...items.filter(({ state }) => state === 'delayed').map(({ due_ms }) => due_ms - Date.now()));
    };
    await expect.poll(left, { timeout: 2 * SECONDS_MS }).toBeGreaterThan(SECONDS_MS);
    await page.goto(desk);
    await expect(page.locator('.plan-steps > li')).toHaveCount(4);
    await expect(page.getByText('Expiry after 30 days')).toBeVisible();
    await page.getByRole('button', { name: 'Call off deletion' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Call off deletion' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Called off');

    // By now jobs have failed, which is nobody's trouble: what was said at the start stays in sight.
    await screens.overview();
    await expect.poll(() => screens.tile('Dead'), { timeout: 60_000 }).toBeGreaterThan(0);
    expect(program.log()).toContain('A small shop is open');
    expect(program.log()).not.toMatch(/panicked|failed and will be retried|is dead/);
  } finally {
    // Before its server, whose absence it would notice.
    await page.close();
    await program.stop();
  }
});

test('the demo begins anew when its day is over', async () => {
  // Its workers end what they have in their hands first, which takes as long as that takes.
  test.setTimeout(180_000);
  const program = await Program.start('demo', '--day', '15s');
  try {
    const api = new Api(program.address);
    const { id } = await api.enqueue({ kind: 'visitor.note', queue: 'visitors', delay_ms: 86_400_000 });
    expect((await api.job(id)).state).toBe('delayed');
    const there = async () => (await fetch(`${program.address}/api/v1/jobs/${id}`).catch(() => undefined))?.status;
    await expect.poll(there, { timeout: 120_000, message: 'what a visitor did is gone' }).toBe(404);
    expect(program.log()).toContain('it begins anew');
    expect(program.log()).not.toContain('panicked');
  } finally {
    await program.stop();
  }
});
