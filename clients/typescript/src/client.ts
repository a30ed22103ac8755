/** Calls of the HTTP API, one method each. */

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type * as api from "./api.js";
import { problem, ReprieveError, Unavailable } from "./errors.js";

/** Waits between tries: the first is short, for a connection that was merely stale. */
const WAIT_FIRST_MS = 100;
const WAIT_LONGEST_MS = 2_000;

export interface ClientOptions {
  token?: string | undefined;
  /** How long one answer may take; 10 s without it. */
  timeoutMs?: number;
  /** For how long a call whose outcome is unknown is repeated; 30 s without it. */
  retryForMs?: number;
}

export interface Once {
  /** Names the act, so that a repeat is done at most once within 24 hours; a new UUID without it. */
  idempotencyKey?: string;
}

/**
 * A Reprieve server.
 *
 * A call whose outcome is unknown is repeated under the same idempotency key for `retryForMs`, so it is done once at
 * most. Calls of workers are not repeated here; the `Worker` does that.
 */
export class Client {
  readonly #url: string;
  readonly #token: string | undefined;
  readonly #timeoutMs: number;
  readonly #retryForMs: number;

  /** Throws a `TypeError` for an address or a token that cannot be one. */
  constructor(url: string, options: ClientOptions = {}) {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
      throw new TypeError(`${JSON.stringify(url)} is not an http:// or https:// address`);
    }
    const wrong = /[^!-~]/u.exec(options.token ?? "")?.[0];
    if (wrong) {
      throw new TypeError(`the token contains ${JSON.stringify(wrong)}, which no token does: give it whole`);
    }
    this.#url = url.replace(/\/+$/, "");
    this.#token = options.token;
    this.#timeoutMs = options.timeoutMs ?? 10_000;
    this.#retryForMs = options.retryForMs ?? 30_000;
  }

  /**
   * Adds a job. Its `outcome` is `exists` if one of its id is there already.
   *
   * Throws `Conflict` if it was not accepted: `duplicate`, `subject_full` or `id_conflict`.
   */
  async enqueue(job: api.NewJob, once: Once = {}): Promise<api.Standing> {
    return (await this.#act("/jobs", job, once)) as api.Standing;
  }

  /**
   * Cancels a job. The `outcome` is `cancelled`, or `requested` if it runs: then its worker is asked to stop.
   *
   * Throws `Conflict` if it was too late (`already_finished`) or the job has changed since `version` (`conflict`).
   */
  async cancel(id: string, act: api.Act = {}, once: Once = {}): Promise<api.Standing> {
    return (await this.#act(`${path(id)}/cancel`, act, once)) as api.Standing;
  }

  /**
   * Undoes a cancel, at the original due time unless another is given.
   *
   * Throws `Conflict` if that time has passed (`overdue`) or the job is not cancelled (`wrong_state`).
   */
  async reinstate(id: string, act: api.ActAtTime = {}, once: Once = {}): Promise<api.Standing> {
    return (await this.#act(`${path(id)}/reinstate`, act, once)) as api.Standing;
  }

  /** Cancels all live jobs of a subject in one step. */
  async cancelSubject(subject: string, why: api.Reason = {}, once: Once = {}): Promise<api.SubjectCancelled> {
    const where = `/subjects/${encodeURIComponent(subject)}/cancel`;
    return (await this.#act(where, why, once)) as api.SubjectCancelled;
  }

  /** The job with payload, attempts and history. Throws `NotFound`. */
  async job(id: string): Promise<api.Job> {
    return (await this.#repeated("GET", path(id))) as api.Job;
  }

  /** Claims jobs of a queue. If the answer is lost, the jobs come back when their leases end. */
  async claim(queue: string, claim: api.Claim = {}): Promise<api.Claimed> {
    const timeoutMs = this.#timeoutMs + (claim.wait_ms ?? 0);
    const where = `/queues/${encodeURIComponent(queue)}/claim`;
    return (await this.#once("POST", where, claim, undefined, timeoutMs)) as api.Claimed;
  }

  /** Reports that a job is done. Throws `LeaseLost` if it is another worker's by now, as all reports do. */
  async complete(id: string, completion: api.Completion): Promise<api.Reported> {
    return this.#report(`${path(id)}/complete`, completion);
  }

  /** Reports that an attempt failed. */
  async fail(id: string, failure: api.Failure): Promise<api.Reported> {
    return this.#report(`${path(id)}/fail`, failure);
  }

  /** Extends a lease. `cancel_requested` says whether somebody asked for the job to stop. */
  async extend(id: string, extension: api.Extension): Promise<api.Reported> {
    return this.#report(`${path(id)}/extend`, extension);
  }

  /** Gives a job back: it is ready again, and no attempt is counted. */
  async release(id: string, report: api.Report): Promise<api.Reported> {
    return this.#report(`${path(id)}/release`, report);
  }

  /** Puts a job off: it is delayed again, and no attempt is counted. */
  async snooze(id: string, snooze: api.Snooze): Promise<api.Reported> {
    return this.#report(`${path(id)}/snooze`, snooze);
  }

  #act(path: string, body: object, once: Once): Promise<unknown> {
    return this.#repeated("POST", path, body, once.idempotencyKey ?? randomUUID());
  }

  async #report(path: string, body: object): Promise<api.Reported> {
    return (await this.#once("POST", path, body)) as api.Reported;
  }

  async #repeated(method: string, path: string, body?: object, key?: string): Promise<unknown> {
    const deadline = performance.now() + this.#retryForMs;
    for (let tries = 0; ; tries += 1) {
      let waitMs;
      try {
        return await this.#once(method, path, body, key);
      } catch (error) {
        if (!(error instanceof ReprieveError)) throw error;
        error.idempotencyKey = key;
        const backoffMs = Math.min(WAIT_FIRST_MS * 2 ** tries, WAIT_LONGEST_MS) * (0.5 + Math.random() / 2);
        waitMs = error.retryAfterMs ?? backoffMs;
        if (!(error instanceof Unavailable) || performance.now() + waitMs > deadline) throw error;
      }
      await sleep(waitMs);
    }
  }

  async #once(
    method: string,
    path: string,
    body?: object,
    key?: string,
    timeoutMs = this.#timeoutMs,
  ): Promise<unknown> {
    const headers = new Headers({ accept: "application/json" });
    if (body) headers.set("content-type", "application/json");
    if (this.#token) headers.set("authorization", `Bearer ${this.#token}`);
    if (key) headers.set("idempotency-key", key);
    // A redirect would make a GET of a POST.
    const request: RequestInit = { method, headers, redirect: "manual", signal: AbortSignal.timeout(timeoutMs) };
    if (body) request.body = JSON.stringify(body);
    let response, text;
    try {
      response = await fetch(`${this.#url}/api/v1${path}`, request);
      text = await response.text();
    } catch (cause) {
      throw new Unavailable("unreachable", `no answer from ${this.#url}: ${why(cause)}`, { cause });
    }
    const answer = read(text);
    if (response.ok && answer) return answer;
    const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
    const retryAfterMs = Number.isFinite(seconds) ? Math.max(seconds, 0) * 1_000 : undefined;
    throw problem(response.status, answer ?? {}, retryAfterMs);
  }
}

function path(id: string): string {
  return `/jobs/${encodeURIComponent(id)}`;
}

/** What `fetch` says of a failure is in its cause. */
function why(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: string; message?: string }; message?: string };
  return cause?.code ?? cause?.message ?? message ?? String(error);
}

/** The object that an answer is; undefined if a proxy in between said something else. */
function read(text: string): Record<string, unknown> | undefined {
  try {
    const answer: unknown = JSON.parse(text);
    return typeof answer === "object" && answer && !Array.isArray(answer) ? (answer as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
