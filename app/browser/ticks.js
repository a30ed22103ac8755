/** Which rows of a list are ticked: by click, by key, by range; and a list as it was left, for going back to it. */
import { areCommands } from './keys.js';
import { readAnew, rows } from './rows.js';
import { counted } from './words.js';

/** So many lists are remembered. */
const LISTS_MAX = 8;
const STORE = 'lists';

const form = () => /** @type {HTMLFormElement | null} */ (document.querySelector('#bulk'));
/** @param {Element | null | undefined} row */
const box = (row) => /** @type {HTMLInputElement | null} */ (row?.querySelector('.cell-tick input') ?? null);
/** @param {Element} row @param {boolean} wanted */
function set(row, wanted) {
  const found = box(row);
  if (found) found.checked = wanted;
}
/** The row that a range begins at. */
let last = '';
/** @type {string[]} The rows ticked. */
let ticked = [];

/** Says how many are ticked. */
function count() {
  const bar = /** @type {HTMLElement | null} */ (form()?.querySelector('.bulk-bar'));
  const { dataset } = document.documentElement;
  delete dataset.ticked;
  if (!bar) return;
  ticked = rows().filter((row) => box(row)?.checked).map(({ id }) => id);
  const all = /** @type {HTMLInputElement | null} */ (bar.querySelector('[name=all]'));
  // On the root, where the style of everything else can read it without a search through the page.
  if (ticked.length || all?.checked) dataset.ticked = '';
  // Beside it stands how many all of them are.
  const text = all?.checked ? '' : counted('bulk-ticked', ticked.length);
  const place = bar.querySelector('.bulk-count');
  if (place && place.textContent !== text) place.textContent = text;
  const each = /** @type {HTMLInputElement | null} */ (document.querySelector('.tick-all'));
  if (each) each.checked = ticked.length > 0 && ticked.length === rows().length;
}

/** Gives a row the state that is wanted, and with `isRange` all that stand between it and the one before. @param {HTMLTableRowElement} row @param {boolean} wanted @param {boolean} isRange */
function tick(row, wanted, isRange) {
  const all = rows();
  const [at, from] = [all.indexOf(row), isRange ? all.findIndex(({ id }) => id === last) : -1];
  for (const one of all.slice(Math.min(from < 0 ? at : from, at), Math.max(from, at) + 1)) set(one, wanted);
  last = row.id;
  count();
}

document.addEventListener('click', ({ target, shiftKey }) => {
  if (!(target instanceof HTMLInputElement)) return;
  const row = target.closest('.cell-tick') && target.closest('tbody tr');
  if (row instanceof HTMLTableRowElement) tick(row, target.checked, shiftKey);
  if (!target.matches('.tick-all')) return;
  for (const one of rows()) set(one, target.checked);
  count();
});

document.addEventListener('keydown', (event) => {
  if (event.defaultPrevented || !areCommands(event) || !form()) return;
  if (event.key === 'a') /** @type {HTMLElement | null} */ (document.querySelector('.tick-all'))?.click();
  else if (event.key === 'x' || event.key === 'X') {
    const row = document.activeElement?.closest('.job-table tbody tr');
    if (!(row instanceof HTMLTableRowElement)) return;
    tick(row, !box(row)?.checked, event.key === 'X');
  } else return;
  event.preventDefault();
});

addEventListener('change', ({ target }) => target instanceof HTMLInputElement && target.name === 'all' && count());
addEventListener('reset', () => setTimeout(count));
addEventListener('page:shown', count);

/** @typedef {{ address: string, ticked: string[], rows: number, top: number }} Left A list as it was left. */
/** @returns {Left[]} */
const lists = () => JSON.parse(sessionStorage.getItem(STORE) ?? '[]');

addEventListener('pagehide', () => {
  const address = location.pathname + location.search;
  if (!form()) return;
  const left = { address, ticked, rows: rows().length, top: scrollY };
  sessionStorage.setItem(STORE, JSON.stringify([...lists().filter((other) => other.address !== address), left].slice(-LISTS_MAX)));
});

/** The list on screen as it was left before, if it was. */
const left = () => lists().find(({ address }) => address === location.pathname + location.search);

/** Ticks the rows that were ticked when a list was left. @param {Left} left */
function tickAgain(left) {
  for (const row of rows()) if (left.ticked.includes(row.id)) set(row, true);
  count();
}

/** Going back to a list finds its rows, its ticks and their place. A link begins at the top. */
function comeBack() {
  const [way] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType('navigation'));
  const was = left();
  if (way?.type !== 'back_forward' || !was || !form()) return;
  const restore = () => {
    tickAgain(was);
    scrollTo(0, was.top);
  };
  if (was.rows <= rows().length) return restore();
  addEventListener('page:shown', () => setTimeout(restore), { once: true });
  readAnew(was.rows);
}

// A page that the browser kept for the way back has its rows and their place. WebKit resets its fields with
// autocomplete="off", in a task after this event.
addEventListener('pageshow', ({ persisted }) => {
  const was = left();
  if (persisted && was) setTimeout(() => tickAgain(was));
});

comeBack();
count();
