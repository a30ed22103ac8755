/** Sends forms in the background. They are the same forms as without scripts: the answer is the page they lead to. */
import { SignedOut, ask, parse } from './ask.js';
import { base } from './base.js';
import { forget, goBack, notice, outcomeOn, refuse, takeOutcome } from './notices.js';
import { counterpart, show, showOutage } from './morph.js';
import { reveal } from './reveal.js';
import { signedOut } from './signed-out.js';
import { say } from './words.js';

/** Where acts go. Other forms lead to pages of their own. */
const ACTS = `${base}/api/fn/`;
/** An act whose answer did not come is asked for again so often, with so many ms between. */
const ASKED_AGAIN = 4;
const AGAIN_MS = 2_000;

/** One act at a time: what is asked for while another is on its way goes once that is answered. */
let line = Promise.resolve();
let inLine = 0;
/** How long the page does not refresh itself while an answer will show it, or has led to another page, ms. */
const SHOWS_SOON_MS = 10_000;
let sentAt = -Infinity;
let leftAt = -Infinity;
/** Whether what comes soon shows this page, or another. */
export const willShow = () => performance.now() - (inLine ? Math.max(sentAt, leftAt) : leftAt) < SHOWS_SOON_MS;
addEventListener('pageshow', () => { leftAt = -Infinity; });
/** @type {WeakMap<HTMLFormElement, string>} What was asked for last with a form that is not answered yet. */
const asked = new WeakMap();
/** Versions of jobs that acts of this page acted on, and those that they made. @type {Map<string, string>} */
const moved = new Map();

/** @param {HTMLFormElement} form @param {HTMLElement | null} button */
const content = (form, button) => new URLSearchParams(/** @type {any} */ (new FormData(form, button)));

addEventListener('submit', (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  const button = /** @type {HTMLButtonElement | null} */ (event.submitter);
  const method = button?.getAttribute('formmethod') ?? form.method;
  const path = button?.getAttribute('formaction') ?? form.getAttribute('action') ?? '';
  const address = new URL(path, location.href);
  if (event.defaultPrevented || method !== 'post' || address.origin !== location.origin) return;
  const wish = content(form, button);
  // A second press while the first is on its way.
  if (asked.get(form) === String(wish)) return event.preventDefault();
  if (!address.pathname.startsWith(ACTS) && !('once' in form.dataset)) return;
  event.preventDefault();
  forget(form);
  asked.set(form, String(wish));
  form.dataset.sending = '';
  form.setAttribute('aria-busy', 'true');
  const waits = inLine > 0;
  form.toggleAttribute('data-in-line', waits);
  inLine += 1;
  // While an act that takes long is on its way, the page shows how far it is.
  sentAt = form.dataset.waits === undefined ? performance.now() : -Infinity;
  line = line.then(() => {
    form.removeAttribute('data-in-line');
    if (waits && isMoot(form, address, button)) return notice([say('acts-overtaken', { job: wish.get('id') ?? '' })], 'bad');
    return send(form, address, button, wish);
  }).catch(reportError).finally(() => {
    inLine -= 1;
    if (asked.get(form) !== String(wish)) return;
    asked.delete(form);
    delete form.dataset.sending;
    form.removeAttribute('aria-busy');
  });
  sent.set(form, line);
});

/** @type {WeakMap<HTMLFormElement, Promise<void>>} What was sent, until its answer is shown. */
const sent = new WeakMap();
/** @param {HTMLFormElement} form */
export const answerTo = (form) => sent.get(form) ?? Promise.resolve();

/**
 * Sends what was asked for, about the job as it was on screen then, or as the acts of this page have left it since.
 * @param {HTMLFormElement} form
 * @param {URL} address
 * @param {HTMLButtonElement | null} button
 * @param {URLSearchParams} wish
 */
async function send(form, address, button, wish) {
  const body = content(form, button);
  const job = wish.get('id') ?? '';
  let seen = wish.get('seen') ?? '';
  while (moved.has(`${job} ${seen}`)) seen = moved.get(`${job} ${seen}`) ?? '';
  if (body.has('seen')) body.set('seen', seen);
  try {
    const response = await answered(form, address, body);
    if (response) await follow(form, button, body, response);
  } catch (error) {
    if (error instanceof SignedOut) signedOut();
    else throw error;
  }
}

/** Whether an act cannot be done any more after the one before it. @param {HTMLFormElement} form @param {URL} address @param {HTMLButtonElement | null} button */
function isMoot(form, address, button) {
  const path = button?.getAttribute('formaction') ?? form.getAttribute('action') ?? '';
  const row = /** @type {HTMLElement | null} */ (form.closest('[data-row]'))?.dataset.row;
  // The menu of a row has what was read of its job then.
  if (row && document.getElementById(row)?.dataset.version !== new FormData(form).get('seen')) return true;
  return !form.isConnected || new URL(path, location.href).href !== address.href || button?.matches('[aria-disabled=true]') === true;
}

/** Remembers which version an act of this page has made of a job: the next one, unless somebody else acted as well. @param {URLSearchParams} body @param {Document} page */
function remember(body, page) {
  const [job, seen] = [body.get('id'), body.get('seen')];
  const fields = /** @type {NodeListOf<HTMLInputElement>} */ (page.querySelectorAll('[name=seen]'));
  const of = (/** @type {HTMLInputElement} */ { form }) => form && new FormData(form).get('id') === job;
  const now = [...fields].find(of)?.value ?? page.getElementById(`job:${job}`)?.dataset.version;
  if (job && seen && now && Number(now) === Number(seen) + 1) moved.set(`${job} ${seen}`, now);
}

/**
 * The answer to a form. Where none comes it is asked for again under the same operation, which is done once; where
 * it has none, or none comes at all, that is said.
 * @param {HTMLFormElement} form
 * @param {URL} address
 * @param {URLSearchParams} body
 */
async function answered(form, address, body) {
  for (let time = 0; ; time += 1) {
    try {
      return await ask(address, { method: 'POST', body }, Number(form.dataset.waits) || undefined);
    } catch (error) {
      if (error instanceof SignedOut) throw error;
      if (!body.get('operation') || time === ASKED_AGAIN) {
        refuse(form, [say(navigator.onLine ? 'light-unknown' : 'light-not-sent')]);
        dispatchEvent(new Event('page:stale'));
        return null;
      }
      if (time === 0) notice([say('light-sending')], 'plain');
      await new Promise((wait) => setTimeout(wait, AGAIN_MS));
    }
  }
}

/**
 * Shows what a form led to.
 * @param {HTMLFormElement} form
 * @param {HTMLButtonElement | null} button
 * @param {URLSearchParams} body
 * @param {Response} response
 */
async function follow(form, button, body, response) {
  const there = new URL(response.url);
  const page = parse(await response.text());
  if (reveal(form, page)) return;
  const isHere = there.pathname === location.pathname && page.querySelector('main#page');
  if (!isHere && response.redirected) {
    // It is sent: nobody is to be asked whether it may be left. Ticks stay, for coming back.
    if (form.id !== 'bulk') form.reset();
    leftAt = performance.now();
    return location.assign(there);
  }
  if (!isHere) {
    // What the server shows when it has no page for us is in sentences; a proxy's answer may be anything.
    const sentences = [...page.querySelectorAll('main p:not(:has(a))')].map(({ textContent }) => textContent?.trim());
    const why = outcomeOn(page)?.textContent ?? (sentences.join(' ') || page.body.textContent || '');
    return refuse(form, [why.trim() || say('light-unknown')]);
  }
  // The script has the sentences of one language: the page is loaded anew in another.
  if (page.documentElement.lang !== document.documentElement.lang) return location.replace(there);
  if (there.search !== location.search) history[form.dataset.leads === undefined ? 'replaceState' : 'pushState'](history.state, '', there);
  if (response.status >= 500 && showOutage(page)) return takeOutcome(form, page);
  const was = document.activeElement;
  if (outcomeOn(page)?.dataset.tone !== 'bad') {
    remember(body, page);
    // It is done: all that it was opened in closes, and what was typed is no longer anybody's.
    for (let open = form.closest('[popover]'); open; open = open.parentElement?.closest('[popover]') ?? null) /** @type {HTMLElement} */ (open).hidePopover();
    form.closest('dialog')?.close();
    if (isTypedSince(form, button, body)) adopt(form, page);
    else form.reset();
  } else {
    catchUp(form, page);
  }
  await show(page);
  if (was instanceof HTMLElement && was.isConnected && document.activeElement === document.body) was.focus();
  takeOutcome(form);
  const card = form.closest('.notice');
  card?.remove();
  if (card && document.activeElement === document.body) goBack();
  dispatchEvent(new Event('page:read'));
}

/** Whether somebody has typed into a form since it was sent. @param {HTMLFormElement} form @param {HTMLButtonElement | null} button @param {URLSearchParams} body */
function isTypedSince(form, button, body) {
  const now = content(form, button);
  if (body.has('seen')) now.set('seen', body.get('seen') ?? '');
  return form.isConnected && String(now) !== String(body);
}

/** A form that somebody types on in goes on from what they have just saved. @param {HTMLFormElement} form @param {Document} page */
function adopt(form, page) {
  const there = counterpart(form, page);
  for (const field of /** @type {NodeListOf<HTMLInputElement>} */ (form.querySelectorAll('[type=hidden]'))) {
    const now = /** @type {HTMLInputElement | null | undefined} */ (there?.querySelector(`[type=hidden][name="${field.name}"]`));
    if (now) field.value = now.value;
  }
  const [mine, now] = [form, there].map((one) => /** @type {HTMLElement | null | undefined} */ (one?.querySelector('[data-there]')));
  if (mine && now) mine.dataset.there = now.dataset.there;
}

/**
 * Prepares a refused form to be sent again, as another operation. If somebody else saved in between, the form shows what is
 * there now beside what was typed, so the next save is of somebody who has seen it. A form that cannot show it is reset to what
 * is there. A question in a popover takes the words that it would have now.
 * @param {HTMLFormElement} form
 * @param {Document} page
 */
function catchUp(form, page) {
  const there = counterpart(form, page);
  /** Takes the new value of a hidden field; returns whether it differs. @param {string} name */
  const renew = (name) => {
    const [mine, theirs] = [form, there].map((one) => /** @type {HTMLInputElement | null} */ (one?.querySelector(`[type=hidden][name=${name}]`) ?? null));
    if (!mine || !theirs || mine.value === theirs.value) return false;
    mine.value = theirs.value;
    return true;
  };
  for (const name of ['operation', 'new_id', 'jobs', 'from']) renew(name);
  const isNews = ['seen', 'announced'].filter(renew).length > 0;
  const question = form.closest('[popover], dialog');
  if (question) return reword(question, page.getElementById(question.id));
  if (!isNews) return;
  const now = /** @type {HTMLTemplateElement | null | undefined} */ (there?.querySelector('[data-there]'))?.content;
  if (!now) return form.reset();
  form.querySelector('.there-now')?.remove();
  form.querySelector('[data-there]')?.before(now.cloneNode(true));
}

/** @param {Element} question @param {Element | null} now */
function reword(question, now) {
  for (const words of [':scope > h2', ':scope > p', 'form [type=submit]']) {
    const [mine, theirs] = [question, now].map((one) => one?.querySelector(words));
    if (!mine || !theirs) continue;
    mine.replaceChildren(...theirs.childNodes);
    mine.toggleAttribute('disabled', theirs.hasAttribute('disabled'));
  }
}
