import { unfold } from './fields.js';
import { make } from './make.js';
import { clock, now } from './time.js';
import { say } from './words.js';

/** How long a notice stays unless somebody points at it, ms. */
const STAY_MS = 10_000;
const NOTICES_MAX = 4;
const LOG_MAX = 50;
/** Changes are read out at least this long after the last message, so that it is heard to its end, ms. */
const PACE_MS = 5_000;

/** @param {string} selector */
const find = (selector) => /** @type {HTMLElement | null} */ (document.querySelector(selector));

const corner = () => find('.notices');
const news = () => /** @type {HTMLDataElement[]} */ ([...document.querySelectorAll('data.told')]);
let known = news().map(({ value }) => value);
let toldAt = -Infinity;

/** Reads out what the page tells that was not on it before. */
export function speak() {
  const fresh = news().filter(({ value }) => !known.includes(value));
  if (fresh.length && performance.now() - toldAt < PACE_MS) return;
  known = news().map(({ value }) => value);
  if (fresh.length) tell(fresh.map(({ dataset }) => dataset.text).join(' '));
}

/** Since when the page has been as it was loaded, or as somebody made it here. */
let since = find('[data-since]')?.dataset.since;

/** Shows that somebody else has changed what the page is about. */
addEventListener('page:shown', () => {
  const change = find('[data-since]');
  if (change && since && change.dataset.since !== since) change.textContent = change.dataset.text ?? '';
});

// What one did oneself is no news; what became of it meanwhile is.
addEventListener('page:read', () => {
  known = news().filter(({ value, dataset }) => dataset.goesOn === undefined || known.includes(value)).map(({ value }) => value);
  const change = find('[data-since]');
  since = change?.dataset.since;
  change?.replaceChildren();
});

/** Says something to screen readers. @param {string} text */
export function tell(text) {
  toldAt = performance.now();
  find('[data-testid=voice]')?.replaceChildren(make('p', {}, text));
}

/**
 * Shows what was done, or why it was not, for a while; the bell keeps it.
 * @param {(string | Node)[]} content
 * @param {'good' | 'plain' | 'bad'} tone
 * @param {Element | null} [undo] The form that takes it back.
 */
export function notice(content, tone, undo) {
  const template = /** @type {HTMLTemplateElement | null} */ (document.querySelector('template#notice'));
  const here = corner();
  const card = /** @type {HTMLElement | undefined} */ (template?.content.firstElementChild?.cloneNode(true));
  if (!here || !card) return;
  card.dataset.tone = tone;
  const text = card.querySelector('p');
  text?.append(...content);
  if (undo) card.querySelector('.notice-close')?.before(undo);
  here.append(card);
  while (here.children.length > NOTICES_MAX) here.firstElementChild?.remove();
  const held = () => card.matches(':hover, :focus-within');
  const leave = () => (held() ? setTimeout(leave, STAY_MS) : card.remove());
  setTimeout(leave, STAY_MS);
  card.querySelector('.notice-close')?.addEventListener('click', () => close(card));
  log(text?.textContent ?? '', tone);
  tell(text?.textContent ?? '');
}

/** @type {HTMLElement | null} Where somebody was on the page. */
let place = null;
addEventListener('focusin', ({ target }) => {
  if (target instanceof HTMLElement && target.closest('main')) place = target;
});

/** Leads back to where somebody was before they went to a notice, or to the heading. */
export function goBack() {
  for (const element of [place, find('main h1')]) {
    element?.focus({ preventScroll: true });
    if (element && document.activeElement === element) return;
  }
}

/** Gives the focus that a notice takes along to the next one, or back. @param {HTMLElement} card */
function close(card) {
  const next = (card.nextElementSibling ?? card.previousElementSibling)?.querySelector('.notice-close');
  const focused = card.contains(document.activeElement);
  card.remove();
  if (!focused) return;
  if (next) /** @type {HTMLElement} */ (next).focus();
  else goBack();
}

/** @param {string} text @param {string} tone */
function log(text, tone) {
  const panel = find('.notice-log');
  const list = panel?.querySelector('ul');
  if (!panel || !list) return;
  const line = make('li', {}, make('small', {}, clock(now())), make('p', {}, text));
  line.dataset.tone = tone;
  list.prepend(line);
  while (list.children.length > LOG_MAX) list.lastElementChild?.remove();
  panel.querySelector('p.quiet')?.setAttribute('hidden', '');
  if (!panel.matches(':popover-open')) unread(Number(find('.bell-count')?.textContent ?? 0) + 1);
}

/** Makes a notice of what a page tells once. @param {HTMLElement} news */
function takeNews(news) {
  news.remove();
  notice([...news.childNodes], /** @type {'good' | 'bad'} */ (news.dataset.tone));
}

for (const news of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('[data-news]'))) takeNews(news);
addEventListener('page:news', (event) => takeNews(/** @type {CustomEvent<HTMLElement>} */ (event).detail));

/** @param {number} count */
function unread(count) {
  const badge = find('.bell-count');
  if (!badge) return;
  badge.hidden = count === 0;
  badge.textContent = count ? String(Math.min(count, 99)) : '';
}

find('.bell')?.addEventListener('click', () => unread(0));

/** What a form achieved that led to a page. @param {ParentNode} page */
export const outcomeOn = (page) => /** @type {HTMLElement | null} */ (page.querySelector('.form-outcomes > .form-outcome'));

/** The same, once: the address forgets it. @param {ParentNode} [page] */
function outcome(page = document) {
  const address = new URL(location.href);
  if (address.searchParams.has('said')) {
    address.searchParams.delete('said');
    history.replaceState(history.state, '', address);
  }
  return outcomeOn(page);
}

/** After a page was loaded: what a form achieved stands above it; a refusal leads to its field. */
export function showOutcome() {
  const said = outcome();
  if (!said) return;
  said.dataset.own = '';
  if (said.dataset.field) tie(said, document.querySelectorAll(`main form[action="${said.dataset.action}"]`));
  else tell(said.textContent ?? '');
}

/** After a form was sent in the background: a refusal stands in the form, what was done in the corner. @param {HTMLFormElement} form @param {Document} [page] */
export function takeOutcome(form, page = document) {
  const said = outcome(page);
  if (!said) return;
  const undo = page.querySelector('.form-undo');
  said.remove();
  undo?.remove();
  const tone = /** @type {'good' | 'plain' | 'bad'} */ (said.dataset.tone ?? 'plain');
  if (tone === 'bad' && tie(said, [form])) return;
  if (tone === 'bad') return refuse(form, [...said.childNodes]);
  for (const card of corner()?.children ?? []) if (isTakenBack(card, form)) close(/** @type {HTMLElement} */ (card));
  notice([...said.childNodes], tone, form.matches('.form-undo') ? null : undo);
}

/** Whether that form did what the button on a notice offers. @param {Element} card @param {HTMLFormElement} form */
function isTakenBack(card, form) {
  const undo = /** @type {HTMLFormElement | null} */ (card.querySelector('.form-undo'));
  const job = (/** @type {HTMLFormElement} */ of) => new FormData(of).get('id');
  return undo === form || undo !== null && undo.action === form.action && job(undo) !== null && job(undo) === job(form);
}

/** Says why a form came to nothing: in the form, where somebody fills it in, else in the corner. @param {HTMLFormElement} form @param {(Node | string)[]} why */
export function refuse(form, why) {
  const field = form.querySelector('input:not([type=hidden]), select, textarea');
  if (!field || !form.isConnected) return notice(why, 'bad');
  const line = make('p', { className: 'form-outcome refusal', role: 'alert' }, ...why);
  Object.assign(line.dataset, { tone: 'bad', own: '' });
  form.querySelector('[type=submit]')?.before(line);
}

/** Forgets what was said of a form before. @param {HTMLFormElement} form */
export function forget(form) {
  for (const field of form.querySelectorAll('[aria-invalid]')) field.removeAttribute('aria-invalid');
  for (const said of form.querySelectorAll('.form-outcome')) said.remove();
}

/**
 * Leads to the field that is at fault. Whether there is one.
 * @param {HTMLElement} said
 * @param {Iterable<Element>} forms
 */
function tie(said, forms) {
  const { field: name } = said.dataset;
  const seen = `[data-field="${name}"], [name="${name}"]:not([type=hidden], [type=radio])`;
  const field = name && [...forms].map((form) => form.querySelector(seen)).find(Boolean);
  if (!(field instanceof HTMLElement)) return false;
  said.dataset.own = '';
  said.id = `${field.id || name}-refusal`;
  if (!said.isConnected) field.after(said);
  const described = field.getAttribute('aria-describedby');
  field.setAttribute('aria-invalid', 'true');
  field.setAttribute('aria-describedby', [described, said.id].filter(Boolean).join(' '));
  unfold(field);
  field.focus();
  return true;
}
