import { Idiomorph } from 'idiomorph';
import { tick } from './time.js';

/** How long the server may take to render a page, ms. */
const ANSWER_MS = 20_000;
/** Somebody counts as being there for so long after a key or a movement, ms. */
const THERE_MS = 60_000;

let heard = Date.now();
for (const sign of ['keydown', 'pointerdown', 'pointermove', 'wheel', 'click']) {
  addEventListener(sign, () => { heard = Date.now(); }, { passive: true, capture: true });
}

/** Whether somebody is at the page. */
export const isThere = () => Date.now() - heard <= THERE_MS;

/** What stood still at the last morph because somebody is in the middle of something. */
export let held = false;

/** Nobody is signed in any more. */
export class SignedOut extends Error {}

/**
 * Asks for a page, or sends a form. What a page asks for by itself while nobody is there keeps nobody signed in.
 * @param {string | URL} address
 * @param {RequestInit} [request]
 */
export async function ask(address, request = {}) {
  const headers = new Headers({ accept: 'text/html', 'x-read-again': '1' });
  if (!request.method && !isThere()) headers.set('x-unattended', '1');
  const response = await fetch(address, { ...request, headers, signal: AbortSignal.timeout(ANSWER_MS) });
  if (response.redirected && new URL(response.url).pathname === '/login') throw new SignedOut();
  return response;
}

/** @param {string} html */
export function parse(html) {
  const page = new DOMParser().parseFromString(html, 'text/html');
  // It is read as where no script runs: what is for those alone would be taken for a part of the page.
  for (const plain of page.querySelectorAll('noscript')) plain.remove();
  // Ages are written for this moment on both sides, so that only what differs is touched.
  tick(page);
  tick();
  return page;
}

/** Whether somebody changed what is in a field since it came. @param {Element} field */
export function isChanged(field) {
  if (field instanceof HTMLSelectElement) {
    const first = [...field.options].findIndex((option) => option.defaultSelected);
    return field.selectedIndex !== Math.max(first, field.multiple ? -1 : 0);
  }
  if (field instanceof HTMLTextAreaElement) return field.value !== field.defaultValue;
  if (!(field instanceof HTMLInputElement) || field.type === 'hidden') return false;
  const isTick = field.type === 'checkbox' || field.type === 'radio';
  return isTick ? field.checked !== field.defaultChecked : field.value !== field.defaultValue;
}

/** The same of a form. @param {HTMLFormElement} form */
const isDirty = (form) => [...form.elements].some(isChanged);

/** Whether text in an element is selected, or a part of it. @param {Node} node */
function isSelected(node) {
  const selection = getSelection();
  if (!selection || selection.isCollapsed || !node.parentElement) return false;
  return node.nodeType === Node.TEXT_NODE && selection.containsNode(node, true);
}

/** @param {Node} old @param {Node} now */
function mayMorph(old, now) {
  // The rule: what the server left alone keeps what the visitor did to it.
  if (old.isEqualNode(now)) return false;
  if (isSelected(old)) return hold();
  if (!(old instanceof HTMLElement)) return true;
  if (old.matches('[data-own], script')) return false;
  if (old.matches(':popover-open, dialog[open]')) return hold();
  const form = old instanceof HTMLFormElement ? old : /** @type {HTMLInputElement} */ (old).form;
  return !(form?.method === 'post' && isDirty(form));
}

function hold() {
  held = true;
  return false;
}

const callbacks = {
  beforeNodeMorphed: mayMorph,
  /** @param {Node} node */
  beforeNodeRemoved: (node) => !(node instanceof HTMLElement && node.matches('[data-own]')),
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

/** Shows another render of this page. @param {Document} page */
export function show(page) {
  held = false;
  keepOrder(page);
  const focused = document.activeElement;
  const place = neighbours(focused);
  document.title = page.title;
  const { theme, navigation, keys, density } = page.documentElement.dataset;
  Object.assign(document.documentElement.dataset, { theme, navigation, keys, density });
  document.documentElement.lang = page.documentElement.lang;
  Idiomorph.morph(document.body, page.body, { morphStyle: 'outerHTML', callbacks });
  if (focused && focused !== document.body && !focused.isConnected) lead(place);
  dispatchEvent(new Event('page:shown'));
}

/** Opens what a field is folded in. @param {Element} field */
export function unfold(field) {
  for (let at = field.parentElement; at; at = at.parentElement) if (at instanceof HTMLDetailsElement) at.open = true;
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
