/** A job as the API reads it back; times are Unix milliseconds. */
export interface Job {
  id: string;
  queue: string;
  kind: string;
  subject: string | null;
  state: string;
  version: number;
  attempt: number;
  due_ms: number;
}

/** A job as one asks for it. */
export interface NewJob {
  kind: string;
  queue?: string;
  id?: string;
  subject?: string;
  payload?: unknown;
  delay_ms?: number;
  due_ms?: number;
  max_attempts?: number;
}

/** The HTTP API as any producer uses it. */
export class Api {
  readonly #address: string;

  constructor(address: string) {
    this.#address = address;
  }

  async enqueue(job: NewJob): Promise<{ id: string }> {
    return this.#call('POST', '/jobs', job);
  }

  async enqueueMany(jobs: NewJob[]): Promise<void> {
    await this.#call('POST', '/jobs', jobs);
  }

  async job(id: string): Promise<Job> {
    return this.#call('GET', `/jobs/${encodeURIComponent(id)}`);
  }

  async cancel(id: string, reason = 'Customer asked'): Promise<{ outcome: string }> {
    return this.#call('POST', `/jobs/${encodeURIComponent(id)}/cancel`, { reason });
  }

  async retry(id: string): Promise<{ outcome: string }> {
    return this.#call('POST', `/jobs/${encodeURIComponent(id)}/retry`, {});
  }

  async #call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(`${this.#address}/api/v1${path}`, {
      method,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const answer = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer}`);
    return JSON.parse(answer) as T;
  }
}
