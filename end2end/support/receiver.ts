import { createServer, type IncomingMessage, type Server } from 'node:http';
import { text } from 'node:stream/consumers';

/** What arrived for one job. */
export interface Delivery {
  /** When the request arrived, Unix milliseconds. */
  at: number;
  headers: IncomingMessage['headers'];
  body: { id: string; kind: string; attempt: number; due_ms: number; payload?: unknown };
}

/**
 * The other end of the webhooks: keeps what arrives, and answers as the path says.
 *
 * `/ok` answers 200, `/fail` 500, `/fatal` 410, and `/hold` waits until `release`.
 */
export class Receiver {
  readonly address: string;
  readonly #server: Server;
  readonly #deliveries: Map<string, Delivery[]>;
  #held: (() => void)[] = [];
  #listeners: (() => void)[] = [];

  private constructor(server: Server, deliveries: Map<string, Delivery[]>, port: number) {
    this.#server = server;
    this.#deliveries = deliveries;
    this.address = `http://127.0.0.1:${port}`;
  }

  static async start(): Promise<Receiver> {
    const deliveries = new Map<string, Delivery[]>();
    let receiver: Receiver | undefined;
    const server = createServer(async (request, response) => {
      const at = Date.now();
      const body = JSON.parse(await text(request)) as Delivery['body'];
      deliveries.set(body.id, [...(deliveries.get(body.id) ?? []), { at, headers: request.headers, body }]);
      receiver?.wake();
      if (request.url === '/hold') await receiver?.hold();
      response.statusCode = { '/fail': 500, '/fatal': 410 }[request.url ?? ''] ?? 200;
      response.end(response.statusCode === 200 ? '' : 'the shop said no');
    });
    // Otherwise it closes what has been idle for five seconds, at times just as the next delivery comes that way: that one
    // fails, and is tried again.
    server.keepAliveTimeout = 0;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (!address || typeof address !== 'object') throw new Error('no port');
    receiver = new Receiver(server, deliveries, address.port);
    return receiver;
  }

  /** The deliveries of a job, oldest first. */
  of(id: string): Delivery[] {
    return this.#deliveries.get(id) ?? [];
  }

  /** Waits for the first delivery of a job. */
  async first(id: string): Promise<Delivery> {
    for (;;) {
      const [delivery] = this.of(id);
      if (delivery) return delivery;
      await this.next();
    }
  }

  /** Waits until something arrives, of any job. */
  next(): Promise<void> {
    return new Promise((resolve) => this.#listeners.push(resolve));
  }

  /** Lets every request that waits at `/hold` be answered. */
  release(): void {
    const held = this.#held;
    this.#held = [];
    held.forEach((resolve) => resolve());
  }

  async stop(): Promise<void> {
    this.release();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  private wake(): void {
    const listeners = this.#listeners;
    this.#listeners = [];
    listeners.forEach((resolve) => resolve());
  }

  private hold(): Promise<void> {
    return new Promise((resolve) => this.#held.push(resolve));
  }
}
