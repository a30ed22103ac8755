import { SignedOut, ask, parse } from './ask.js';

const dialog = () => /** @type {HTMLDialogElement | null} */ (document.querySelector('#signed-out'));

/** What was open before, which closes under a dialog, and what had the focus. @type {HTMLElement[]} */
let before = [];

/** Says over the page that nobody is signed in any more; what was typed stays. */
export function signedOut() {
  const over = dialog();
  if (!over) return location.reload();
  if (over.open) return;
  const open = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(':popover-open'));
  before = [...open, /** @type {HTMLElement} */ (document.activeElement)];
  over.showModal();
}

/** Closes it, and opens again what was open. @param {HTMLDialogElement} over */
function goOn(over) {
  over.close();
  const focused = before.pop();
  for (const open of before) open.showPopover();
  focused?.focus();
}

/** Goes on where the same person is signed in again, with the same rights; for anybody else the page is loaded anew. */
async function look() {
  const over = dialog();
  if (!over?.open || document.hidden) return;
  try {
    const page = parse(await (await ask(location.href)).text());
    const now = /** @type {HTMLElement | null} */ (page.querySelector('#signed-out'))?.dataset.who;
    if (now !== over.dataset.who) return location.reload();
    goOn(over);
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
