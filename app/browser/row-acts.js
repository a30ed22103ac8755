/**
 * What is done to one row: its menu, its keys and the one button of its card. All of them come from the page of its job, which
 * has the same acts.
 */
import { ask, parse } from './ask.js';
import { base } from './base.js';
import { answerTo } from './forms.js';
import { areCommands } from './keys.js';
import { make } from './make.js';
import { notice } from './notices.js';
import { rowLink } from './rows.js';

/** A row is acted on from its link or its tick. Its menu button has a menu of its own. */
const FOCUS = '.job-table tbody :is(a[data-row-link], .cell-tick input)';
const menu = () => /** @type {HTMLElement | null} */ (document.querySelector('#row-menu'));
/** A key opens the menu, for what it asks. */
let isByKey = false;

/** The acts on the job of a row. @param {HTMLElement} row */
async function actsOn(row) {
  const link = /** @type {HTMLAnchorElement} */ (rowLink(row));
  const page = parse(await (await ask(link.pathname)).text());
  const acts = page.querySelector('main .acts');
  if (!acts) notice([page.querySelector('main h1')?.textContent ?? ''], 'bad');
  // What is done here leads back here.
  for (const back of /** @type {NodeListOf<HTMLInputElement>} */ (acts?.querySelectorAll('[name=back]') ?? [])) back.value = location.pathname.slice(base.length) + location.search;
  return acts;
}

/** Says in the menu which job it is about. @param {HTMLElement} row */
function name(row) {
  const place = menu();
  place?.replaceChildren(make('h2', {}, rowLink(row)?.textContent ?? ''), make('p', { className: 'row-menu-id' }, row.dataset.id ?? ''));
  if (place) place.dataset.row = row.id;
  return place;
}

/** Fills the menu that was opened. @param {HTMLElement} row */
async function fill(row) {
  const place = name(row);
  const acts = await actsOn(row);
  if (acts && place?.dataset.row === row.id) place.append(acts);
}

/** Does what a key is for to a row. What asks something first does so in the menu. @param {string} id @param {string} key */
async function act(id, key) {
  const row = document.getElementById(id);
  const acts = row && await actsOn(row);
  const button = acts?.querySelector(`[data-key="${key}"]`);
  if (!row || !acts || !(button instanceof HTMLButtonElement)) return;
  if (button.getAttribute('aria-disabled') === 'true') return notice([button.title], 'bad');
  if (button.type !== 'submit') {
    isByKey = true;
    name(row)?.append(acts);
    /** @type {HTMLElement | null} */ (row.querySelector('.row-more'))?.click();
    return button.click();
  }
  // It is done at once, to the job as it was seen.
  const { form } = button;
  const seen = form?.elements.namedItem('seen');
  if (seen instanceof HTMLInputElement) seen.value = row.dataset.version ?? '';
  const place = make('div', { hidden: true }, ...(form ? [form] : []));
  place.dataset.own = '';
  document.body.append(place);
  button.click();
  if (form) await answerTo(form);
  place.remove();
}

/** @type {Set<string>} What is asked of rows and not answered yet. */
const asked = new Set();

/** The second press of a key while the first waits is no act of its own. @param {HTMLElement} row @param {string} key */
function queue({ id }, key) {
  const wish = `${key} ${id}`;
  if (asked.has(wish)) return;
  asked.add(wish);
  void act(id, key).finally(() => asked.delete(wish));
}

document.addEventListener('click', ({ target }) => {
  const button = target instanceof Element && target.closest('.job-table :is(.row-more, .row-main)');
  const row = button && button.closest('tr');
  if (!(button instanceof HTMLElement) || !row || button.ariaDisabled === 'true') return;
  if (button.dataset.act) queue(row, button.dataset.act);
  else if (!isByKey) void fill(row);
});

document.addEventListener('keydown', (event) => {
  if (event.defaultPrevented || event.repeat || !areCommands(event) || !['e', 'r', 'h', 'C'].includes(event.key)) return;
  const row = document.activeElement?.matches(FOCUS) && document.activeElement.closest('tr');
  if (!row) return;
  event.preventDefault();
  queue(row, event.key);
});

// What a key has opened leads back to the row in one step.
addEventListener('toggle', ({ target }) => {
  const place = menu();
  if (!(target instanceof HTMLElement) || !place || !isByKey || target.matches(':popover-open')) return;
  if (target === place) {
    isByKey = false;
    rowLink(document.getElementById(place.dataset.row ?? ''))?.focus();
  } else if (place.contains(target)) place.hidePopover();
}, { capture: true });
