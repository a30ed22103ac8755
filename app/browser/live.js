/** Keeps a page live: the event stream says that something changed, and the page asks for itself again. */
import './charts.js';
import './forms.js';
import './keys.js';
import './palette.js';
import './late.js';
import './panel.js';
import './preview.js';
import './row-acts.js';
import './terms.js';
import './ticks.js';
import './controls.js';
import { base } from './base.js';
import { willShow } from './forms.js';
import { goBack, showOutcome, speak, tell } from './notices.js';
import { SignedOut, ask, isThere, parse } from './ask.js';
import { held, show, showOutage } from './morph.js';
import { addressToRead } from './rows.js';
import { clock, compareClocks, now, serverSays, span, tellZone, tick } from './time.js';
import { signedOut } from './signed-out.js';
import { putBack, wouldLose } from './typed.js';
import { say } from './words.js';

const html = document.documentElement;
/** One refresh a second at most: figures that move faster cannot be read. */
const THROTTLE_MS = 1_000;
/** All tabs hear of a change at once; they ask within this time. */
const JITTER_MS = 250;
/** Silence after which a stream is dead although nobody closed it: three heartbeats of the server. */
const SILENCE_MS = 6_000;
/** The browser gives up after a refusal; we do not. */
const REOPEN_MS = 3_000;
/** How often what could not be read is asked for again, seconds. */
const AGAIN_S = 2;
/** How long the server may hear nothing of somebody who only types or reads, ms: a sixth of what it waits until they sign in anew. */
const UNHEARD_MS = 5 * 60_000;
/** A shorter break is not worth a word. */
const LOST_AFTER_MS = 3_000;
/** How long before its end a sign-in is announced, ms. */
const ENDING_MS = 5 * 60_000;

/** @type {EventSource | null} */
let stream = null;
let heardAt = Date.now();
/** This device's clock minus the time that the page has been open, when the stream was opened. */
let clockAt = 0;
/** Nothing comes through the stream that is open: the page is asked for at intervals. */
let isSilent = false;
/** The server has no stream left for this page. */
let isFull = false;
/** The place of the latest event in the stream of events. */
let heard = '';
/** Since when the page may be behind, by the server's clock; 0 while it is not. */
let lostSince = 0;
/** Since when somebody wants quiet; 0 while the page moves. */
let pausedSince = 0;
/** Another build serves than the one that made the page. */
let isOutdated = false;
/** Somebody else is signed in than the one whom the page was made for, or the same person has other rights. */
let isForeign = false;
let timer = 0;
let asking = false;
/** Somebody waits for another answer than the one that is on its way. */
let isWanted = false;
let missed = false;
/** Since when nobody looks at the page; 0 once it was read again. */
let hiddenSince = 0;
let readAt = Date.now();
/** The address without the place in its page. */
const address = () => location.href.split('#')[0];
/** The address whose page is on screen. */
let shownOf = '';

/** When this page is to be asked for again: with events, and every so many ms. A page that does not say goes by events. */
function rhythm() {
  const said = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('data.refresh')]).map(({ dataset }) => dataset);
  const seconds = said.map(({ every }) => Number(every)).filter(Boolean);
  // What could not be read is asked for again by itself, where that may help.
  if (document.querySelector('main .error-panel[data-passes]')) seconds.push(AGAIN_S);
  return { byEvents: said.every(({ events }) => events !== undefined), every: held ? THROTTLE_MS : Math.min(...seconds) * 1_000 };
}

/** Whether this page changes by itself at all. */
function moves() {
  const { byEvents, every } = rhythm();
  return byEvents || every < Infinity;
}

/** Asks for the page again soon. */
function stale(after = THROTTLE_MS) {
  if (!moves()) return;
  if (pausedSince || document.hidden || asking || willShow()) missed = true;
  else soon(after);
}

/** @param {number} after */
function soon(after) {
  timer ||= window.setTimeout(() => void read(), after + Math.random() * JITTER_MS);
}

/** Asks for it at once, because somebody waits for it: it is shown although they wanted quiet before. */
function wanted() {
  if (asking) isWanted = true;
  else void read(true);
}

async function read(isAsked = false) {
  clearTimeout(timer);
  timer = 0;
  missed = document.hidden || (!isAsked && willShow());
  if (missed) return;
  asking = true;
  isWanted = false;
  const asked = address();
  try {
    const response = await ask(addressToRead(), {}, undefined, isAsked ? '' : heard);
    const page = parse(await response.text());
    // Another answer than a page of ours says that the server cannot give one now.
    if (!page.querySelector('main#page')) throw new Error(`${response.status}`);
    // It may have been requested before an act and answered after it.
    if (!isAsked && willShow()) {
      missed = true;
      return;
    }
    readAt = Date.now();
    isForeign = differ(whose(page), whose(document));
    // A page of somebody else is loaded anew, and so is one in another language: the script has the sentences of this one. Not while
    // somebody is in the middle of something.
    const isInOther = response.ok && page.documentElement.lang !== html.lang;
    if ((isForeign || isInOther) && !wouldLose()) return location.reload();
    // Somebody may have asked for something else meanwhile.
    if (address() !== asked) isWanted = true;
    if (isWanted) return;
    shownOf = asked;
    if (response.status >= 500 && showOutage(page)) return;
    if (isAsked || (moves() && !pausedSince)) await show(page);
    hiddenSince = 0;
    lostSince = isSilent ? now() : 0;
  } catch (error) {
    if (error instanceof SignedOut) signedOut();
    else lost();
  } finally {
    asking = false;
  }
  if (isWanted) return read(true);
  if (missed || lostSince) stale(lostSince ? REOPEN_MS : THROTTLE_MS);
  badge();
}

/** Whom a page was made for, with what rights, in a word. @param {ParentNode} page */
const whose = (page) => /** @type {HTMLElement | null} */ (page.querySelector('#signed-out'))?.dataset.who;

/** @param {string | undefined} one @param {string | undefined} other */
const differ = (one, other) => Boolean(one && other && one !== other);

/** What is on screen is of then, or of longer ago. */
function lost(since = hiddenSince || now()) {
  lostSince ||= since;
}

function open() {
  stream?.close();
  heardAt = Date.now();
  clockAt = heardAt - performance.now();
  stream = new EventSource(`${base}/events`);
  const on = (/** @type {string} */ name, /** @type {(data: any) => void} */ act) => stream?.addEventListener(name, (message) => {
    heardAt = Date.now();
    isSilent = false;
    isFull = false;
    heard = message.lastEventId;
    act(JSON.parse(message.data || 'null'));
  });
  on('hello', greeted);
  on('heartbeat', ({ away }) => {
    if (away) lost();
    else if (lostSince) stale(0);
  });
  on('jobs', () => rhythm().byEvents && stale());
  on('reset', () => stale());
  stream.onerror = () => {
    lost();
    if (stream?.readyState !== EventSource.CLOSED) return;
    stream = null;
    window.setTimeout(follow, REOPEN_MS);
    // It may be that nobody is signed in any more.
    soon(0);
    void askWhy();
  };
}

/** Asks why no stream is given, which an event source does not tell. */
async function askWhy() {
  try {
    const refusal = await fetch(`${base}/events`, { signal: AbortSignal.timeout(REOPEN_MS) });
    isFull = !refusal.ok && (await refusal.json()).code === 'too_many_streams';
    if (refusal.ok) await refusal.body?.cancel();
  } catch {
    isFull = false;
  }
  badge();
}

/** @param {{ now_ms: number, build: string, who: string }} hello */
function greeted(hello) {
  serverSays(hello.now_ms);
  compareClocks();
  isOutdated = differ(hello.build, html.dataset.build);
  isForeign = differ(hello.who, whose(document));
  if (!moves()) lostSince = 0;
  else if (lostSince || missed) stale(0);
  // Nothing tells what happened after the page was read and before its stream began.
  else if (rhythm().byEvents) stale();
  if (isForeign) soon(0);
  badge();
}

/** A hidden tab asks for nothing, and is read at once when it is shown again. */
function follow() {
  if (document.hidden) {
    hiddenSince ||= lostSince || now();
    stream?.close();
    stream = null;
    missed = true;
  } else if (!stream) {
    open();
    if (missed) stale(0);
  }
}

let shown = '';

/** Shows whether the page is live, and how old it is. */
function badge() {
  const [badge, banner] = ['.live-badge', '#live-banner'].map((part) => /** @type {HTMLElement | null} */ (document.querySelector(part)));
  if (!badge || !banner) return;
  const isLost = lostSince > 0 && (isSilent || now() - lostSince >= LOST_AFTER_MS);
  const state = pausedSince ? 'paused' : isLost ? 'lost' : stream?.readyState === EventSource.OPEN ? 'live' : 'starting';
  const act = say(pausedSince ? 'live-resume-name' : 'live-pause-name');
  badge.dataset.live = state;
  badge.title = `${act} (p)`;
  badge.setAttribute('aria-label', `${say(`live-${state}`)}. ${act}`);
  const word = badge.querySelector('.live-word');
  if (word) word.textContent = say(`live-${state}`);
  const otherwise = isFull ? say('live-full') : isOutdated ? say('live-outdated') : isForeign ? say('live-foreign') : '';
  const text = pausedSince
    ? say('light-banner-paused', { at: clock(pausedSince) })
    : isLost ? say('live-banner-lost', { at: clock(lostSince), span: span(now() - lostSince) }) : otherwise;
  banner.hidden = !text;
  banner.dataset.live = pausedSince ? 'paused' : isLost ? 'lost' : 'outdated';
  /** @type {HTMLElement} */ (banner.firstElementChild).textContent = text;
  banner.querySelector('button')?.toggleAttribute('hidden', !pausedSince);
  banner.querySelector('a')?.toggleAttribute('hidden', Boolean(pausedSince || isLost || isFull || !otherwise));
  const before = shown;
  shown = state;
  if (state === 'lost' && before !== 'lost') tell(say('live-said-lost', { at: clock(lostSince) }));
  if (state === 'paused' || (state === 'live' && (before === 'lost' || before === 'paused'))) if (before !== state) tell(say(`live-${state}`));
}

function pause() {
  pausedSince = pausedSince ? 0 : now();
  if (!pausedSince) stale(0);
  badge();
}

document.addEventListener('click', ({ target }) => {
  if (target instanceof Element && target.closest('.live-badge, #live-banner button')) pause();
  // What was pressed there is gone.
  if (target instanceof Element && target.closest('#live-banner')) goBack();
});

/** Once a second: times go on, and silence is noticed. */
function look() {
  if (document.hidden) return;
  tick();
  speak();
  const silence = Date.now() - heardAt;
  // A new stream says what time it is.
  const wasSet = Math.abs(Date.now() - performance.now() - clockAt) > THROTTLE_MS;
  const isDead = silence > SILENCE_MS;
  if (stream && (isDead || wasSet)) {
    if (isDead) {
      lost(now() - silence);
      isSilent = true;
    }
    open();
    // What the stream does not say is looked for.
    stale(0);
  }
  if (missed || Date.now() - readAt >= rhythm().every) stale(0);
  // The address has changed, and no reading of it was answered.
  if (shownOf !== address() && !asking && !lostSince) wanted();
  if (Date.now() - readAt > UNHEARD_MS && isThere()) {
    readAt = Date.now();
    void fetch(`${base}/api/fn/whoami`).catch(() => {});
  }
  ending();
  badge();
}

/** Says in time that the sign-in ends. */
function ending() {
  const bar = /** @type {HTMLElement | null} */ (document.querySelector('#sign-in-ends'));
  if (!bar) return;
  const ends = Number(bar.dataset.endsMs);
  const is = ends - now() < ENDING_MS && ends > now();
  if (bar.hidden === !is) return;
  bar.hidden = !is;
  /** @type {HTMLElement} */ (bar.firstElementChild).textContent = say('account-ending', { at: clock(ends) });
  if (is) tell(bar.firstElementChild?.textContent ?? '');
}

document.addEventListener('visibilitychange', follow);
addEventListener('pagehide', () => stream?.close());
addEventListener('pageshow', (event) => {
  if (event.persisted) {
    stream = null;
    wanted();
  }
  follow();
});
addEventListener('online', () => !document.hidden && open());
addEventListener('page:stale', wanted);
addEventListener('page:read', () => {
  readAt = Date.now();
  shownOf = address();
});

html.dataset.scripted = '';
if (navigator.clipboard) html.dataset.copies = '';
putBack();
showOutcome();
shownOf = address();
if (tellZone()) wanted();
setInterval(look, 1_000);
follow();
badge();
