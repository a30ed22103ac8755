/** A worker: claims jobs of one queue, runs a handler for each, and reports. */

import { randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { ClaimedJob, Reported } from "./api.js";
import type { Client } from "./client.js";
import { Invalid, LeaseLost, NotFound, Unavailable } from "./errors.js";

/** How long one claim waits for a job: the longest that the server allows. */
const WAIT_MS = 10_000;
/** Most jobs of one claim. */
const CLAIM_MAX = 100;
/** Wait after the server did not answer, if it does not say how long. */
const RETRY_MS = 1_000;
/** How long a job of a kind that nobody here handles waits: a new version of the worker may be on its way. */
const PARK_MS = 60_000;
/** How long a handler that was asked to stop at the end may take. */
const STOP_MS = 2_000;
/** Bytes of a result that the server keeps. */
const RESULT_MAX = 64 * 1_024;
/** Characters of an error and of a reason that are sent: what the server keeps of the one, and accepts of the other. */
const [ERROR_MAX, REASON_MAX] = [8 * 1_024, 256];
/** Errors of one chain of causes that are told. */
const CAUSES_MAX = 5;

/** Why a handler should stop: somebody cancelled it, it took too long, another worker has it, or this worker ends. */
export type StopReason = "cancel" | "timeout" | "lost" | "shutdown";

/** The reason of a job's signal, and what `signal.throwIfAborted()` throws. */
export class Stopped extends Error {
  constructor(readonly reason: StopReason) {
    super(`stopped: ${reason}`);
    this.name = "Stopped";
  }
}

/** Thrown by a handler that wants to be called later; costs no attempt. */
export class Snooze extends Error {
  readonly delayMs: number;

  constructor(reason: string, delayMs: number) {
    super(reason);
    this.delayMs = wholeMs(delayMs);
  }
}

/** Thrown by a handler that failed and says when to try again. Any other error is tried again by policy. */
export class Retry extends Error {
  readonly inMs: number;

  constructor(message: string, inMs: number) {
    super(message);
    this.inMs = wholeMs(inMs);
  }
}

/** Thrown by a handler that failed and need not be tried again: the job is dead. */
export class Fatal extends Error {}

/** A job in the hands of its handler. */
export class ActiveJob {
  readonly id: string;
  readonly kind: string;
  readonly subject: string | null;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** Grows with every attempt: pass it on to whatever a late run must not change. */
  readonly token: number;
  /** Aborted with a `Stopped` when the handler should stop; hand it to `fetch` and its like. */
  readonly signal: AbortSignal;
  readonly #stop = new AbortController();

  /** `claimed` is all that the server said of it. */
  constructor(readonly claimed: ClaimedJob) {
    this.id = claimed.id;
    this.kind = claimed.kind;
    this.subject = claimed.subject;
    this.attempt = claimed.attempt;
    this.token = claimed.token;
    this.signal = this.#stop.signal;
  }

  /** What was enqueued: JSON, or bytes. */
  get payload(): unknown {
    const encoded = this.claimed.payload_base64;
    return encoded == null ? this.claimed.payload : Buffer.from(encoded, "base64");
  }

  /** @internal */
  stop(reason: StopReason): void {
    this.#stop.abort(new Stopped(reason));
  }
}

/** How a handler ended: its report, and what went wrong in words; "" if nothing did. */
type Ending = [report: () => Promise<Reported>, text: string];

export type Handler = (job: ActiveJob) => Promise<unknown> | unknown;

export interface WorkerOptions {
  queue: string;
  /** By kind. */
  handlers: Record<string, Handler>;
  /** Must be this worker's alone; made of host and process without it. */
  name?: string;
  /** How many handlers run at once; 1 without it. */
  concurrency?: number;
  leaseMs?: number;
  heartbeatMs?: number;
  /** For jobs that name no limit. */
  timeoutMs?: number;
  /** How long jobs in hand may take at the end. */
  graceMs?: number;
  /** Where warnings go; `console.warn` without it. */
  warn?: (message: string) => void;
}

/**
 * Works on one queue until `stop`, SIGTERM or SIGINT.
 *
 * A handler that returns has done its job, and what it returns is kept as the result. One that throws has failed, unless
 * it throws `Snooze`. Leases are extended while handlers run; each extension asks whether somebody cancelled the job.
 */
export class Worker {
  readonly name: string;
  readonly #client: Client;
  readonly #options: Required<WorkerOptions>;
  readonly #inHand = new Set<ActiveJob>();
  /** Emits `change` when a job leaves the hands, and when the worker is told to stop. */
  readonly #events = new EventEmitter();
  readonly #stopping = new AbortController();
  /** Aborted when `run` ends: reports are given up. */
  readonly #over = new AbortController();
  #claimWaits = false;

  constructor(client: Client, options: WorkerOptions) {
    this.#client = client;
    this.name = options.name ?? ownName();
    this.#options = {
      name: this.name,
      queue: options.queue,
      handlers: options.handlers,
      concurrency: options.concurrency ?? 1,
      leaseMs: options.leaseMs ?? 30_000,
      heartbeatMs: options.heartbeatMs ?? 4_000,
      timeoutMs: options.timeoutMs ?? 30 * 60_000,
      graceMs: options.graceMs ?? 20_000,
      warn: options.warn ?? console.warn,
    };
    const { concurrency, heartbeatMs, leaseMs } = this.#options;
    if (!(concurrency >= 1 && heartbeatMs > 0 && heartbeatMs < leaseMs)) {
      throw new RangeError("a worker needs concurrency of at least 1, and a heartbeat shorter than its lease");
    }
  }

  /**
   * Works until it is told to stop, and ends once no job is in hand.
   *
   * Throws the error that made work impossible, such as `NotAllowed`.
   */
  async run(): Promise<void> {
    const stop = () => this.stop();
    process.on("SIGTERM", stop).on("SIGINT", stop);
    let leaving: Promise<void> | undefined;
    this.#stopping.signal.addEventListener("abort", () => {
      leaving = this.#endWaitingClaim();
    });
    try {
      while (!this.#isStopping) await this.#claim();
    } finally {
      await leaving;
      await this.#drain();
      this.#over.abort();
      process.off("SIGTERM", stop).off("SIGINT", stop);
    }
  }

  /** Claims nothing more; `run` returns once the jobs in hand have ended. */
  stop(): void {
    this.#stopping.abort();
    this.#events.emit("change");
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #claim(): Promise<void> {
    const { queue, concurrency, leaseMs, warn } = this.#options;
    const free = concurrency - this.#inHand.size;
    if (free <= 0) {
      await once(this.#events, "change");
      return;
    }
    let claimed;
    this.#claimWaits = true;
    try {
      const most = Math.min(free, CLAIM_MAX);
      const claim = { worker: this.name, most, lease_ms: leaseMs, wait_ms: WAIT_MS };
      claimed = await this.#client.claim(queue, claim);
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      warn(`cannot claim from queue ${queue}: ${error.message}`);
      await pause(error.retryAfterMs ?? RETRY_MS, this.#stopping.signal);
      return;
    } finally {
      this.#claimWaits = false;
    }
    for (const item of claimed.items) void this.#run(new ActiveJob(item));
  }

  /** Has the server end a claim that waits: a newer claim of the same worker does that. */
  async #endWaitingClaim(): Promise<void> {
    if (!this.#claimWaits) return;
    try {
      const { items } = await this.#client.claim(this.#options.queue, { worker: this.name, wait_ms: 1 });
      for (const { id, token } of items) await this.#client.release(id, { token });
    } catch {
      // The waiting claim ends by itself.
    }
  }

  async #run(job: ActiveJob): Promise<void> {
    this.#inHand.add(job);
    const ended = new AbortController();
    const kept = this.#keep(job, ended.signal);
    try {
      // What was claimed when the worker was told to stop is given back.
      const report = this.#isStopping ? this.#released(job) : await this.#handle(job);
      await this.#insist(job, ...report);
    } finally {
      ended.abort();
      await kept;
      this.#inHand.delete(job);
      this.#events.emit("change");
    }
  }

  /** Runs the handler; returns the report of how it ended, and what went wrong in words. */
  async #handle(job: ActiveJob): Promise<Ending> {
    const client = this.#client;
    const { id, token } = job;
    let result: unknown;
    const handler = Object.hasOwn(this.#options.handlers, job.kind) && this.#options.handlers[job.kind];
    try {
      if (!handler) throw new Snooze(`no handler for kind ${job.kind} in worker ${this.name}`, PARK_MS);
      result = await handler(job);
    } catch (error) {
      const stopped = (job.signal.reason as Stopped | undefined)?.reason;
      const tell = (what: string, text: string) => {
        const told = stopped === "cancel" ? "was cancelled" : what;
        this.#options.warn(`job ${id} of kind ${job.kind} ${told}: ${text.split("\n", 1)[0]}`);
      };
      if (error instanceof Snooze) {
        const reason = cut(error.message, REASON_MAX);
        if (!handler || stopped === "cancel") tell(`is put off for ${error.delayMs} ms`, reason);
        return [() => client.snooze(id, { token, delay_ms: error.delayMs, reason }), reason];
      }
      const fail = (what: string, text: string, more: { fatal?: boolean; retry_in_ms?: number } = {}): Ending => {
        const said = cut(text, ERROR_MAX);
        tell(what, said);
        return [() => client.fail(id, { token, error: said, ...more }), said];
      };
      if (error instanceof Fatal) return fail("failed for good", error.message, { fatal: true });
      if (error instanceof Retry) {
        const { inMs, message } = error;
        return fail(`failed, to be tried again after ${inMs} ms`, message, { retry_in_ms: inMs });
      }
      if (stopped === "shutdown") {
        tell("was stopped and is given back", textOf(error));
        return this.#released(job);
      }
      const late = `took longer than its limit of ${this.#limitMs(job)} ms\n`;
      return fail("failed", (stopped === "timeout" ? late : "") + describe(error));
    }
    return [this.#done(job, result), ""];
  }

  /** The report of a job that is done, with its result if that can be kept. */
  #done({ id, token }: ActiveJob, result: unknown): () => Promise<Reported> {
    const plain = () => this.#client.complete(id, { token });
    const notKept = (why: string) => {
      this.#options.warn(`the result of job ${id} is not kept: ${why}`);
      return plain;
    };
    if (result === undefined) return plain;
    const why = unfit(result);
    if (why) return notKept(why);
    return async () => {
      try {
        return await this.#client.complete(id, { token, result });
      } catch (error) {
        if (!(error instanceof Invalid)) throw error;
        return notKept(error.message)();
      }
    };
  }

  #released({ id, token }: ActiveJob): Ending {
    return [() => this.#client.release(id, { token }), ""];
  }

  /** Reports until the server has heard it. A repeated report gets the first answer; one that is refused is a failure. */
  async #insist({ id, token }: ActiveJob, report: () => Promise<Reported>, text: string): Promise<void> {
    const { warn } = this.#options;
    let isPlain = false;
    while (!this.#over.signal.aborted) {
      try {
        await report();
        return;
      } catch (error) {
        if (error instanceof LeaseLost || error instanceof NotFound) {
          warn(`job ${id} is no longer ours: ${error.message}`);
          return;
        }
        if (error instanceof Invalid && !isPlain) {
          isPlain = true;
          const refused = cut(`${text}\nthe report of it was refused: ${error.message}`.trim(), ERROR_MAX);
          report = () => this.#client.fail(id, { token, error: refused });
          continue;
        }
        if (!(error instanceof Unavailable)) {
          warn(`the report on job ${id} was refused, so its lease runs out: ${textOf(error)}`);
          return;
        }
        warn(`cannot report on job ${id}: ${error.message}`);
        await pause(error.retryAfterMs ?? RETRY_MS, this.#over.signal);
      }
    }
  }

  /** Extends the lease until the handler has ended and reported, but not beyond the job's time limit. */
  async #keep(job: ActiveJob, ended: AbortSignal): Promise<void> {
    const { heartbeatMs, leaseMs, warn } = this.#options;
    const until = performance.now() + this.#limitMs(job);
    while (await pause(Math.min(heartbeatMs, Math.max(until - performance.now(), 0)), ended)) {
      if (performance.now() >= until) {
        // Should its handler never end, the lease does, and the job is tried again elsewhere.
        job.stop("timeout");
        return;
      }
      try {
        const { cancel_requested } = await this.#client.extend(job.id, { token: job.token, lease_ms: leaseMs });
        if (cancel_requested) job.stop("cancel");
      } catch (error) {
        if (error instanceof LeaseLost || error instanceof NotFound) {
          job.stop("lost");
          return;
        }
        warn(`cannot extend the lease of job ${job.id}: ${String(error)}`);
      }
    }
  }

  #limitMs(job: ActiveJob): number {
    return job.claimed.timeout_ms ?? this.#options.timeoutMs;
  }

  /** Waits for the jobs in hand. Those not done in time are asked to stop, and given back. */
  async #drain(): Promise<void> {
    const { graceMs, warn } = this.#options;
    if (await this.#isEmptyWithin(graceMs)) return;
    for (const job of this.#inHand) job.stop("shutdown");
    if (await this.#isEmptyWithin(STOP_MS)) return;
    for (const job of this.#inHand) {
      warn(`the handler of job ${job.id} did not stop; the job is given back`);
      const [release] = this.#released(job);
      await release().catch((error: unknown) => {
        warn(`job ${job.id} could not be given back: ${String(error)}`);
      });
    }
  }

  async #isEmptyWithin(ms: number): Promise<boolean> {
    const signal = AbortSignal.timeout(ms);
    while (this.#inHand.size > 0 && !signal.aborted) {
      await once(this.#events, "change", { signal }).catch(() => undefined);
    }
    return this.#inHand.size === 0;
  }
}

/** Waits that long. Returns false, at once, if the signal is aborted. */
async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  return sleep(ms, true, { signal }).catch(() => false);
}

/** A name that no other worker has, within the 64 characters that are allowed. */
function ownName(): string {
  const host = hostname().replace(/[^A-Za-z0-9_-]/g, "-").slice(0, 40);
  return `${host}-${process.pid}-${randomUUID().slice(0, 8)}`;
}

/** A wait that the server takes: whole milliseconds, and none for one that is over. */
function wholeMs(ms: number): number {
  if (!Number.isFinite(ms)) throw new RangeError(`${String(ms)} is no number of milliseconds`);
  return Math.max(Math.round(ms), 0);
}

/** The beginning of a text, without halves of characters. */
function cut(text: string, most: number): string {
  return text.slice(0, most).replace(/\p{Surrogate}/gu, "\ufffd");
}

/** Why a result cannot be sent; "" if it can. */
function unfit(result: unknown): string {
  let json: string | undefined;
  try {
    json = JSON.stringify(result);
  } catch (error) {
    return `it is no JSON: ${textOf(error)}`;
  }
  if (json === undefined) return `it is no JSON: a ${typeof result}`;
  const size = Buffer.byteLength(json);
  return size > RESULT_MAX ? `it has ${size} bytes, at most ${RESULT_MAX} are allowed` : "";
}

/** The error on its first line, which lists show, then where it happened, and what caused it. */
function describe(error: unknown): string {
  const parts = [];
  for (let at = error; at !== undefined && parts.length < CAUSES_MAX; at = at instanceof Error ? at.cause : undefined) {
    parts.push(at instanceof Error ? (at.stack ?? textOf(at)) : textOf(at));
  }
  return parts.join("\ncaused by: ");
}

/** What was thrown, as a text; not everything can be made one. */
function textOf(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return Object.prototype.toString.call(thrown);
  }
}
