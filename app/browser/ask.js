import { base } from './base.js';
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

/** Nobody is signed in any more. */
export class SignedOut extends Error {}

/**
 * Asks for a page, or sends a form. What a page asks for by itself while nobody is there keeps nobody signed in.
 * @param {string | URL} address
 * @param {RequestInit} [request]
 * @param {number} [ms] How long it may take.
 * @param {string} [heard] The events that the page is asked for because of: tabs that know of the same share an answer.
 */
export async function ask(address, request = {}, ms = ANSWER_MS, heard = '') {
  const headers = new Headers({ accept: 'text/html', 'x-read-again': '1' });
  if (heard) headers.set('x-heard', heard);
  if (!request.method && !isThere()) headers.set('x-unattended', '1');
  const response = await fetch(address, { ...request, headers, signal: AbortSignal.timeout(ms) });
  if (response.redirected && new URL(response.url).pathname === `${base}/login`) throw new SignedOut();
  return response;
}

/** @param {string} html */
export function parse(html) {
  const page = new DOMParser().parseFromString(html, 'text/html');
  // It is read as where no script runs: what is for those alone would be taken for a part of the page.
  for (const plain of page.querySelectorAll('noscript')) plain.remove();
  // It was told to this request alone, whatever becomes of the page.
  for (const news of page.querySelectorAll('[data-news]')) dispatchEvent(new CustomEvent('page:news', { detail: news }));
  // Ages are written for this moment on both sides, so that only what differs is touched.
  tick(page);
  tick();
  return page;
}
