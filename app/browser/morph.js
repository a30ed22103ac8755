import { Idiomorph } from 'idiomorph';
import { OPEN, isChanged, isDirty } from './fields.js';
import { keepRows } from './rows.js';

/** What stood still at the last morph because somebody is in the middle of something. */
export let held = false;

/** Whether text in an element is selected, or a part of it. @param {Node} node */
function isSelected(node) {
  const selection = getSelection();
  if (!selection || selection.isCollapsed || !node.parentElement) return false;
  return node.nodeType === Node.TEXT_NODE && selection.containsNode(node, true);
}

/** What costs too much for each refresh is read once; until something else is, it stays. @param {HTMLElement} old @param {Node} now */
function isLate(old, now) {
  const other = now instanceof HTMLElement ? now.dataset : {};
  if (old.dataset.late === undefined || other.late === undefined || 'isRead' in other) return false;
  if (old.dataset.late !== other.late) delete old.dataset.isRead;
  old.dataset.late = other.late;
  return true;
}

/** @param {Node} old @param {Node} now */
function mayMorph(old, now) {
  // The rule: what the server left alone keeps what the visitor did to it.
  if (old.isEqualNode(now)) return false;
  if (isSelected(old)) return hold();
  if (!(old instanceof HTMLElement)) return true;
  if (old.matches('[data-own], script')) return false;
  if (isLate(old, now)) return false;
  // A box that is ticked says what was seen when it was.
  if (old.matches('.cell-tick input')) return !(/** @type {HTMLInputElement} */ (old).checked);
  if (old.matches(OPEN)) return hold();
  const form = old instanceof HTMLFormElement ? old : /** @type {HTMLInputElement} */ (old).form;
  if (form?.method !== 'post') return true;
  // A question that is closed is asked of what is there by now; what was typed in it stays.
  return !(form.closest('[popover], dialog') ? isChanged(old) : isDirty(form));
}

/** What somebody is in stays until they are done, also where the page has it no more. @param {Node} node */
function mayRemove(node) {
  if (!(node instanceof HTMLElement)) return true;
  if (node.matches('[data-own]')) return false;
  // What waits to be sent is overtaken where it is gone by then.
  if (node.querySelector('form[data-in-line]')) return true;
  return node.matches(OPEN) || node.querySelector(OPEN) ? hold() : true;
}

function hold() {
  held = true;
  return false;
}

const callbacks = {
  beforeNodeMorphed: mayMorph,
  beforeNodeRemoved: mayRemove,
  /** @param {string} name @param {Element} node */
  beforeAttributeUpdated: (name, node) => !(name === 'open' || (name.startsWith('data-') && node === document.documentElement)),
};

/**
 * A list that somebody points at, or is in, keeps its order: what is new stands at its end.
 * @param {Document} page
 */
function keepOrder(page) {
  for (const list of document.querySelectorAll('[data-still]:is(:hover, :focus-within)')) {
    const order = [...list.children].map(({ id }) => id);
    const place = (/** @type {Element} */ { id }) => (order.includes(id) ? order.indexOf(id) : order.length);
    const other = page.getElementById(list.id);
    other?.append(...[...other.children].sort((one, next) => place(one) - place(next)));
  }
}

/** The same form in another answer: of the same thing, where each has its own popover. @param {HTMLFormElement} form @param {Document} page */
export function counterpart(form, page) {
  const near = form.closest('[popover]');
  const alike = (/** @type {Document} */ page) => [...((near ? page.getElementById(near.id) : page)?.querySelectorAll(`form[action="${form.getAttribute('action')}"]`) ?? [])];
  return alike(page)[alike(document).indexOf(form)];
}

/**
 * A form that somebody types into keeps what it was opened with. Where its `data-there` names what that was, and somebody else
 * has saved since, it says so at once.
 * @param {Document} page
 */
function warn(page) {
  for (const mine of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('main form [data-there]'))) {
    const form = /** @type {HTMLFormElement} */ (mine.closest('form'));
    const now = /** @type {HTMLTemplateElement | null | undefined} */ (counterpart(form, page)?.querySelector('[data-there]'));
    if (!now || now.dataset.there === mine.dataset.there || 'sending' in form.dataset || !isDirty(form)) continue;
    form.querySelector('.there-now')?.remove();
    mine.before(now.content.cloneNode(true));
    mine.dataset.there = now.dataset.there;
  }
}

// Who takes what is there instead has it read again: the form follows it from now on.
document.addEventListener('click', ({ target }) => {
  if (target instanceof Element && target.closest('main [type=reset]')) setTimeout(() => dispatchEvent(new Event('page:stale')));
});

/** Shows another render of this page. @param {Document} page */
export async function show(page) {
  await keepRows(page);
  held = false;
  warn(page);
  keepOrder(page);
  const focused = document.activeElement;
  const place = neighbours(focused);
  document.title = page.title;
  // It is told beside the verbs, whose form may hold what somebody ticked.
  const total = page.getElementById('bulk-all')?.textContent;
  const { theme, navigation, keys, density } = page.documentElement.dataset;
  Object.assign(document.documentElement.dataset, { theme, navigation, keys, density });
  Idiomorph.morph(document.body, page.body, { morphStyle: 'outerHTML', callbacks });
  if (total) document.getElementById('bulk-all')?.replaceChildren(total);
  if (focused && focused !== document.body && !focused.isConnected) lead(place);
  dispatchEvent(new Event('page:shown'));
}

/**
 * Where the focus goes if what has it vanishes: to what stands in its place, else to the next or previous row, else into the
 * section that it was in.
 * @param {Element | null} element
 */
function neighbours(element) {
  const row = element?.closest('tr, li');
  return [element?.closest('[data-stays]'), row?.nextElementSibling, row?.previousElementSibling, element?.closest('section, form')];
}

/** @param {(Element | null | undefined)[]} places */
function lead(places) {
  const focusable = 'a[href], button, input, select, textarea, summary';
  const there = places.filter((place) => place?.isConnected).flatMap((place) => [...(place?.querySelectorAll(focusable) ?? [])]);
  for (const element of /** @type {HTMLElement[]} */ ([...there, document.querySelector('main h1')])) {
    element?.focus();
    // What is folded away takes no focus.
    if (document.activeElement === element) return;
  }
}

/**
 * Of a page that could not be read now, shows why above what is known. Nothing where nothing is known, or that is not said.
 * @param {Document} page
 */
export function showOutage(page) {
  const main = document.querySelector('main#page');
  const trouble = page.querySelector('main .error-panel');
  const known = document.querySelector('main .error-panel');
  if (!main || !(trouble instanceof HTMLElement) || (known && !known.matches('[data-outage]'))) return false;
  trouble.dataset.outage = '';
  if (known) known.replaceWith(trouble);
  else main.prepend(trouble);
  main.setAttribute('data-stale', '');
  return true;
}
