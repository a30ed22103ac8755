import type { Api } from './api.ts';
import { PAYLOADS } from './detector.ts';
import type { Program } from './program.ts';
import { unique } from './reprieve.ts';

const HOUR_MS = 3_600_000;
/** Payloads of one job, or of one text of a job. */
const TOGETHER = 40;
/** Longest reason, in bytes. */
const REASON_MAX = 1_000;
const PREFIX = 'reprieve:{default}:';

/** What is said at a place, in turn. Each text ends in the name of its place, behind what is a comment to a script. */
export type Says = (place: string) => string[];

/** Payloads, all of them. */
export const hostile: Says = (place) => PAYLOADS.map((payload) => `${payload}//${place}`);

/** As many texts of the same length, in which nothing can come alive. */
export const harmless: Says = (place) => PAYLOADS.map((payload) => `${payload.replace(/[^a-z0-9 ]/gi, 'o')}//${place}`);

function chunks(texts: string[], size = TOGETHER): string[][] {
  return Array.from({ length: Math.ceil(texts.length / size) }, (_, n) => texts.slice(n * size, (n + 1) * size));
}

/** As many of the texts as fit, as one. */
function joined(texts: string[], between: string, bytesMax: number): string {
  let text = '';
  for (const one of texts) if (text.length + one.length < bytesMax) text += (text && between) + one;
  return text;
}

/** Without line breaks, for what is one line. */
function line(text: string): string {
  return text.replace(/[\n\t]/g, ' ');
}

/** Writes fields into the record of a job, as another program might. */
export async function amend(program: Program, id: string, fields: Record<string, string>): Promise<void> {
  const record = await program.redis('GET', `${PREFIX}job:${id}`);
  const end = record.indexOf('\n') + 1;
  const written = Object.entries(fields).map(
    ([name, value]) => `${name}=${value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n`,
  );
  await program.redis('SET', `${PREFIX}job:${id}`, record.slice(0, end) + written.join('') + record.slice(end));
}

/** Makes the record of a job one that nobody can read, and returns what mends it. */
export async function spoil(program: Program, id: string): Promise<() => Promise<void>> {
  const record = await program.redis('GET', `${PREFIX}job:${id}`);
  await program.redis('SET', `${PREFIX}job:${id}`, 'spoilt');
  return async () => {
    await program.redis('SET', `${PREFIX}job:${id}`, record);
  };
}

/** Writes lines into the log of a job that has none, as its worker would, each with its level. */
export async function say(program: Program, id: string, texts: string[], levels: string[] = []): Promise<void> {
  const at = String(Date.now());
  const lines = texts.map((text, n) => JSON.stringify({ at, attempt: '1', level: levels[n] ?? 'info', text }));
  await program.redis('RPUSH', `${PREFIX}log:${id}`, ...lines);
  await amend(program, id, { log_lines: String(lines.length) });
}

/** A job that a worker elsewhere has. The program's own sets aside what it does not know, so it must not come first. */
export async function claimed(api: Api, worker = 'w', lease_ms = 60_000): Promise<{ id: string; token: number; queue: string }> {
  for (;;) {
    const queue = unique('runs');
    await api.enqueue({ kind: 'none.says', queue });
    const claim = { worker, most: 1, lease_ms };
    const { items } = await api.call<{ items: { id: string; token: number }[] }>('POST', `/queues/${queue}/claim`, claim);
    if (items[0]) return { ...items[0], queue };
  }
}

/** Has a worker take every job of a queue, say what it has to say, and fail. */
export async function work(program: Program, api: Api, queue: string, says: Says, stem = ''): Promise<void> {
  const { items } = await api.call<{ items: { id: string; token: number }[] }>('POST', `/queues/${queue}/claim`, { worker: 'w', most: 10 });
  const of = (place: string) => chunks(says(stem + place));
  const [progress, results, logs, errors] = [of('progress'), of('result'), of('log'), of('error')];
  for (const [n, { id, token }] of items.entries()) {
    const at = String(Date.now());
    const told = { percent: '50', text: progress[n]![0]!, at, attempt: '1' };
    const lines = logs[n]!.map((text) => JSON.stringify({ at, attempt: '1', level: 'info', text }));
    await program.redis('RPUSH', `${PREFIX}log:${id}`, ...lines);
    await amend(program, id, {
      progress: JSON.stringify(told),
      result: JSON.stringify(results[n]),
      log_lines: String(lines.length),
      tags: JSON.stringify(says(`${stem}tag`).slice(n * 16, n * 16 + 16)),
    });
    // A worker's words come in lines, as a trace does.
    const error = joined(errors[n]!, '\n', 8_000);
    await api.call('POST', `/jobs/${id}/fail`, { token, error, fatal: true });
    await amend(program, id, { worker: line(says(`${stem}worker`)[n]!) });
  }
}

/** Jobs, their acts, a schedule and a plan around one stem, in which everything is said that others may say. */
export async function plant(program: Program, api: Api, stem: string, says: Says): Promise<void> {
  const subject = `order:${stem}`;
  const [values, keys, headers] = ['value', 'key', 'header'].map((place) => chunks(says(place)));
  await api.enqueueMany(
    values!.map((all, n) => ({
      kind: 'k',
      id: `${stem}-told-${n}`,
      queue: stem,
      payload: { all, keys: keys![n]!.map((key) => ({ [key]: 1 })) },
      headers: { 'x-text': line(joined(headers![n]!, ' ', 4_000)) },
    })),
  );
  await work(program, api, stem, says);
  await api.call('POST', `/queues/${stem}/pause`, { reason: joined(says('pause'), ' ', REASON_MAX) });

  const reasons = chunks(says('reason'), 10).map((texts) => joined(texts, ' ', REASON_MAX - 100));
  const tickets = says('ticket');
  await api.enqueueMany(
    reasons.map((_, n) => ({ kind: 'k', id: `${stem}-off-${n}`, queue: `${stem}-off`, subject, payload: { text: says('preview')[n] }, delay_ms: HOUR_MS })),
  );
  for (const [n, reason] of reasons.entries()) await api.cancel(`${stem}-off-${n}`, `${reason} (ticket ${line(tickets[n]!)})`);

  const payload = says('schedule').slice(0, TOGETHER);
  await api.call('POST', '/cron', {
    name: stem,
    schedule: '@daily',
    job: { kind: 'k', queue: `${stem}-cron`, payload },
    reason: joined(says('made'), ' ', REASON_MAX),
  });
  await api.call('POST', `/cron/${stem}/pause`, { reason: joined(says('paused'), ' ', REASON_MAX) });
  await api.makePlan({ id: stem, subject, steps: [{ name: 'a', offset_ms: HOUR_MS, job: { kind: 'k' } }] });
  await api.call('POST', `/plans/${stem}/hold`, { reason: joined(says('plan'), ' ', REASON_MAX) });
}

/** What stands on every page, or belongs to nothing in particular. */
export async function plantEverywhere(program: Program, api: Api, says: Says): Promise<void> {
  const short = (place: string, length: number) => says(place).map(line).filter((text) => text.length <= length);
  await api.call('POST', '/settings/reasons', { value: short('offered', 80).slice(0, 20) });
  await api.call('POST', '/settings/look', {
    // They have no room for the name of a place.
    value: { title: short('', 40).find((text) => text.includes('<script>')), environment: '<rpxss>"\'', colour: 'red' },
  });
  for (const name of short('view', 40).slice(0, 24)) {
    const form = new URLSearchParams({ name, list: 'delay', q: '', shared: 'on' });
    const saved = await fetch(`${program.address}/api/fn/save_view`, { method: 'POST', body: form });
    if (!saved.ok) throw new Error(`a view: ${saved.status} ${await saved.text()}`);
  }
  const now = Date.now();
  for (const [n, id] of says('machine').slice(0, 24).entries()) {
    const described = { id, host: id, pid: n, version: id, queues: [], slots: 1, busy: 0, quiet: false, started: now, seen: now };
    await program.redis('ZADD', `${PREFIX}workers`, String(now), id);
    await program.redis('SET', `${PREFIX}worker:${id}`, JSON.stringify(described));
  }
  for (const text of says('actor').slice(0, TOGETHER)) {
    const entry = { at: String(now), by: text, verb: 'cancel', target: text, why: text, outcome: 'cancelled', from: text, to: text };
    await program.redis('XADD', `${PREFIX}audit`, '*', ...Object.entries(entry).flat());
  }
}
