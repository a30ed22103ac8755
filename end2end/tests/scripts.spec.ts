import type { Page } from '@playwright/test';
import { Api } from '../support/api.ts';
import { Detector, type Look, PAYLOADS, SCRIPTS } from '../support/detector.ts';
import { hostile, harmless, plant, plantEverywhere, work } from '../support/planted.ts';
import { Program } from '../support/program.ts';
import { alive, expect, test as base } from '../support/reprieve.ts';

/** Payloads of one job that waits. */
const TOGETHER = 40;
const HOUR_MS = 3_600_000;

/** Where others write, and where a page shows it again. */
const PLACES = [
  ...['value', 'key', 'header', 'progress', 'result', 'log', 'error', 'tag', 'worker', 'pause', 'reason', 'ticket', 'preview'],
  ...['schedule', 'made', 'paused', 'plan', 'offered', 'view', 'machine', 'actor'],
];

/** Pages of what was planted around a stem; all of it stands in them. */
const pagesOf = (stem: string) => [
  `/job/${stem}-told-0`,
  `/jobs/dead?queue=${stem}&columns=all`,
  `/dead?queue=${stem}`,
  `/queue/${stem}`,
  `/jobs/cancelled?queue=${stem}-off`,
  `/job/${stem}-off-0`,
  `/audit?queue=${stem}-off`,
  `/schedule/${stem}`,
  `/schedule/${stem}/edit`,
  `/desk/order:${stem}`,
];

interface Fixtures {
  house: { program: Program; api: Api };
  detector: Detector;
}

const test = base.extend<Fixtures>({
  house: async ({ context }, use) => {
    const program = await Program.start('serve');
    await use({ program, api: new Api(program.address) });
    // Before their server, whose absence they would notice.
    for (const page of context.pages()) await page.close();
    await program.stop();
    expect(program.log(), 'the program panicked').not.toContain('panicked');
  },
  detector: async ({ context, house }, use) => use(await Detector.of(context, house.program.address)),
});

/** Looks at a page as the server wrote it and as the browser has it, and expects nothing alive in either. */
async function visit(page: Page, detector: Detector, address: string, path: string): Promise<[Look, Look]> {
  const response = await page.goto(address + path);
  const html = (await response?.text()) ?? '';
  expect(html, path).toContain('<!DOCTYPE html>');
  if (html.includes('live.js')) await alive(page);
  const looks: [Look, Look] = [await detector.lookAt(page, html), await detector.look(page)];
  for (const look of looks) expect(look.alive, path).toEqual([]);
  expect(detector.seen, path).toEqual([]);
  return looks;
}

/** Waits until a page shows the text of a place, and expects nothing alive in it. */
async function shows(page: Page, detector: Detector, place: string): Promise<void> {
  const look = () => detector.look(page);
  await expect.poll(async () => (await look()).text.includes(`//${place}`), { message: place }).toBe(true);
  expect((await look()).alive, place).toEqual([]);
  expect(detector.seen, place).toEqual([]);
}

// Their pages are long: to record them would take longer than to test them.
test.use({ trace: 'off' });

// Once as it is; once without the policy, which would stop what escaping lets through.
for (const bypassCSP of [false, true]) {
  test.describe(bypassCSP ? 'with nothing else in their way' : 'under the policy', () => {
    test.use({ bypassCSP });
    // Some forty pages.
    test.slow();

    test('scripts in what others write are text on every page', async ({ page, house, detector }) => {
      const { program, api } = house;
      await plant(program, api, 'bad', hostile);
      await plant(program, api, 'good', harmless);
      await plantEverywhere(program, api, hostile);
      const shown = new Set<string>();
      const values = new Set<string>();
      const note = (looks: Look[]) => {
        const text = looks.map((look) => look.text).join('\n');
        for (const place of PLACES) if (text.includes(`//${place}`)) shown.add(place);
        for (const value of hostile('value')) if (text.includes(value)) values.add(value);
      };
      const harmlessPages = pagesOf('good');
      for (const [n, path] of pagesOf('bad').entries()) {
        await test.step(path, async () => {
          const bad = await visit(page, detector, program.address, path);
          const good = await visit(page, detector, program.address, harmlessPages[n]!);
          expect(bad.map((look) => look.elements), 'as many elements as with harmless words').toEqual(good.map((look) => look.elements));
          note(bad);
        });
      }
      const rest = [1, 2, 3, 4, 5].map((n) => `/job/bad-told-${n}`);
      for (const path of [...rest, '/', '/jobs/delay', '/workers', '/audit', '/settings', '/schedules']) {
        await test.step(path, async () => note(await visit(page, detector, program.address, path)));
      }
      expect([...shown].sort(), 'every place is on a page').toEqual([...PLACES].sort());
      expect(values.size, 'every payload is on a page').toBe(PAYLOADS.length);
    });

    test('scripts that arrive while a page is open, and that people type, are text', async ({ page, context, house, detector }) => {
      const { program, api } = house;
      await plantEverywhere(program, api, hostile);
      await api.enqueueMany([0, 1, 2].map((n) => ({ kind: 'k', id: `live-${n}`, queue: 'live', payload: hostile('value').slice(0, TOGETHER) })));
      await api.enqueue({ kind: 'k', id: 'later', queue: 'later', delay_ms: HOUR_MS });
      const [dead, queue] = [await context.newPage(), await context.newPage()];
      await visit(page, detector, program.address, '/job/live-0');
      await visit(dead, detector, program.address, '/jobs/dead?queue=live');
      await visit(queue, detector, program.address, '/queue/live');

      await work(program, api, 'live', hostile, 'live');
      await api.call('POST', '/queues/live/pause', { reason: `${PAYLOADS[0]}//livepause` });
      for (const place of ['liveprogress', 'liveresult', 'livelog', 'liveerror']) await shows(page, detector, place);
      await shows(queue, detector, 'livepause');
      await shows(dead, detector, 'liveerror');
      // Those that died after it was read wait to be shown.
      await dead.locator('a[href^="/job/live-"]').first().click();
      await expect(dead.getByRole('complementary', { name: 'Job' }).getByRole('heading').first()).toBeVisible();
      await shows(dead, detector, 'livelog');

      // What is typed is shown again before it is sent.
      await queue.keyboard.press('Control+k');
      const some = SCRIPTS.filter((_, n) => n % 15 === 0);
      for (const script of some) await queue.getByRole('dialog', { name: 'Go anywhere' }).getByRole('textbox').fill(script);
      await visit(dead, detector, program.address, '/jobs/delay');
      const filter = dead.getByRole('combobox', { name: 'Filter' });
      for (const script of some) {
        await filter.fill(`${script}//typed`);
        await filter.press('Enter');
        await shows(dead, detector, 'typed');
      }
      await visit(page, detector, program.address, '/job/later');
      await page.locator('main').getByRole('button', { name: 'Cancel', exact: true }).click();
      await page.getByRole('dialog').getByLabel('Note').fill(`${PAYLOADS[14]}//note`);
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel job' }).click();
      await shows(page, detector, 'note');
      expect((await detector.look(queue)).alive).toEqual([]);
      expect(detector.seen).toEqual([]);
    });
  });
}
