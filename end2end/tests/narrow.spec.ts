import { Gate } from '../support/gate.ts';
import { expect, expectAccessible, open, test, unique } from '../support/reprieve.ts';
import { Screens } from '../support/screens.ts';

const HOUR_MS = 3_600_000;

/** Three jobs of a queue, two of one kind. */
function mixed(queue: string) {
  return ['ok.much', 'ok.much', 'ok.little'].map((kind, n) => ({ kind, queue, delay_ms: HOUR_MS + n }));
}

for (const { width, screen } of [{ width: 1280, screen: 'a laptop' }, { width: 360, screen: 'a phone' }]) {
  test(`a list is narrowed down by its kinds on ${screen}`, async ({ page, reprieve }) => {
    await page.setViewportSize({ width, height: 740 });
    const queue = unique('narrow');
    await reprieve.api.enqueueMany(mixed(queue));
    const screens = new Screens(page, reprieve.program.address);
    await screens.list('delay', queue);
    const panel = page.getByRole('complementary', { name: 'By queue, kind, tag' });
    const kind = panel.getByRole('link', { name: /^ok\.much\s*2$/ });
    await expect(kind).toBeHidden();

    await page.getByRole('link', { name: 'By queue, kind, tag' }).focus();
    await page.keyboard.press('Enter');
    await expect(kind).toBeVisible();
    await expectAccessible(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    await kind.click();
    await expect(page.getByRole('link', { name: 'Remove kind:ok.much' })).toBeVisible();
    await expect(page.locator('tr[data-id]')).toHaveCount(2);
    await expect(kind, 'it is folded again').toBeHidden();
  });
}

test('on a wide screen what narrows a list down is beside it', async ({ page, reprieve }) => {
  await page.setViewportSize({ width: 1700, height: 900 });
  const queue = unique('wide');
  await reprieve.api.enqueueMany(mixed(queue));
  const screens = new Screens(page, reprieve.program.address);
  await screens.list('delay', queue);
  const panel = page.getByRole('complementary', { name: 'By queue, kind, tag' });
  await expect(panel.getByRole('link', { name: /^ok\.much\s*2$/ })).toBeVisible();
  await expect(page.getByRole('link', { name: 'By queue, kind, tag' })).toBeHidden();
});

test('what narrows a list down is not that of the list before, which came late', async ({ page, reprieve }) => {
  await page.setViewportSize({ width: 1700, height: 900 });
  const queue = unique('late');
  await reprieve.api.enqueueMany(mixed(queue));
  const screens = new Screens(page, reprieve.program.address);
  await screens.list('delay', queue);
  const panel = page.getByRole('complementary', { name: 'By queue, kind, tag' });
  const little = panel.getByRole('link', { name: /^ok\.little\s*1$/ });
  await expect(little).toBeVisible();
  const ofMuch = /ok\.much.*part=facets/;
  const gate = await Gate.before(page, ofMuch);
  gate.shut();
  const asked = page.waitForRequest(ofMuch);
  await panel.getByRole('link', { name: /^ok\.much\s*2$/ }).click();
  await asked;
  await page.getByRole('link', { name: 'Remove kind:ok.much' }).click();
  await expect(page.locator('tr[data-id]')).toHaveCount(3);

  const late = page.waitForResponse(ofMuch);
  gate.open();
  await (await late).finished();
  // Behind the answer: nothing is asked again for that.
  await page.locator('a.order').click();
  await expect(page).toHaveURL(/dir=descending/);
  await expect(little).toBeVisible();
});

test('where nothing matches, it says how many jobs each term keeps away', async ({ page, reprieve }) => {
  const queue = unique('ways');
  await reprieve.api.enqueueMany(mixed(queue));
  const screens = new Screens(page, reprieve.program.address);
  await open(page, reprieve.url(`/jobs/delay?queue=${queue}&q=kind:ok.much+tag:none`));
  await expect(page.getByRole('link', { name: 'Without kind:ok.much · 0 jobs' })).toBeVisible();
  await expect(page.getByRole('link', { name: `Without queue:${queue} · 0 jobs` })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Without tag:none · 2 jobs' }).click();
  await expect(page.locator('tr[data-id]')).toHaveCount(2);
  await expect(screens.page).toHaveURL(/q=kind:ok\.much$/);
});

test.describe('asked first', () => {
  // The browser itself notes the refusal on the console.
  test.use({ expectedComplaints: /status of 422/ });

  test('saved views say how many jobs they have when somebody asks', async ({ page, reprieve }) => {
    const queue = unique('counted');
    await reprieve.api.enqueueMany(mixed(queue));
    await open(page, reprieve.url(`/jobs/delay?q=queue:${queue}`));
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('part=views')) asked.push(request.url());
    });
    await page.getByRole('button', { name: 'Save this view' }).click();
    await page.getByLabel('Name').fill(queue);
    await page.getByRole('dialog', { name: 'Save this view' }).getByRole('button', { name: 'Save this view' }).click();
    await expect(page.getByText('Saved. It stands beside the other views.').and(page.locator(':visible')).first()).toBeVisible();
    await expect(page.getByRole('dialog', { name: 'Save this view' }), 'nothing is left to do there').toBeHidden();
    const views = page.getByRole('navigation', { name: 'Saved views' });
    await expect(views.getByRole('link', { name: queue, exact: true })).toBeVisible();
    expect(asked, 'nobody pays for what nobody asks').toEqual([]);

    // Another one of the same name asks first.
    const form = page.getByRole('dialog', { name: 'Save this view' });
    await page.getByRole('button', { name: 'Save this view' }).click();
    await form.getByLabel('Name').fill(queue);
    await form.getByRole('button', { name: 'Save this view' }).click();
    await expect(form.getByText('You have a view of this name.')).toBeVisible();
    await form.getByLabel('Replace my view that is called that').check();
    await form.getByRole('button', { name: 'Save this view' }).click();
    await expect(form).toBeHidden();
    await expect(page.getByLabel('Replace my view that is called that'), 'it was said of that one').not.toBeChecked();
    await expect(views.getByRole('link', { name: queue, exact: true })).toHaveCount(1);

    await page.keyboard.press('Escape');
    await views.getByRole('link', { name: 'Show counts' }).click();
    await expect(views.getByRole('link', { name: `${queue} 3`, exact: true })).toBeVisible();
    await expect(views.getByRole('link', { name: /^Held \d+$/ })).toBeVisible();
    await expectAccessible(page);
    await views.getByRole('link', { name: 'Hide counts' }).click();
    await expect(views.getByRole('link', { name: queue, exact: true })).toBeVisible();
    expect(asked).toHaveLength(1);
  });
});

for (const scripts of [true, false]) {
  test.describe(`the navigation ${scripts ? 'with' : 'without'} scripts`, () => {
    test.use({ javaScriptEnabled: scripts });

    test('saved views stand in the navigation with their counts, once somebody unfolds them', async ({ page, reprieve }) => {
      const queue = unique('pinned');
      await reprieve.api.enqueueMany(mixed(queue));
      const show = async (path: string) => {
        if (scripts) await open(page, reprieve.url(path));
        else await page.goto(reprieve.url(path));
      };
      await show(`/jobs/delay?q=queue:${queue}`);
      const form = page.getByRole('dialog', { name: 'Save this view' });
      await page.getByRole('button', { name: 'Save this view' }).first().click();
      await form.getByLabel('Name').fill(`!${queue}`);
      await form.getByRole('button', { name: 'Save this view' }).click();
      await expect(page.getByText('Saved. It stands beside the other views.').and(page.locator(':visible')).first()).toBeVisible();

      await show('/workers');
      const pages = page.getByRole('navigation', { name: 'Pages' });
      const fold = pages.getByRole('button', { name: 'Saved views' });
      await expect(fold).toHaveAttribute('aria-expanded', 'false');
      await fold.click();
      await expect(fold).toHaveAttribute('aria-expanded', 'true');
      const link = pages.getByRole('link', { name: `!${queue} 3`, exact: true });
      await expect(link).toBeVisible();
      if (scripts) {
        await page.evaluate(() => new Promise((shown) => {
          addEventListener('page:shown', shown, { once: true });
          dispatchEvent(new Event('page:stale'));
        }));
        expect(await link.count(), 'a refresh leaves them').toBe(1);
      }
      await page.reload();
      await expect(link, 'it stays so').toBeVisible();
      if (scripts) await expectAccessible(page);
      await link.click();
      await expect(page.locator('tr[data-id]')).toHaveCount(3);
      await fold.click();
      await expect(link).toBeHidden();
    });
  });
}

test.describe('east of here', () => {
  test.use({ timezoneId: 'Asia/Shanghai' });

  test('dead today means since midnight on the reader\'s wall', async ({ page, reprieve }) => {
    const today = () => new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Shanghai' }).format(new Date());
    const before = today();
    await open(page, reprieve.url('/jobs/dead'));
    // The first page knows the zone of the browser once its script has told it.
    await expect(page.locator('.wall-clock')).not.toContainText('UTC');
    await page.getByRole('navigation', { name: 'Saved views' }).getByRole('link', { name: 'Dead today' }).click();
    const line = page.getByRole('combobox', { name: 'Filter' });
    await expect(line).toHaveValue(/^ended:>=/);
    // Midnight may have passed meanwhile.
    expect([before, today()].map((day) => `ended:>=${day}T00:00+08:00`)).toContain(await line.inputValue());
  });
});

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false });

  test('a list is narrowed down, views are counted, and ways out have numbers', async ({ page, reprieve }) => {
    const queue = unique('plainnarrow');
    await reprieve.api.enqueueMany(mixed(queue));
    await page.goto(reprieve.url(`/jobs/delay?queue=${queue}`));
    const panel = page.getByRole('complementary', { name: 'By queue, kind, tag' });
    await expect(panel.getByRole('link', { name: /^ok\.much/ })).toHaveCount(0);
    await page.getByRole('link', { name: 'By queue, kind, tag' }).click();
    await panel.getByRole('link', { name: /^ok\.much\s*2$/ }).click();
    await expect(page.locator('tr[data-id]')).toHaveCount(2);

    const views = page.getByRole('navigation', { name: 'Saved views' });
    await views.getByRole('link', { name: 'Show counts' }).click();
    await expect(views.getByRole('link', { name: /^Held \d+$/ })).toBeVisible();
    await page.goto(reprieve.url(`/jobs/dead?queue=${queue}&q=kind:none`));
    await expect(page.getByRole('link', { name: 'Without kind:none · 0 jobs' })).toBeVisible();
  });
});

test('a double click folds the navigation once, here and for the next page', async ({ page, reprieve }) => {
  await open(page, reprieve.url('/'));
  const root = page.locator('html');
  // Where the button is in either width.
  await page.getByRole('button', { name: 'Fold navigation' }).dblclick({ position: { x: 20, y: 16 } });
  await expect(root).toHaveAttribute('data-navigation', 'narrow');
  await expect(page.getByRole('button', { name: 'Unfold navigation' })).toBeVisible();
  await expect.poll(async () => (await page.context().cookies()).find(({ name }) => name === 'navigation')?.value).toBe('narrow');
  await page.reload();
  await expect(root).toHaveAttribute('data-navigation', 'narrow');
});
