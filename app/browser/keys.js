/** What single keys do: those of every page, and those that buttons, links and fields name in `data-key`. */
import { OPEN } from './fields.js';
import { notice } from './notices.js';
import { say } from './words.js';

const TYPING = 'input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]';
const OFF = ':disabled, [aria-disabled=true]';
/** How long `g` waits for its letter, ms. */
const GO_MS = 1_500;

/** When `g` was pressed. */
let going = -Infinity;

/** @param {string} selector @returns {HTMLElement[]} */
const all = (selector) => [...document.querySelectorAll(selector)].filter((found) => found instanceof HTMLElement);
const isTyping = () => document.activeElement?.matches(TYPING) ?? false;
export const isOpen = () => document.querySelector(OPEN) !== null;

/** Whether a single key is a command now. @param {KeyboardEvent} event */
export const areCommands = (event) => !(event.ctrlKey || event.metaKey || event.altKey || isTyping() || isOpen()) && document.documentElement.dataset.keys !== 'off';

/** Whether a click is one on this page: with these keys it asks for another tab or window. @param {MouseEvent} event */
export const staysHere = ({ ctrlKey, metaKey, shiftKey }) => !(ctrlKey || metaKey || shiftKey);

/** @param {HTMLElement | undefined | null} element */
function click(element) {
  element?.click();
  return Boolean(element);
}

addEventListener('keydown', (event) => {
  if (event.defaultPrevented || event.isComposing || event.altKey) return;
  if (pressed(event)) event.preventDefault();
});

/** Whether it did something. @param {KeyboardEvent} event */
function pressed(event) {
  const { key } = event;
  if (event.ctrlKey || event.metaKey) {
    if (key.toLowerCase() === 'k') return click(all('.search-palette')[0]);
    return key === 'Enter' && confirm();
  }
  // In a form that cannot be taken back, or has to be confirmed, Enter sends nothing.
  if (key === 'Enter') return document.activeElement?.matches(':is([popover]:has(> [autofocus]), form:has([data-confirms])) input') || sendPart();
  if (key === 'Escape') return !isTyping() && press(key);
  if (isTyping() || document.documentElement.dataset.keys === 'off') return false;
  if (event.repeat && /^[a-z]$/i.test(key) && key !== 'j' && key !== 'k') return false;
  const went = event.timeStamp - going < GO_MS;
  going = -Infinity;
  if (went) return /^[a-z]$/.test(key) && !isOpen() && click(all(`.navigation [data-go="${key}"]`)[0]);
  if (isOpen() && 'gjk'.includes(key)) return press(key);
  switch (key) {
    case 'g': going = event.timeStamp; return true;
    case 'p': return click(all('.live-badge')[0]);
    case 'u': return press('u') || (!isOpen() && undoLast());
    case 't': return click(all('button[name=theme][aria-pressed=true] + button')[0] ?? all('button[name=theme]')[0]);
    case 'j': return step(1);
    case 'k': return step(-1);
    default: return press(key);
  }
}

/** Takes back the last act, and none that is older. */
function undoLast() {
  const undo = all('.notices > *').pop()?.querySelector('[data-undo]');
  if (undo instanceof HTMLElement) undo.click();
  else notice([say('frame-undo-none')], 'plain');
  return true;
}

/** Sends the form that somebody is in, or else that of the uppermost thing that is open. */
function confirm() {
  const submit = `button[type=submit]:not(${OFF})`;
  const here = document.activeElement?.closest(`:is(${OPEN}) form`)?.querySelector(submit);
  const open = all(OPEN).pop()?.querySelector(`:scope > form ${submit}, :scope > :not(.acts) form ${submit}`);
  return click(/** @type {HTMLElement} */ (here ?? open ?? document.querySelector(`main [data-confirms]:not(${OFF})`)));
}

/** Enter in a question that is a part of a larger form presses its own button, not the first one of the form. */
function sendPart() {
  const field = document.activeElement;
  const part = field instanceof HTMLInputElement && field.type !== 'checkbox' && field.closest('[popover]');
  return part && !part.contains(field.form) ? click(/** @type {HTMLElement | null} */ (part.querySelector('[type=submit]'))) : false;
}

/** Presses the button or link that names the key, or leads into the field that does. @param {string} key */
function press(key) {
  if (!/^([a-z./?[\]]|Escape)$/i.test(key)) return false;
  const open = document.querySelector(OPEN);
  // What is open closes by Esc on its own, one layer at a time.
  if (open && key === 'Escape') return false;
  const scopes = open ? [OPEN.split(', ').find((kind) => document.querySelector(kind))] : ['.job-panel', 'main', '.top-bar'];
  const name = `[data-key="${key}"]`;
  for (const scope of scopes) {
    const found = all(`${scope} ${name} button:not(${OFF}), ${scope} :is(button, a, input)${name}:not(${OFF})`);
    // What is in a closed menu is there, and not to be pressed.
    const shown = found.find((element) => element.offsetWidth > 0 && element.offsetHeight > 0);
    if (!shown) continue;
    shown.focus();
    if (!(shown instanceof HTMLInputElement)) shown.click();
    return true;
  }
  return false;
}

/** Moves the focus to the next or previous row. @param {number} by */
function step(by) {
  const links = all('[data-row-link]');
  const row = document.activeElement?.closest('tr');
  const at = row ? links.findIndex((link) => link.closest('tr') === row) : -1;
  const next = at < 0 ? (by > 0 ? 0 : links.length - 1) : Math.min(Math.max(at + by, 0), links.length - 1);
  links[next]?.focus();
  return links.length > 0;
}
