/** A style sheet that did not come is asked for again: without it a page is hard to read. */

/** How long after each failure, ms. */
const AGAIN_MS = [0, 1_000, 4_000, 15_000];

/** @param {HTMLLinkElement} link @param {number} tries */
function again(link, tries) {
  if (tries >= AGAIN_MS.length) return;
  window.setTimeout(() => {
    const other = /** @type {HTMLLinkElement} */ (link.cloneNode());
    other.addEventListener('error', () => again(other, tries + 1));
    link.replaceWith(other);
  }, AGAIN_MS[tries]);
}

// Scripts run once it is there, or has failed.
for (const link of /** @type {NodeListOf<HTMLLinkElement>} */ (document.querySelectorAll('link[rel=stylesheet]'))) {
  if (!link.sheet) again(link, 0);
}
