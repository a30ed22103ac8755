/** Small things that only a browser can do: copying, buttons that are off for a reason, menus that close. */
import { notice, tell } from './notices.js';
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
    tell(say('copied', { what }));
  } catch {
    notice([say('notCopied', { what })], 'bad');
  }
});

// A link to what is on screen has it read again in place.
document.addEventListener('click', (event) => {
  const again = event.target instanceof Element && event.target.closest('a[data-again]');
  if (!(again instanceof HTMLAnchorElement) || again.href !== location.href || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  dispatchEvent(new Event('page:stale'));
});

// A popover that is closed gives the focus back to what opened it, also where it lies in another one.
addEventListener('toggle', ({ target }) => {
  if (!(target instanceof HTMLElement) || target.matches(':popover-open') || document.activeElement !== document.body) return;
  /** @type {HTMLElement | null} */ (document.querySelector(`[popovertarget="${target.id}"]`))?.focus();
}, { capture: true });

// A button that is off says why in its title: it can have the focus, and does nothing.
addEventListener('click', (event) => {
  const off = event.target instanceof Element && event.target.closest('button[aria-disabled=true]');
  if (!(off instanceof HTMLElement)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  off.focus();
}, { capture: true });
