import { expect, type Locator, type Page, type Request } from '@playwright/test';
import type { Api } from './api.ts';
import { open, unique } from './reprieve.ts';

/** The lists of jobs, by the word in their address. */
export const LISTS = ['delay', 'ready', 'active', 'dead', 'done', 'cancelled', 'held'] as const;
export type List = (typeof LISTS)[number];

/** Every page that stands by itself: it needs no job, queue or schedule to be there. */
export const PAGES = [
  '/',
  '/desk',
  '/desk?find=nobody',
  '/dead',
  '/bulk',
  '/audit',
  '/search?find=nobody',
  '/forecast',
  '/forecast?view=day',
  '/forecast?view=week',
  '/forecast?view=year',
  '/schedules',
  '/schedules/new',
  '/workers',
  '/redis',
  '/import',
  '/settings',
] as const;

/** Makes something of every sort under names of its own; the addresses of the pages that show it, and its lists. */
export async function furnished(api: Api, stem: string): Promise<string[]> {
  const HOUR_MS = 3_600_000;
  const name = unique(stem);
  const [waiting, off, held] = ['waiting', 'off', 'held'].map((end) => `${name}-${end}`);
  if (!waiting || !off || !held) throw new Error('three names were asked for');
  await api.enqueueMany([
    { kind: `ok.${stem}`, queue: name, subject: `resource:${name}`, payload: { order: 7 }, delay_ms: HOUR_MS, id: waiting },
    { kind: `ok.${stem}`, queue: name, subject: `resource:${name}`, delay_ms: HOUR_MS, id: off },
    { kind: `ok.${stem}`, queue: name, delay_ms: HOUR_MS, id: held },
    { kind: `ok.${stem}`, queue: name },
    { kind: `fatal.${stem}`, queue: name },
    { kind: `hold.${stem}`, queue: name },
  ]);
  await api.cancel(off);
  await api.hold(held);
  await api.putSchedule({ name, schedule: '30 9 * * MON-FRI', zone: 'Europe/Berlin', job: { kind: `ok.${stem}`, queue: name } });
  const frozen = await api.freeze({ verb: 'cancel', queue: name });
  const lists = LISTS.map((list) => `/jobs/${list}`);
  const jobs = [waiting, off, held].map((id) => `/job/${id}`);
  return [...lists, ...jobs, `/bulk/${frozen.id}`, `/queue/${name}`, `/desk/resource:${name}`, `/schedule/${name}`, `/schedule/${name}/edit`];
}

/** As if somebody looked at another tab, or came back. */
export const show = (page: Page, hidden: boolean): Promise<void> =>
  page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => (hidden ? 'hidden' : 'visible') });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  }, hidden);

/** What a person sees of Reprieve, found by role and label. */
export class Screens {
  readonly page: Page;
  readonly #address: string;

  constructor(page: Page, address: string) {
    this.page = page;
    this.#address = address;
  }

  overview(): Promise<void> {
    return open(this.page, `${this.#address}/`);
  }

  list(list: List, queue?: string): Promise<void> {
    return open(this.page, `${this.#address}/jobs/${list}${queue ? `?queue=${queue}` : ''}`);
  }

  job(id: string): Promise<void> {
    return open(this.page, `${this.#address}/job/${encodeURIComponent(id)}`);
  }

  /** The row (or, on a phone, the card) of a job in a list. */
  row(id: string): Locator {
    return this.page.getByRole('row').filter({ has: this.link(id) });
  }

  /** The link that opens a job. */
  link(id: string): Locator {
    return this.page.locator(`a[href^="${new URL(this.#address).pathname.replace(/\/$/, '')}/job/${id}"]`);
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name, exact: typeof name === 'string' });
  }

  /** Where acts say what came of them. */
  said(sentence: string | RegExp): Locator {
    // The list of past notices has it too, folded away.
    return this.page.getByText(sentence).and(this.page.locator(':visible')).first();
  }

  /** The number on the tile of a live queue. */
  async tile(name: 'Delay' | 'Ready' | 'Active' | 'Dead'): Promise<number> {
    const tile = this.page.getByRole('link', { name: new RegExp(`^${name}\\b`) }).first();
    await expect(tile, `a number on the tile ${name}`).toContainText(/\d/);
    const figure = /[\d,]+/.exec(await tile.innerText())?.[0] ?? 'no number';
    return Number(figure.replaceAll(',', ''));
  }

  /** The due time on the page of a job, as machines read it. */
  due(): Locator {
    return this.page.getByTestId('due').locator('time').first();
  }

  /** The badge with the state of a job, on its page. */
  state(): Locator {
    return this.page.locator('.job-head [data-state]').first();
  }

  /** What leads to the rest of a list. */
  more(): Locator {
    return this.page.getByRole('link', { name: /^(Next page|Load \d+ more)/ });
  }

  /** Says that new rows could be loaded. */
  newChip(): Locator {
    return this.page.getByRole('button', { name: /\d+\+? new/ });
  }

  /** Lets the rows in that arrived since the list was loaded. */
  async loadNew(): Promise<void> {
    await this.newChip().click();
  }

  cancelButton(): Locator {
    return this.page.locator('main, .job-panel').getByRole('button', { name: 'Cancel', exact: true });
  }

  undoButton(): Locator {
    return this.page.locator('main, .job-panel').getByRole('button', { name: 'Undo', exact: true });
  }

  /** The open confirmation. */
  dialog(): Locator {
    return this.page.getByRole('dialog');
  }

  async openCancel(): Promise<void> {
    await this.cancelButton().click();
    await expect(this.dialog()).toBeVisible();
  }

  async confirmCancel(reason: string): Promise<void> {
    await this.confirm('Cancel job', reason);
  }

  async cancel(reason: string): Promise<void> {
    await this.openCancel();
    await this.confirmCancel(reason);
  }

  /** Chooses a reason and presses the button with the verb. */
  async confirm(verb: string | RegExp, reason: string): Promise<void> {
    const dialog = this.dialog();
    // A menu holds the confirmations of its other acts too.
    await dialog.getByLabel('Reason').filter({ visible: true }).selectOption(reason);
    await dialog.getByRole('button', { name: verb }).click();
  }

  async undo(): Promise<void> {
    await this.undoButton().click();
  }

  async runNow(): Promise<void> {
    await this.button('Run now').first().click();
    // What waits for its time asks first.
    await this.page.getByRole('dialog', { name: 'Run now' }).getByRole('button', { name: 'Run now' }).click();
  }

  async retryNow(): Promise<void> {
    await this.button('Retry now').first().click();
  }

  async reschedule(by: string): Promise<void> {
    await this.button('Reschedule').first().click();
    await this.dialog().getByText(by).click();
    await this.dialog().getByRole('button', { name: 'Reschedule' }).click();
  }
}

/** Whether a page asks for itself again by that. */
export function isReading(request: Request): boolean {
  const path = (address: string) => new URL(address).pathname;
  return request.resourceType() === 'fetch' && request.method() === 'GET' && path(request.url()) === path(request.frame().url());
}
