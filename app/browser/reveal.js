import { tell } from './notices.js';

/** How long what is shown once is there, ms. */
const SHOWN_MS = 60_000;

/**
 * Puts what a form shows once in its place on the page, until somebody hides it or for a minute: it is kept nowhere.
 * Whether that is what the form has led to.
 * @param {HTMLFormElement} form
 * @param {Document} page
 */
export function reveal(form, page) {
  const value = page.querySelector('pre[data-once]');
  const place = /** @type {HTMLElement | null | undefined} */ (form.closest('.reveal')?.querySelector('.revealed'));
  const text = place?.querySelector('pre');
  if (!value || !place || !text) return false;
  /** @type {HTMLElement | null} */ (form.closest(':popover-open'))?.hidePopover();
  form.reset();
  const hide = () => {
    text.textContent = '';
    place.hidden = true;
  };
  text.textContent = value.textContent;
  place.hidden = false;
  tell(place.querySelector('.revealed-mark')?.textContent ?? '');
  const timer = setTimeout(hide, SHOWN_MS);
  place.querySelector('button')?.addEventListener('click', () => {
    clearTimeout(timer);
    hide();
  }, { once: true });
  return true;
}
