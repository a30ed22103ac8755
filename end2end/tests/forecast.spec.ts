import { readFile } from 'node:fs/promises';
import type { Locator, Page } from '@playwright/test';
import { alive, expect, open, test, unique } from '../support/reprieve.ts';
import type { Api } from '../support/api.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** So many jobs of one queue, a minute apart, at noon (UTC) the day after tomorrow. */
async function peak(api: Api, count: number): Promise<{ queue: string; day: string; jobs: { id: string; planned: number }[] }> {
  const queue = unique('peak');
  const day = new Date(Date.now() + 2 * DAY_MS).toISOString().slice(0, 10);
  const noon = Date.parse(`${day}T12:00:00Z`);
  const wanted = Array.from({ length: count }, (_, n) => ({ kind: 'ok.peak', queue, due_ms: noon + n * MINUTE_MS }));
  const made = await api.enqueueMany(wanted);
  const jobs = wanted.map((job, n) => ({ id: made[n]?.id ?? '', planned: job.due_ms }));
  return { queue, day, jobs };
}

/** The heading that names what is shown of the calendar. */
function period(page: Page): Locator {
  return page.getByRole('main').getByRole('heading', { level: 2 }).first();
}

test('a day of the month leads to exactly the jobs it counts', async ({ page, reprieve }) => {
  const { queue, day } = await peak(reprieve.api, 12);
  await open(page, reprieve.url(`/forecast?view=month&queue=${queue}&date=${day}`));
  await expect(page.getByText('12 jobs are due in this range.')).toBeVisible();

  await page.getByRole('table').getByRole('link', { name: '12 jobs' }).click();
  await expect(page).toHaveURL(/\/jobs\/delay\?queue=/);
  await expect(page.locator('main a[href^="/job/"]').first()).toBeVisible();
  await expect(page.getByText(/\b12 jobs?\b|\b12 matching\b/).and(page.locator(':visible')).first()).toBeVisible();
});

test('day, week and 400 days count the same jobs, as a picture and as a table', async ({ page, reprieve }) => {
  const { queue, day } = await peak(reprieve.api, 9);
  await open(page, reprieve.url(`/forecast?view=week&queue=${queue}&date=${day}`));
  const named = period(page);
  for (const view of ['Day', 'Week', '400 days', 'Month']) {
    const before = await named.innerText();
    await page.getByRole('group', { name: 'How much of the calendar' }).getByRole('link', { name: view, exact: true }).click();
    // Until then the one before stands there, which counts as many.
    await expect(named, view).not.toHaveText(before);
    await expect(page.getByText('9 jobs are due in this range.')).toBeVisible();
    await page.getByText('As a table').click();
    const rows = page.getByRole('table', { name: 'Jobs due over time, by kind' }).getByRole('row');
    await expect.poll(async () => sum(await rows.locator('td:nth-child(2)').allInnerTexts())).toBe(9);
    await page.getByText('As a table').click();
  }
});

test('the part of the calendar that is shown is named', async ({ page, context, reprieve }) => {
  const named = period(page);
  // No fixed one: a forecast reaches 400 days.
  const today = new Date();
  const date = today.toISOString().slice(0, 10);
  // `Sat 21 Nov 2026`, so many days later.
  const written = (days: number) => new Date(today.getTime() + days * DAY_MS).toUTCString().slice(0, 16).replace(/, 0?/, ' ');
  const sinceMonday = (today.getUTCDay() + 6) % 7;
  for (const [view, name] of [
    ['month', today.toLocaleDateString('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' })],
    ['week', `${written(-sinceMonday)} – ${written(6 - sinceMonday)}`],
    ['day', written(0)],
  ]) {
    await open(page, reprieve.url(`/forecast?view=${view}&date=${date}`));
    await expect(named).toHaveText(name!);
  }
  // A page that is open would load itself anew in the other language meanwhile.
  await page.goto('about:blank');
  await context.addCookies([{ name: 'language', value: 'zh-CN', url: reprieve.program.address }]);
  await open(page, reprieve.url(`/forecast?date=${date}`));
  await expect(named).toHaveText(`${today.getUTCFullYear()} 年 ${today.getUTCMonth() + 1} 月`);
});

test('what stands below a day and a week stands where that time begins', async ({ page, reprieve }) => {
  const { queue, day } = await peak(reprieve.api, 3);
  const words = page.locator('.chart[data-chart="forecast"] .chart-bottom text');
  // Noon is in the middle; a bar is as wide as an hour.
  await open(page, reprieve.url(`/forecast?view=day&queue=${queue}&date=${day}&zone=UTC`));
  await expect(words).toHaveText(['00:00', '06:00', '12:00', '18:00']);
  const plot = await page.locator('.chart[data-chart="forecast"] .chart-plot').boundingBox();
  const bar = await page.locator('.chart-plot a rect.kind').first().boundingBox();
  await expect(page.locator('.chart-plot a', { has: page.locator('rect.kind') }).locator('title')).toHaveText(/ 12:00 · 3 jobs · ok\.peak 3$/);
  const noon = await words.nth(2).boundingBox();
  if (!plot || !bar || !noon) throw new Error('the chart is drawn');
  expect(Math.abs(noon.x - (plot.x + plot.width / 2)), 'in the middle').toBeLessThan(3);
  expect(Math.abs(noon.x - bar.x), 'below its bar').toBeLessThan(plot.width / 24);

  await page.setViewportSize({ width: 360, height: 740 });
  await open(page, reprieve.url(`/forecast?view=week&queue=${queue}&date=${day}&zone=UTC`));
  await expect(words).toHaveText(['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].map((name) => new RegExp(`^${name} \\d+$`)));
  const boxes = await Promise.all((await words.filter({ visible: true }).all()).map((word) => word.boundingBox()));
  for (const [n, box] of boxes.entries()) {
    expect((box?.x ?? 0) + (box?.width ?? 0), 'none runs into the next').toBeLessThan(boxes[n + 1]?.x ?? 360);
  }
});

test('the desk leads to the calendar of its subject, which counts nobody else', async ({ page, reprieve }) => {
  const subject = `customer:${unique('calendar')}`;
  const due_ms = Date.now() + 2 * DAY_MS;
  await reprieve.api.enqueueMany([
    { kind: 'ok.notice', queue: 'calendar', subject, due_ms },
    { kind: 'ok.delete', queue: 'calendar', subject, due_ms: due_ms + MINUTE_MS },
    { kind: 'ok.notice', queue: 'calendar', subject: `${subject}-other`, due_ms },
  ]);
  await open(page, reprieve.url(`/desk/${subject}`));

  await page.getByRole('link', { name: 'Calendar' }).click();

  await expect(page.getByText('2 jobs are due in this range.')).toBeVisible();
  await expect(page.getByLabel('Subject', { exact: true })).toHaveValue(subject);
  await expect(page.getByRole('heading', { name: 'Spread a peak over a window' })).toHaveCount(0);
  await page.getByRole('table').getByRole('link', { name: /jobs?$/ }).first().click();
  await expect(page).toHaveURL(/q=due:.*subject:customer/);
  await expect(page.locator('main a[href^="/job/"]').first()).toBeVisible();
});

test('what is on screen can be taken along as a file', async ({ page, reprieve }) => {
  const { queue, day } = await peak(reprieve.api, 4);
  await open(page, reprieve.url(`/forecast?view=week&queue=${queue}&date=${day}`));
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Export' }).click()]);
  expect(file.suggestedFilename()).toMatch(/^forecast-week-.*\.csv$/);
  const lines = (await readFile(await file.path(), 'utf8')).trim().split('\n');
  expect(lines).toHaveLength(1 + 7 * 24);
  expect(lines.find((line) => line.startsWith(`${day}T12:00:00`))?.split(',')[2]).toBe('4');
});

test('a day on which the clocks change is marked, and every sum stays', async ({ page, reprieve }) => {
  const zone = 'Europe/Berlin';
  const changes = nextChange(zone);
  const queue = unique('clocks');
  // One in every hour of two days around it, so that none is lost or counted twice where an hour is missing.
  const first = changes - DAY_MS;
  await reprieve.api.enqueueMany(Array.from({ length: 48 }, (_, n) => ({ kind: 'ok.clocks', queue, due_ms: first + n * 60 * MINUTE_MS + 1 })));
  const day = new Date(changes).toLocaleDateString('sv-SE', { timeZone: zone });
  const isForward = new Date(changes).getUTCMonth() < 6;
  const sentence = `${day}: the clocks go ${isForward ? 'forward' : 'back'}.`;

  for (const [view, count] of [['month', 48], ['week', undefined], ['day', isForward ? 23 : 25]] as const) {
    await open(page, reprieve.url(`/forecast?view=${view}&zone=${zone}&queue=${queue}&date=${day}`));
    await expect(page.locator('.forecast-notes').getByText(sentence).first(), view).toBeVisible();
    if (count) await expect(page.getByText(`${count} jobs are due in this range.`)).toBeVisible();
    await page.getByText('As a table').click();
    const cells = page.getByRole('table', { name: 'Jobs due over time, by kind' }).locator('td:nth-child(2)');
    const said = Number(/(\d+) jobs are due in this range/.exec(await page.getByRole('main').innerText())?.[1]);
    expect(sum(await cells.allInnerTexts()), view).toBe(said);
  }
});

/** The next instant at which the clocks of a zone are put forward or back, with all of the day before it still to come. */
function nextChange(zone: string): number {
  const offset = (at: number) => {
    const wall = new Date(at).toLocaleString('sv-SE', { timeZone: zone });
    return Date.parse(`${wall.replace(' ', 'T')}Z`) - at;
  };
  const first = (Math.ceil(Date.now() / DAY_MS) + 1) * DAY_MS;
  for (let at = first; ; at += 60 * MINUTE_MS) if (offset(at) !== offset(at - 60 * MINUTE_MS)) return at;
}

function sum(figures: string[]): number {
  return figures.reduce((total, figure) => total + Number(figure.replaceAll(',', '')), 0);
}

for (const scripts of [true, false]) {
  test.describe(scripts ? 'with scripts' : 'without scripts', () => {
    test.use({ javaScriptEnabled: scripts });

    test('a peak is looked at, then spread over a window', async ({ page, reprieve }) => {
      const { queue, day, jobs } = await peak(reprieve.api, 8);
      const address = reprieve.url(`/forecast?view=day&queue=${queue}&date=${day}`);
      if (scripts) await open(page, address);
      else await page.goto(address);
      await page.getByText('Spread a peak over a window').click();
      const form = page.locator('.forecast-spread li').first();
      await form.getByLabel('over').selectOption({ index: 1 });
      const questions: string[] = [];
      page.on('dialog', (dialog) => {
        questions.push(dialog.type());
        return dialog.accept();
      });
      await form.getByRole('button', { name: 'Look at it' }).click();
      await expect(page, 'nothing has changed yet; the run shows what would').toHaveURL(/\/bulk\/[^/]+$/);
      expect(questions, 'what is sent is not left').toEqual([]);
      await expect(page.getByRole('heading', { level: 1 })).toContainText('8');
      await expect(page.getByText('Each comes later by its part of 1 h: the first not at all, the last by nearly all of it.')).toBeVisible();
      await page.locator('button[data-confirms]').click();
      const later = async () => {
        const due = await Promise.all(jobs.map(async ({ id }) => (await reprieve.api.job(id)).due_ms));
        return due.map((at, n) => Math.round((at - (jobs[n]?.planned ?? 0)) / MINUTE_MS)).sort((a, b) => a - b);
      };
      await expect.poll(later, { timeout: 60_000, message: 'none is before its time' }).toEqual([0, 8, 15, 23, 30, 38, 45, 53]);
    });

    test('the form asks for another queue and day, and the address keeps it', async ({ page, reprieve }) => {
      const { queue, day } = await peak(reprieve.api, 3);
      if (scripts) await open(page, reprieve.url('/forecast'));
      else await page.goto(reprieve.url('/forecast'));
      await page.getByLabel('Date', { exact: true }).fill(day);
      await page.getByLabel('Queue', { exact: true }).fill(queue);
      await page.getByRole('button', { name: 'Show' }).click();
      await expect(page).toHaveURL(new RegExp(`date=${day}`));
      await expect(page.getByText('3 jobs are due in this range.')).toBeVisible();
    });
  });
}

/** Opens a peak of four jobs, and adds one to it: what it returns waits until the page has been read again. */
async function readAgain(page: Page, reprieve: { api: Api; url: (path: string) => string }): Promise<() => Promise<void>> {
  const { queue, day } = await peak(reprieve.api, 4);
  await open(page, reprieve.url(`/forecast?view=day&queue=${queue}&date=${day}&zone=UTC`));
  await page.getByText('Spread a peak over a window').click();
  return async () => {
    await reprieve.api.enqueueMany([{ kind: 'ok.peak', queue, due_ms: Date.parse(`${day}T18:00:00Z`) }]);
    // It is read every 15 seconds.
    await expect(page.getByText('5 jobs are due in this range.')).toBeVisible({ timeout: 60_000 });
  };
}

test('an answer that comes after the page has been read again leads to its run', async ({ page, reprieve }) => {
  const again = await readAgain(page, reprieve);
  let answer = (): void => undefined;
  const held = new Promise<void>((resolve) => (answer = resolve));
  await page.route('**/api/fn/spread_peak', async (route) => {
    await held;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Look at it' }).first().click();
  await again();

  answer();

  await expect(page).toHaveURL(/\/bulk\/[^/]+$/);
});

test.describe('a peak that cannot be spread', () => {
  test.use({ expectedComplaints: /net::ERR_FAILED/ });

  test('says so also after the page has been read again', async ({ page, reprieve }) => {
    const again = await readAgain(page, reprieve);
    await page.route('**/api/fn/spread_peak', (route) => route.abort());
    await page.getByRole('button', { name: 'Look at it' }).first().click();
    const refusal = page.locator('.forecast-spread .refusal');
    await expect(refusal).toBeVisible();

    await again();

    await expect(refusal).toBeVisible();
    await page.getByRole('link', { name: 'Week', exact: true }).click();
    await expect(page).toHaveURL(/view=week/);
    await expect(refusal, 'it is nothing of another period').toHaveCount(0);
  });
});

test.describe('a zone that does not exist', () => {
  test.use({ expectedComplaints: /status of 422/ });

  test('is said at once, and the way back stays', async ({ page, reprieve }) => {
    const answer = await page.goto(reprieve.url('/forecast?zone=Mars/Olympus'));
    expect(answer?.status()).toBe(422);
    await alive(page);
    await expect(page.getByText(/There is no such date or time zone/)).toBeVisible();
    await page.getByLabel('Zone', { exact: true }).fill('Europe/Berlin');
    await page.getByRole('button', { name: 'Show' }).click();
    await expect(page.getByText(/There is no such date or time zone/)).toHaveCount(0);
    await expect(page).toHaveURL(/zone=Europe/);
  });
});

test('with the keyboard: to the forecast, to the week, and on', async ({ page, reprieve }) => {
  await open(page, reprieve.url('/'));
  await page.keyboard.press('g');
  await page.keyboard.press('f');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Forecast');
  const week = page.getByRole('link', { name: 'Week', exact: true });
  await week.focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/view=week/);
  await expect(week).toHaveAttribute('aria-current', 'true');
  const shown = await page.getByLabel('Date', { exact: true }).inputValue();
  await page.getByRole('link', { name: 'Later' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('Date', { exact: true })).not.toHaveValue(shown);
});
