/** What can go wrong, by what the caller can do about it. */

import type { Mistake } from "./api.js";

/** The server did not do what was asked. Decide by `code`; the message is the server's sentence. */
export class ReprieveError extends Error {
  /** What happened, as a stable word; `unreachable` if no answer came. */
  readonly code: string;
  /** The HTTP status; 0 if no answer came. */
  readonly status: number;
  /** All members of the problem: for a conflict where the job stands, as `state`, `version` and `due_ms`. */
  readonly body: Readonly<Record<string, unknown>>;
  /** How long to wait before the next try; undefined if the server did not say. */
  readonly retryAfterMs: number | undefined;
  /** The key of the request: after `Unavailable` a repeat under it is done at most once. */
  idempotencyKey: string | undefined;

  constructor(code: string, message: string, details: Details = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.name = new.target.name;
    this.code = code;
    this.status = details.status ?? 0;
    this.body = details.body ?? {};
    this.retryAfterMs = details.retryAfterMs;
  }

  /** Every mistake of the request, with its place. */
  get errors(): Mistake[] {
    return (this.body.errors ?? []) as Mistake[];
  }
}

interface Details {
  status?: number;
  body?: Record<string, unknown>;
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

/** The request has mistakes: fix the call. */
export class Invalid extends ReprieveError {}

/** The token is missing, ended, or lacks a permission or the queue. */
export class NotAllowed extends ReprieveError {}

/** There is no such job, or not any more. */
export class NotFound extends ReprieveError {}

/** Nothing was changed, because the job is not as the caller thinks: look again. */
export class Conflict extends ReprieveError {}

/** The job is no longer this worker's: stop, and report nothing. */
export class LeaseLost extends Conflict {}

/** The server could not be asked, or cannot answer now: it may have done it or not. Repeat under the same key. */
export class Unavailable extends ReprieveError {}

/** The error for an answer that is a problem. */
export function problem(status: number, body: Record<string, unknown>, retryAfterMs?: number): ReprieveError {
  const code = String(body.code ?? `http_${status}`);
  const detail = body.detail ?? `the answer ${status} is not one of Reprieve's; is a proxy in between?`;
  const Kind = code === "lease_lost" ? LeaseLost : (KINDS.get(status) ?? ReprieveError);
  return new Kind(code, String(detail), { status, body, retryAfterMs });
}

const KINDS = new Map<number, typeof ReprieveError>([
  ...[400, 413, 414, 415, 422].map((status) => [status, Invalid] as const),
  ...[401, 403].map((status) => [status, NotAllowed] as const),
  [404, NotFound],
  [409, Conflict],
  // The server is busy or away, or a proxy says that it is.
  ...[408, 429, 502, 503, 504].map((status) => [status, Unavailable] as const),
]);
