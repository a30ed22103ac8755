/** What a form, or another view of the page, would come to: answered while somebody chooses or types. */
import { ask, parse } from './ask.js';

/** Who types or slides on is not done yet, ms. */
const PAUSE_MS = 150;
let timer = 0;

/** @param {() => void} act @param {number} [after] */
function soon(act, after = PAUSE_MS) {
  clearTimeout(timer);
  timer = window.setTimeout(act, after);
}

/** A form that asks for another view of this page is answered in place. @param {EventTarget | null} target @param {number} [after] */
function choose(target, after) {
  const form = target instanceof Element && target.closest('form[data-at-once]');
  if (!(form instanceof HTMLFormElement)) return;
  soon(() => {
    const query = new URLSearchParams(/** @type {any} */ (new FormData(form)));
    history[after === 0 ? 'pushState' : 'replaceState'](history.state, '', `${location.pathname}?${query}`);
    dispatchEvent(new Event('page:stale'));
  }, after);
}

/** The page says what a form would do that names its fields in `data-try`, in the parts that are marked. @param {HTMLFormElement} form */
async function tryOut(form) {
  const names = form.dataset.try?.split(' ') ?? [];
  const typed = () => names.map((name) => [name, String(new FormData(form).get(name))]);
  const before = typed();
  const response = await ask(`${location.pathname}?${new URLSearchParams(before)}`).catch(() => null);
  const page = response && parse(await response.text());
  // Letters that came meanwhile are answered next.
  if (!page || String(typed()) !== String(before)) return;
  for (const part of document.querySelectorAll('[data-tried]')) {
    const now = page.getElementById(part.id);
    part.replaceChildren(...(now?.childNodes ?? []));
    part.toggleAttribute('hidden', now?.hidden ?? true);
  }
}

/** The function that a part of the page names in `data-preview` says what its fields would come to. @param {HTMLElement} part */
async function preview(part) {
  const fields = /** @type {NodeListOf<HTMLInputElement>} */ (part.querySelectorAll('[name]'));
  const body = new URLSearchParams([...fields].map(({ name, value }) => [name, value]));
  const answer = await fetch(part.dataset.preview ?? '', { method: 'POST', body, headers: { accept: 'application/json' } }).catch(() => null);
  if (!answer?.ok) return;
  for (const [name, text] of Object.entries(await answer.json())) part.querySelector(`[data-answer=${name}]`)?.replaceChildren(text);
}

addEventListener('change', ({ target }) => choose(target, 0));
addEventListener('input', ({ target }) => {
  if (!(target instanceof HTMLElement)) return;
  const field = /** @type {HTMLInputElement} */ (target);
  if (field.type === 'range') choose(field);
  const form = field.form;
  if (form?.dataset.try?.split(' ').includes(field.name)) soon(() => void tryOut(form));
  const part = /** @type {HTMLElement | null} */ (field.closest('[data-preview]'));
  if (part) soon(() => void preview(part));
});
