/** Sends forms in the background. They are the same forms as without scripts: the answer is the page they lead to. */
import { forget, goBack, notice, refuse, takeOutcome } from './notices.js';
import { SignedOut, ask, parse } from './ask.js';
import { show, showOutage } from './page.js';
import { signedOut } from './signed-out.js';
import { say } from './words.js';

/** Where acts go. Other forms lead to pages of their own. */
const ACTS = '/api/fn/';
/** An act whose answer did not come is asked for again so often, with so many ms between. */
const ASKED_AGAIN = 4;
const AGAIN_MS = 2_000;

addEventListener('submit', (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  const button = /** @type {HTMLButtonElement | null} */ (event.submitter);
  const method = button?.getAttribute('formmethod') ?? form.method;
  const address = new URL(button?.getAttribute('formaction') ?? form.getAttribute('action') ?? '', location.href);
  if (event.defaultPrevented || method !== 'post' || address.origin !== location.origin) return;
  // A second press while the first is on its way.
  if ('sending' in form.dataset) return event.preventDefault();
  if (!address.pathname.startsWith(ACTS)) return;
  event.preventDefault();
  forget(form);
  sent.set(form, send(form, address, new URLSearchParams(/** @type {any} */ (new FormData(form, button)))));
});

/** @type {WeakMap<HTMLFormElement, Promise<void>>} What was sent, until its answer is shown. */
const sent = new WeakMap();
/** @param {HTMLFormElement} form */
export const answerTo = (form) => sent.get(form) ?? Promise.resolve();

/** @param {HTMLFormElement} form @param {URL} address @param {URLSearchParams} body */
async function send(form, address, body) {
  form.dataset.sending = '';
  form.setAttribute('aria-busy', 'true');
  try {
    const response = await answered(form, address, body);
    if (response) await follow(form, response);
  } catch (error) {
    if (error instanceof SignedOut) signedOut();
    else throw error;
  } finally {
    delete form.dataset.sending;
    form.removeAttribute('aria-busy');
  }
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
      return await ask(address, { method: 'POST', body });
    } catch (error) {
      if (error instanceof SignedOut) throw error;
      if (!body.get('operation') || time === ASKED_AGAIN) {
        refuse(form, [say(navigator.onLine ? 'unknown' : 'notSent')]);
        dispatchEvent(new Event('page:stale'));
        return null;
      }
      if (time === 0) notice([say('sending')], 'plain');
      await new Promise((wait) => setTimeout(wait, AGAIN_MS));
    }
  }
}

/** Shows what a form led to. @param {HTMLFormElement} form @param {Response} response */
async function follow(form, response) {
  const there = new URL(response.url);
  const page = parse(await response.text());
  const isHere = there.pathname === location.pathname && page.querySelector('main#page');
  if (!isHere && response.redirected) {
    // It is sent: nobody is to be asked whether it may be left.
    form.reset();
    return location.assign(there);
  }
  if (!isHere) {
    const why = page.querySelector('.form-outcome')?.textContent ?? page.body.textContent ?? '';
    return refuse(form, [why.trim() || say('unknown')]);
  }
  if (there.search !== location.search) history[form.dataset.leads === undefined ? 'replaceState' : 'pushState'](history.state, '', there);
  if (response.status >= 500 && showOutage(page)) return takeOutcome(form, page);
  const was = document.activeElement;
  if (/** @type {HTMLElement | null} */ (page.querySelector('.form-outcome'))?.dataset.tone !== 'bad') {
    // It is done: all that it was opened in closes, and what was typed is no longer anybody's.
    for (let open = form.closest('[popover]'); open; open = open.parentElement?.closest('[popover]') ?? null) /** @type {HTMLElement} */ (open).hidePopover();
    form.closest('dialog')?.close();
    form.reset();
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

/**
 * Prepares a refused form to be sent again, as another operation. If somebody else saved in between, the form shows what is
 * there now beside what was typed, so the next save is of somebody who has seen it. A form that cannot show it is reset to what
 * is there; a question in a popover is not, because the page around it shows that.
 * @param {HTMLFormElement} form
 * @param {Document} page
 */
function catchUp(form, page) {
  const alike = `form[action="${form.getAttribute('action')}"]`;
  const there = page.querySelectorAll(alike)[[...document.querySelectorAll(alike)].indexOf(form)];
  /** Takes the new value of a hidden field; returns whether it differs. @param {string} name */
  const renew = (name) => {
    const [mine, theirs] = [form, there].map((one) => /** @type {HTMLInputElement | null} */ (one?.querySelector(`[name=${name}]`) ?? null));
    if (!mine || !theirs || mine.value === theirs.value) return false;
    mine.value = theirs.value;
    return true;
  };
  renew('operation');
  renew('new_id');
  if (!renew('seen') || form.closest('[popover], dialog')) return;
  const now = /** @type {HTMLTemplateElement | null | undefined} */ (there?.querySelector('[data-there]'))?.content;
  if (!now) return form.reset();
  form.querySelector('.there-now')?.remove();
  form.querySelector('[data-there]')?.before(now.cloneNode(true));
}
