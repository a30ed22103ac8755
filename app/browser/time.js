import { base } from './base.js';
import { say } from './words.js';

/** The server's clock minus this one, ms. */
let offset = 0;

/** The server's time, ms since 1970. */
export const now = () => Date.now() + offset;

/** A smaller difference between this clock and the server's is the time the message took, ms. */
const ASTRAY_MS = 5_000;

/** @param {number} ms The server's time as it was sent just now. */
export function serverSays(ms) {
  offset = ms - Date.now();
  tick();
}

/** @param {number} n @param {number} rest @param {string} unit @param {string} smaller */
const units = (n, rest, unit, smaller) => (rest ? say(`time-${unit}-${smaller}`, { [unit]: n, [smaller]: rest }) : say(`time-${unit}`, { n }));

/** A span in its two largest units, as the server writes it. @param {number} ms */
export function span(ms) {
  const s = Math.floor(Math.abs(ms) / 1_000);
  if (s === 0) return say('time-ms', { n: Math.abs(Math.trunc(ms)) });
  if (s < 60) return say('time-s', { n: s });
  if (s < 3_600) return units(Math.floor(s / 60), s % 60, 'm', 's');
  const minutes = Math.floor((s + 30) / 60);
  if (s < 86_370) return units(Math.floor(minutes / 60), minutes % 60, 'h', 'm');
  const hours = Math.floor((s + 1_800) / 3_600);
  return units(Math.floor(hours / 24), hours % 24, 'd', 'h');
}

/** How far away a time is. @param {number} ms Below 0 where it has passed. */
function distance(ms) {
  if (Math.abs(ms) < 1_000) return say('time-now');
  return say(ms > 0 ? 'time-in' : 'time-ago', { span: span(ms) });
}

/** A time of day in the zone of the page. @param {number} ms */
export function clock(ms) {
  const { minutesEast, hour12 } = wall()?.dataset ?? {};
  const at = new Date(ms + Number(minutesEast ?? 0) * 60_000);
  const options = /** @type {const} */ ({ hour: '2-digit', minute: '2-digit', second: '2-digit', timeZone: 'UTC' });
  return at.toLocaleTimeString('en-GB', hour12 === undefined ? options : { ...options, hour12: true });
}

const wall = () => /** @type {HTMLElement | null} */ (document.querySelector('.wall-clock'));

/** @type {Record<string, (ms: number, time: HTMLTimeElement) => string>} What a time says, by how it ticks. */
const TICKS = {
  distance,
  since: (ms) => span(Math.min(ms, 0)),
  left: (ms, time) => (ms > 0 ? say('time-left', { span: span(ms) }) : time.dataset.over ?? ''),
};

/** Writes what ages as it is now. @param {ParentNode} [root] */
export function tick(root = document) {
  for (const time of /** @type {NodeListOf<HTMLTimeElement>} */ (root.querySelectorAll('time[data-ticks]'))) {
    const text = (TICKS[time.dataset.ticks ?? ''] ?? distance)(Date.parse(time.dateTime) - now(), time);
    if (time.textContent !== text) time.textContent = text;
  }
  const place = wall()?.querySelector('[data-own]');
  if (root === document && place) place.textContent = clock(now());
}

/** Shows that this device's clock is off: times on screen are the server's. */
export function compareClocks() {
  const note = /** @type {HTMLElement | null} */ (document.querySelector('.clock-astray'));
  if (!note) return;
  note.hidden = Math.abs(offset) < ASTRAY_MS;
  note.title = say(offset > 0 ? 'live-clock-behind' : 'live-clock-ahead', { span: span(offset) });
  note.setAttribute('aria-label', note.title);
}

/** Has the server write times in the zone of this browser from now on. Whether the page was written in another one. */
export function tellZone() {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const cookie = `browser-zone=${zone}`;
  if (document.cookie.split('; ').includes(cookie)) return false;
  document.cookie = `${cookie}; path=${base || '/'}; max-age=31536000; samesite=lax`;
  return zone !== 'UTC';
}
