/** What a line of a filter may become: its last word as a field, or as a name that stands beside the list. */
import { make } from './make.js';

/** @type {Map<Element, [string, string][]>} What each list had from the beginning. */
const firsts = new Map();

addEventListener('input', ({ target }) => {
  const list = target instanceof HTMLInputElement && target.list;
  if (!list || !list.querySelector('[data-term]') && !firsts.has(list)) return;
  const own = firsts.get(list) ?? [...list.options].map(({ value, label }) => /** @type {[string, string]} */ ([value, label]));
  firsts.set(list, own);
  const names = [...document.querySelectorAll('.facets [data-term]')].map((link) => /** @type {[string, string]} */ ([link.getAttribute('data-term') ?? '', link.querySelector('small')?.textContent ?? '']));
  const [, head = '', dash = '', word = ''] = /^(.*?\s|)(-?)(\S*)$/.exec(target.value) ?? [];
  const fits = [...own, ...names].filter(([term]) => term.startsWith(word) && (word.includes(':') || !names.some(([name]) => name === term)));
  list.replaceChildren(...fits.map(([term, label]) => make('option', { value: `${head}${dash}${term}`, label })));
});
