/** Small things that only a browser can do: copying, buttons that are off for a reason, menus that close. */
import { staysHere } from './keys.js';
import { forget, notice, tell } from './notices.js';
import { say } from './words.js';

const COPIED_MS = 1_500;

document.addEventListener('click', async ({ target }) => {
  const button = target instanceof Element && target.closest('[data-copy]');
  if (!(button instanceof HTMLElement)) return;
  const what = button.dataset.what ?? '';
  try {
    await navigator.clipboard.writeText(button.dataset.copy ?? '');
    button.dataset.copied = '';
    setTimeout(() => delete button.dataset.copied, COPIED_MS);
    tell(say('acts-copied', { what }));
  } catch {
    notice([say('acts-not-copied', { what })], 'bad');
  }
});

document.addEventListener('click', ({ target }) => {
  if (target instanceof Element && target.closest('[data-print]')) print();
});

// Where the strip of states is wider than the window, the current one is in sight.
const tab = document.querySelector('.tabs [aria-current]');
const strip = tab?.parentElement;
if (tab && strip) strip.scrollLeft = tab.getBoundingClientRect().left - strip.getBoundingClientRect().left - (strip.clientWidth - tab.clientWidth) / 2;

// A link to another view of this page, or the same one again, is followed in place.
document.addEventListener('click', (event) => {
  const link = event.target instanceof Element && event.target.closest('a[data-here]');
  if (!(link instanceof HTMLAnchorElement) || !staysHere(event)) return;
  event.preventDefault();
  link.setAttribute('aria-busy', 'true');
  if (link.href !== location.href) history.pushState(null, '', link.href);
  dispatchEvent(new Event('page:stale'));
});
addEventListener('popstate', () => dispatchEvent(new Event('page:stale')));

// Filling in a field chooses what it names.
addEventListener('input', ({ target }) => {
  const part = target instanceof HTMLInputElement && target.closest('[data-chooses]');
  if (!(part instanceof HTMLElement)) return;
  const [name = '', value = ''] = part.dataset.chooses?.split(' ') ?? [];
  const chosen = /** @type {HTMLInputElement} */ (target).form?.elements.namedItem(name);
  if (chosen instanceof HTMLSelectElement || chosen instanceof RadioNodeList) chosen.value = value;
});
// Of a field of many lines browsers show the one that is typed into, and the corner of the page may lie over the others.
addEventListener('focusin', ({ target }) => {
  if (target instanceof HTMLTextAreaElement) target.scrollIntoView({ block: 'nearest' });
});

// A popover that is closed forgets why its form was refused, and gives the focus back to what opened it, also where it lies in
// another one.
addEventListener('toggle', ({ target }) => {
  if (!(target instanceof HTMLElement) || !target.matches('[popover]:not(:popover-open)')) return;
  for (const form of target.querySelectorAll('form')) forget(form);
  if (document.activeElement !== document.body) return;
  /** @type {HTMLElement | null} */ (document.querySelector(`[popovertarget="${target.id}"]`))?.focus();
}, { capture: true });

// The second click of a double click may meet the form that the answer to the first has put there.
addEventListener('click', (event) => {
  const sends = event.target instanceof Element && event.target.closest('form[method=post] [type=submit]');
  if (sends && event.detail > 1) event.preventDefault();
}, { capture: true });

// A button that is off says why in its title: it can have the focus, and does nothing.
addEventListener('click', (event) => {
  const off = event.target instanceof Element && event.target.closest('button[aria-disabled=true]');
  if (!(off instanceof HTMLElement)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  off.focus();
}, { capture: true });
