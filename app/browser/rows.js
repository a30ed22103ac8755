/** The rows of a list: they stay where they are while their jobs change, and more of them come below. */
import { ask, parse } from './ask.js';
import { staysHere } from './keys.js';
import { make } from './make.js';
import { notice, tell } from './notices.js';
import { counted, say } from './words.js';

/** The chip counts no further. */
const FRESH_MAX = 99;
/** Ids that one address holds, in characters: proxies take 8 KB of it. */
const IDS_MAX = 4_000;

/** @param {ParentNode} [page] */
const list = (page = document) => /** @type {HTMLElement | null} */ (page.querySelector('.jobs-list'));
/** @param {ParentNode | null} [place] */
export const rows = (place = list()) => /** @type {HTMLTableRowElement[]} */ ([...(place?.querySelectorAll('.job-table tbody tr') ?? [])]);
/** @param {HTMLElement | null | undefined} row */
export const rowLink = (row) => /** @type {HTMLElement | null} */ (row?.querySelector('[data-row-link]') ?? null);

/** The next reading takes the place of the rows on screen, with so many of them. */
let letIn = 0;

/** The address of a list, whichever job is open beside it. */
function ofList() {
  const address = new URL(location.href);
  address.searchParams.delete('open');
  return address.href;
}

/** The list on screen, and the one that is about to be. */
let onScreen = ofList();
let coming = onScreen;

/** What to ask for to see this page as it is now: with as many rows of the same list as are on screen. */
export function addressToRead() {
  const address = new URL(location.href);
  const shown = letIn || (ofList() === onScreen ? rows().length : 0);
  // Looking through jobs again would cost more than it tells.
  if (list()?.dataset.scan !== undefined && shown && !letIn) address.searchParams.set('part', 'around');
  else if (shown) address.searchParams.set('shown', String(shown));
  return address;
}

/** Shows the list as it is now, whatever rows that moves. @param {number} [count] How many of them. */
export function readAnew(count = rows().length) {
  letIn = Math.max(count, 1);
  dispatchEvent(new Event('page:stale'));
}

/**
 * Puts the rows on screen into another reading of their list, each as it is now: in their order, and no others. What is new is
 * counted.
 * @param {Document} page
 */
export async function keepRows(page) {
  coming = ofList();
  const [mine, theirs] = [list(), list(page)];
  if (!mine || !theirs || letIn || mine.dataset.list !== theirs.dataset.list || !rows().length) return;
  const read = new Map(rows(theirs).map((row) => [row.id, row]));
  const isScan = mine.dataset.scan !== undefined;
  if (!isScan) announce(theirs, countNew(rows(theirs)), !rows().some(({ id }) => read.has(id)) && theirs.querySelector('[data-more]') !== null);
  const missing = rows().filter(({ id }) => !read.has(id));
  // What cannot be read now stays as it was.
  for (const row of await readAgain(missing).catch(() => [])) read.set(row.id, row);
  const clone = (/** @type {Element} */ element) => /** @type {HTMLElement} */ (element.cloneNode(true));
  // Others may have been loaded meanwhile.
  const now = rows().map((row) => read.get(row.id) ?? clone(row));
  if (isScan) theirs.replaceChildren(...[...mine.children].map(clone));
  for (const part of ['.job-form', '.pager']) {
    const [old, other] = [mine.querySelector(part), theirs.querySelector(part)];
    if (old && (part === '.job-form' ? !theirs.querySelector('tbody') : rows(theirs).length < now.length)) other?.replaceWith(clone(old));
  }
  theirs.querySelector('tbody')?.replaceChildren(...now);
}

/**
 * Rows as their jobs are now, wherever those went.
 * @param {HTMLTableRowElement[]} missing
 */
async function readAgain(missing) {
  const found = [];
  for (let at = 0; at < missing.length;) {
    const address = new URL(location.href);
    address.searchParams.set('part', 'rows');
    let ids = missing[at]?.dataset.id ?? '';
    for (at += 1; at < missing.length && ids.length < IDS_MAX; at += 1) ids += `,${missing[at]?.dataset.id}`;
    address.searchParams.set('ids', ids);
    const page = parse(await (await ask(address)).text());
    found.push(...rows(list(page)), ...[...page.querySelectorAll('.rows-gone li')].map(asGone));
  }
  // What their payloads have in columns is read with a list alone.
  for (const row of found) {
    const cells = document.getElementById(row.id)?.querySelectorAll('.cell-column') ?? [];
    if (!row.querySelector('.cell-column')) row.querySelector('.cell-main')?.before(...[...cells].map((cell) => cell.cloneNode(true)));
  }
  return found;
}

/** The row of a job that is kept no more. @param {Element} said What its first cell says. */
function asGone(said) {
  const id = /** @type {HTMLElement} */ (said).dataset.id;
  const row = /** @type {HTMLTableRowElement} */ (document.getElementById(`job:${id}`)?.cloneNode(true));
  row.dataset.left = 'true';
  row.querySelector('.cell-when')?.replaceChildren(...said.childNodes);
  row.querySelector('.row-main')?.remove();
  return row;
}

/**
 * How many rows of a reading are new to the screen. Where the list goes on below, those behind the last one shown are not: they
 * were pushed up by others that left.
 * @param {HTMLTableRowElement[]} read
 */
function countNew(read) {
  const known = new Set(rows().map(({ id }) => id));
  const last = read.findLastIndex(({ id }) => known.has(id));
  const end = last >= 0 && list()?.querySelector('[data-more]') ? last : read.length;
  return read.slice(0, end).filter(({ id }) => !known.has(id)).length;
}

/** @param {HTMLElement} place @param {number} count @param {boolean} isMore Whether there may be more than those. */
function announce(place, count, isMore) {
  const chip = /** @type {HTMLElement | null} */ (place.querySelector('.new-chip'));
  if (!chip || !count) return;
  chip.hidden = false;
  chip.textContent = say(isMore || count > FRESH_MAX ? 'jobs-new-many' : 'jobs-new', { count: Math.min(count, FRESH_MAX) });
  const told = make('data', { className: 'told', hidden: true, value: chip.textContent });
  told.dataset.text = chip.textContent;
  chip.before(told);
}

/** Whether a look or a count goes on by itself, step after step. */
let isGoing = false;
/** The list whose look somebody stopped, or that failed. */
let stopped = '';

/** Shows what a link leads to below what is there. The new rows. @param {HTMLAnchorElement} link */
async function take(link) {
  const there = list(parse(await (await ask(link.href)).text()));
  const here = list();
  if (!there || !here) throw new Error('no list');
  let fresh = /** @type {HTMLTableRowElement[]} */ ([]);
  if (link.dataset.step === undefined) {
    fresh = rows(there).filter(({ id }) => !document.getElementById(id));
    if (rows().length) here.querySelector('tbody')?.append(...fresh);
    else here.querySelector('.job-form')?.replaceWith(there.querySelector('.job-form') ?? '');
    const more = there.querySelector('[data-more]');
    if (more) here.querySelector('[data-more]')?.replaceWith(more);
    else here.querySelector('[data-more]')?.remove();
  }
  for (const part of there.querySelectorAll('[data-part]')) document.getElementById(part.id)?.replaceChildren(...part.childNodes);
  dispatchEvent(new Event('page:shown'));
  return fresh;
}

const steps = () => /** @type {HTMLAnchorElement[]} */ ([...document.querySelectorAll('#list-steps a')]);

/** Follows a link, and the next one that stands in its place, until there is none or somebody stops it. @param {HTMLAnchorElement} link */
async function goOn(link) {
  if (isGoing) return;
  isGoing = true;
  stopped = '';
  const { step } = link.dataset;
  try {
    for (let next = /** @type {HTMLAnchorElement | undefined} */ (link); next && isGoing;) {
      showStop(next);
      await take(next);
      next = steps().find(({ dataset }) => dataset.goesOn !== undefined && dataset.step === step);
    }
  } catch {
    stop();
    notice([say('errors-offline')], 'bad');
  }
  isGoing = false;
  for (const button of document.querySelectorAll('#list-steps button')) button.remove();
  for (const other of steps()) other.hidden = false;
}

/** In place of the links to go on, the button that stops it. @param {HTMLAnchorElement} link */
function showStop(link) {
  const button = make('button', { type: 'button', className: 'button' }, link.dataset.stop ?? '');
  button.dataset.size = 'small';
  for (const other of steps()) other.hidden = true;
  document.querySelector('#list-steps button')?.remove();
  link.before(button);
}

function stop() {
  isGoing = false;
  stopped = list()?.dataset.list ?? '';
}

/** Looks on by itself until there is a page of rows. */
function look() {
  const link = steps().find(({ dataset }) => dataset.goesOn !== undefined && dataset.step === undefined);
  if (link && stopped !== list()?.dataset.list) void goOn(link);
}

document.addEventListener('click', async (event) => {
  if (!(event.target instanceof Element) || !staysHere(event)) return;
  if (event.target.closest('.new-chip')) readAnew();
  if (event.target.closest('#list-steps button')) stop();
  const link = event.target.closest('a[data-more], #list-steps a');
  if (!(link instanceof HTMLAnchorElement)) return;
  event.preventDefault();
  if (link.dataset.more === undefined) return goOn(link);
  try {
    const [first, ...others] = await take(link);
    if (!first) return;
    tell(counted('jobs-said-more', others.length + 1));
    rowLink(first)?.focus();
  } catch {
    location.assign(link.href);
  }
});

addEventListener('page:shown', () => {
  onScreen = coming;
  // The chip is gone.
  if (letIn && document.activeElement?.matches('body, .new-chip')) rowLink(rows()[0])?.focus();
  letIn = 0;
  look();
});
look();
