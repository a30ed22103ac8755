/** Every page and every name from the keyboard. The pages are in the dialog; names come from the page of the search. */
import { ask, parse } from './ask.js';
import { make } from './make.js';
import { counted, say } from './words.js';

/** A shorter word is the start of too many names. */
const ASK_FROM = 2;
/** Who types on is not done yet, ms. */
const PAUSE_MS = 150;

const dialog = /** @type {HTMLDialogElement | null} */ (document.querySelector('#palette'));
const field = dialog?.querySelector('input');
const list = dialog?.querySelector('ul');
const pages = /** @type {HTMLElement[]} */ ([...(list?.children ?? [])]);
let timer = 0;

document.addEventListener('click', ({ target }) => {
  if (!dialog || !(target instanceof Element) || !target.closest('.search-palette')) return;
  if (field) field.value = '';
  filter([]);
  dialog.showModal();
  field?.focus();
});

/** By a part of its name, or of what can be done there. @param {HTMLElement} item */
const fits = (item) => `${item.textContent} ${item.dataset.words}`.toLowerCase().includes(field?.value.trim().toLowerCase() ?? '');

/**
 * Shows what fits.
 * @param {Element[] | null} names Those of jobs and the like; null while they are not known.
 * @param {Element | null} [more] What says that there are more.
 */
function filter(names, more) {
  const found = [...pages.filter(fits), ...(names ?? [])];
  list?.replaceChildren(...found);
  const status = dialog?.querySelector('.palette-empty');
  if (!status) return;
  const count = counted('frame-search-found', found.length);
  if (!names || !field?.value.trim()) status.replaceChildren();
  else status.replaceChildren(...(found.length ? [make('span', { className: 'visually-hidden' }, count), more ?? ''] : [say('frame-search-nothing')]));
}

field?.addEventListener('input', () => {
  clearTimeout(timer);
  const word = field.value;
  if (word.trim().length < ASK_FROM) return filter([]);
  filter(null);
  timer = window.setTimeout(async () => {
    const found = parse(await (await ask(`${dialog?.dataset.search}?find=${encodeURIComponent(word)}`)).text());
    // Answers may come in another order than the letters.
    if (field.value === word) filter([...found.querySelectorAll('main .hits li')], found.querySelector('main .hits-more'));
  }, PAUSE_MS);
});

dialog?.addEventListener('submit', (event) => {
  const first = list?.querySelector('a');
  if (first || !field?.value.trim()) event.preventDefault();
  first?.click();
});

dialog?.addEventListener('keydown', (event) => {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!by) return;
  event.preventDefault();
  const stops = /** @type {HTMLElement[]} */ ([...dialog.querySelectorAll('input, a')]);
  stops[stops.indexOf(/** @type {HTMLElement} */ (document.activeElement)) + by]?.focus();
});
