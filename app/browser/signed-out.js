import { SignedOut, ask, parse } from './ask.js';

const dialog = () => /** @type {HTMLDialogElement | null} */ (document.querySelector('#signed-out'));

/** @type {HTMLElement[]} What was open under it, the outermost first, and what had the focus there. */
let open = [];
/** @type {Element | null} */
let focused = null;

/** Says over the page that nobody is signed in any more; what was typed stays, and is open again afterwards. */
export function signedOut() {
  const over = dialog();
  if (!over) return location.reload();
  if (over.open) return;
  focused = document.activeElement;
  open = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(':popover-open')]);
  over.showModal();
}

/** Goes on where the same person is signed in again, with the same rights; for anybody else the page is loaded anew. */
async function look() {
  const over = dialog();
  if (!over?.open || document.hidden) return;
  try {
    const page = parse(await (await ask(location.href)).text());
    const now = /** @type {HTMLElement | null} */ (page.querySelector('#signed-out'))?.dataset.who;
    if (now !== over.dataset.who) return location.reload();
    over.close();
    for (const popover of open) popover.showPopover();
    if (focused instanceof HTMLElement) focused.focus();
    dispatchEvent(new Event('page:stale'));
  } catch (error) {
    if (!(error instanceof SignedOut)) throw error;
  }
}

addEventListener('focus', look);
document.addEventListener('visibilitychange', look);
document.addEventListener('click', ({ target }) => {
  if (target instanceof Element && target.closest('#signed-out button')) void look();
});
