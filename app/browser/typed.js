/**
 * What was typed: into a form that leads to another page it waits in this tab, to be put back if the form was not taken.
 * Leaving the page without sending it asks first.
 */
import { OPEN, isChanged, unfold } from './fields.js';

/** Words in the address for a form that nobody looked at. */
const NOT_LOOKED_AT = ['account.proved', 'account.oidc_unproved', 'error.signed_out', 'error.forbidden', 'error.rate_limited', 'error.unavailable'];
const KEY = `typed:${location.pathname}`;
/** Forms that somebody fills in. What is typed into a question beside its button is not worth one. */
const FORMS = 'main form[method=post]:not([popover] *, dialog *, #bulk)';

/** @type {EventTarget | null} The form that leads to another page right now. */
let leading = null;

/** @param {Element} field */
const isKept = (field) => field instanceof HTMLInputElement
  ? !['hidden', 'password', 'submit', 'file'].includes(field.type)
  : field instanceof HTMLSelectElement || field instanceof HTMLTextAreaElement;

/** @param {Element} field */
function selector(field) {
  if (field.id) return `#${CSS.escape(field.id)}`;
  const [name, value] = ['name', 'value'].map((attribute) => field.getAttribute(attribute) ?? '');
  return `form[action="${field.closest('form')?.getAttribute('action')}"] [name="${name}"][value="${value}"]`;
}

addEventListener('submit', ({ target, defaultPrevented }) => {
  const form = /** @type {HTMLFormElement} */ (target);
  if (defaultPrevented) return;
  leading = form;
  if (form.method !== 'post') return;
  const fields = /** @type {HTMLInputElement[]} */ ([...form.elements].filter(isKept));
  const typed = fields.map((field) => [selector(field), field.type === 'checkbox' || field.type === 'radio' ? field.checked : field.value]);
  sessionStorage.setItem(KEY, JSON.stringify(typed));
});

/** @param {HTMLFormElement} form */
const isLeft = (form) => form !== leading && !('sending' in form.dataset) && [...form.elements].some((field) => isKept(field) && isChanged(field));

const isTyped = () => /** @type {HTMLFormElement[]} */ ([...document.querySelectorAll(FORMS)]).some(isLeft);

/** Whether loading the page anew would take something from somebody: what they typed, or have open. */
export const wouldLose = () => isTyped() || document.querySelector(OPEN) !== null;

/** @param {BeforeUnloadEvent} event */
function askFirst(event) {
  if (isTyped()) event.preventDefault();
  leading = null;
}

// Only once somebody has typed: Firefox keeps no page for the way back while it listens.
addEventListener('input', () => addEventListener('beforeunload', askFirst));

/** Puts it back where the form comes back. Before what it achieved is taken out of the address. */
export function putBack() {
  const typed = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  const word = new URLSearchParams(location.search).get('said') ?? '';
  const isRefused = document.querySelector('.form-outcome[data-tone=bad]') || NOT_LOOKED_AT.includes(word);
  if (!typed || !isRefused) return;
  for (const [where, value] of /** @type {[string, string | boolean][]} */ (JSON.parse(typed))) {
    const field = /** @type {HTMLInputElement | null} */ (document.querySelector(where));
    if (!field) continue;
    if (typeof value === 'boolean') field.checked = value;
    else field.value = value;
    unfold(field);
    addEventListener('beforeunload', askFirst);
  }
}
