/** A job opens beside its list where there is room. Elsewhere its link leads to its own page. */
import { staysHere } from './keys.js';
import { rowLink, rows } from './rows.js';

/** Narrower than this a job fills the screen, px. */
const ROOM_PX = 1_100;
const panel = () => /** @type {HTMLElement | null} */ (document.querySelector('#job-panel'));
/** The job that was open before. */
let was = panel()?.dataset.open;

/** @param {string} id @param {'pushState' | 'replaceState'} how */
function open(id, how) {
  const address = new URL(location.href);
  address.searchParams.set('open', id);
  history[how](history.state, '', address);
  dispatchEvent(new Event('page:stale'));
}

document.addEventListener('click', (event) => {
  if (!(event.target instanceof Element) || !staysHere(event)) return;
  const walk = event.target.closest('[data-walk]');
  const now = rows().findIndex(({ dataset }) => dataset.id === panel()?.dataset.open);
  const next = walk instanceof HTMLElement && now >= 0 && rows()[now + Number(walk.dataset.walk)]?.dataset.id;
  if (next) return open(next, 'replaceState');
  // It goes at once; the page follows.
  if (event.target.closest('.job-panel-bar [data-here]')) return close();
  const row = event.target.closest('[data-row-link]')?.closest('tr');
  if (!row?.dataset.id || innerWidth < ROOM_PX || !document.querySelector('.jobs-list')) return;
  event.preventDefault();
  open(row.dataset.id, 'pushState');
});

/** The focus goes to the row that it was opened from. */
const backToRow = () => rowLink(rows().find(({ dataset }) => dataset.id === was))?.focus();

/** Closes it, and is at its row. */
function close() {
  panel()?.remove();
  backToRow();
  was = undefined;
}

// It has the focus while it is open, and then its row.
addEventListener('page:shown', () => {
  const now = panel()?.dataset.open;
  if (now && now !== was && !panel()?.contains(document.activeElement)) panel()?.focus();
  if (!now && was && (document.activeElement === document.body || document.activeElement?.matches('main h1'))) backToRow();
  was = now;
});
