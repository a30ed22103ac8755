/** Parts of a page that are read once, after it: they cost too much to be read at each refresh. */
import { ask, parse } from './ask.js';

/** @param {HTMLElement} part */
async function fill(part) {
  const { late = '' } = part.dataset;
  if (part.dataset.asked === late) return;
  part.dataset.asked = late;
  const page = parse(await (await ask(late)).text());
  if (part.dataset.late !== late) return;
  part.replaceChildren(...(page.getElementById(part.id)?.childNodes ?? []));
  part.dataset.isRead = '';
}

/** Those that are seen. */
function fillAll() {
  for (const part of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('[data-late]:not([data-is-read])'))) {
    if (part.checkVisibility()) void fill(part).catch(() => delete part.dataset.asked);
  }
}

addEventListener('page:shown', fillAll);
fillAll();
