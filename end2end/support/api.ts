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
  ended_ms: number | null;
  payload: unknown;
}

/** A job as one asks for it. */
export interface NewJob {
  kind: string;
  queue?: string;
  id?: string;
  subject?: string;
  tags?: string[];
  payload?: unknown;
  delay_ms?: number;
  due_ms?: number;
  max_attempts?: number;
  headers?: Record<string, string>;
  /** Whether it takes the place of a job of that id. */
  replace?: boolean;
}

/** A schedule as one asks for it. */
export interface NewSchedule {
  name: string;
  schedule: string;
  zone?: string;
  job: { kind: string; queue?: string };
}

/** A plan as one asks for it. */
export interface NewPlan {
  id: string;
  subject: string;
  name?: string;
  anchor?: { due_ms: number };
  past?: 'refuse' | 'run' | 'skip';
  steps: {
    name: string;
    offset_ms: number;
    after?: string[];
    unmet?: 'hold' | 'cancel';
    job: { kind: string; queue?: string };
  }[];
}

/** The HTTP API as any producer uses it. */
export class Api {
  readonly #address: string;

  constructor(address: string) {
    this.#address = address;
  }

  async enqueue(job: NewJob): Promise<{ id: string; version: number }> {
    return this.call('POST', '/jobs', job);
  }

  /** At most 500 at once. */
  async enqueueMany(jobs: NewJob[]): Promise<{ id: string }[]> {
    return (await this.call<{ items: { id: string }[] }>('POST', '/jobs', jobs)).items;
  }

  async job(id: string): Promise<Job> {
    return this.call('GET', `/jobs/${encodeURIComponent(id)}`);
  }

  async cancel(id: string, reason = 'Customer asked'): Promise<{ outcome: string }> {
    return this.call('POST', `/jobs/${encodeURIComponent(id)}/cancel`, { reason });
  }

  async reinstate(id: string): Promise<{ outcome: string }> {
    return this.call('POST', `/jobs/${encodeURIComponent(id)}/reinstate`, {});
  }

  async cancelSubject(subject: string): Promise<void> {
    await this.call('POST', `/subjects/${encodeURIComponent(subject)}/cancel`, { reason: 'Renewed or paid' });
  }

  async reschedule(id: string, delay_ms: number): Promise<void> {
    await this.call('POST', `/jobs/${encodeURIComponent(id)}/reschedule`, { delay_ms });
  }

  async hold(id: string): Promise<void> {
    await this.call('POST', `/jobs/${encodeURIComponent(id)}/hold`, {});
  }

  async pause(queue: string): Promise<void> {
    await this.call('POST', `/queues/${queue}/pause`, {});
  }

  async resume(queue: string): Promise<void> {
    await this.call('POST', `/queues/${queue}/resume`, {});
  }

  async putSchedule(schedule: NewSchedule): Promise<void> {
    await this.call('POST', '/cron', schedule);
  }

  async makePlan(plan: NewPlan): Promise<void> {
    await this.call('POST', '/plans', plan);
  }

  /** A dry run of a verb on the jobs that fit. */
  async freeze(wish: { verb: string; queue: string }): Promise<{ id: string }> {
    return this.call('POST', '/bulk', wish);
  }

  /** The names of all queues, of all workers that are heard of, and of the machines they run on. */
  async names(): Promise<string[]> {
    const queues = await this.call<{ items: { name: string }[] }>('GET', '/queues');
    const workers = await this.call<{ items: { id: string; host: string }[] }>('GET', '/workers');
    return [...queues.items.map(({ name }) => name), ...workers.items.flatMap(({ id, host }) => [id, host])];
  }

  /** What has no method of its own. */
  async call<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
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
