import { createServer, type Server } from 'node:http';
import type { Frame, Page } from '@playwright/test';

/** How long is waited for what may never answer a page elsewhere. */
const LONGEST_MS = 2_000;

/** What a page elsewhere asks for: a path, and the form that would do it. */
export interface Target {
  path: string;
  form: Record<string, string>;
}

/** A server with a blank page, which is another origin under one name and another site under the other. */
export class Elsewhere {
  readonly #server: Server;
  /** Another port of the same address: browsers send cookies with what it asks for. */
  readonly sameSite: string;
  /** Another site altogether. */
  readonly crossSite: string;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.sameSite = `http://127.0.0.1:${port}/`;
    this.crossSite = `http://localhost:${port}/`;
  }

  static async start(): Promise<Elsewhere> {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!DOCTYPE html><title>elsewhere</title>');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (!address || typeof address !== 'object') throw new Error('no port');
    return new Elsewhere(server, address.port);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** A frame in a page whose origin is that of nobody. */
export async function nobodysFrame(page: Page): Promise<Frame> {
  await page.evaluate(() => {
    const frame = document.createElement('iframe');
    frame.name = 'nobody';
    frame.setAttribute('sandbox', 'allow-scripts allow-forms');
    frame.srcdoc = '<!DOCTYPE html>';
    const loaded = new Promise((resolve) => frame.addEventListener('load', resolve));
    document.body.append(frame);
    return loaded;
  });
  const frame = await (await page.$('iframe[name=nobody]'))?.contentFrame();
  if (!frame) throw new Error('no frame');
  return frame;
}

/** Asks for everything by `GET`, as pictures, scripts, styles, frames, streams and data; what of it could be read. */
export function look(where: Page | Frame, addresses: string[]): Promise<string[]> {
  return where.evaluate(async ([addresses, longest]) => {
    const read: string[] = [];
    const settled: Promise<unknown>[] = [];
    const put = (name: string, attributes: Record<string, string>) => {
      const element = document.createElement(name);
      for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
      settled.push(
        new Promise((resolve) => {
          element.addEventListener('error', resolve);
          element.addEventListener('load', () => {
            if (name !== 'iframe' && name !== 'link') read.push(`${name} loaded ${JSON.stringify(attributes)}`);
            resolve(undefined);
          });
        }),
      );
      document.body.append(element);
    };
    for (const address of addresses) {
      put('img', { src: address });
      put('script', { src: address });
      put('link', { rel: 'stylesheet', href: address });
      put('iframe', { src: address });
      for (const mode of ['cors', 'no-cors'] as const) {
        const answer = fetch(address, { mode, credentials: 'include' });
        const text = await answer.then((response) => response.text()).catch(() => '');
        if (text) read.push(text);
      }
      settled.push(
        new Promise((resolve) => {
          const stream = new EventSource(address, { withCredentials: true });
          for (const event of ['message', 'hello', 'jobs']) {
            stream.addEventListener(event, (told) => read.push(String((told as MessageEvent).data)));
          }
          stream.addEventListener('error', () => {
            stream.close();
            resolve(undefined);
          });
        }),
      );
    }
    await Promise.race([Promise.all(settled), new Promise((resolve) => setTimeout(resolve, longest))]);
    for (const frame of Array.from(document.querySelectorAll('iframe'))) {
      if (frame.contentDocument?.body?.textContent) read.push('a frame can be read');
    }
    return read;
  }, [addresses, LONGEST_MS] as const);
}

/** Sends everything by `POST`, as forms, beacons and data; whose answer could be read. */
export function send(where: Page | Frame, targets: { address: string; form: Record<string, string> }[]): Promise<string[]> {
  return where.evaluate(async ([targets, longest]) => {
    const read: string[] = [];
    const settled: Promise<unknown>[] = [];
    for (const [n, { address, form }] of targets.entries()) {
      for (const enctype of ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain']) {
        const frame = document.createElement('iframe');
        frame.name = `answer-${n}-${enctype}`;
        const element = document.createElement('form');
        Object.assign(element, { method: 'post', action: address, enctype, target: frame.name });
        for (const [name, value] of Object.entries(form)) {
          const field = document.createElement('input');
          Object.assign(field, { type: 'hidden', name, value });
          element.append(field);
        }
        document.body.append(frame, element);
        settled.push(new Promise((resolve) => frame.addEventListener('load', resolve)));
        element.submit();
      }
      const body = new URLSearchParams(form);
      for (const mode of ['cors', 'no-cors'] as const) {
        const answer = fetch(address, { method: 'POST', mode, credentials: 'include', body });
        const text = await answer.then((response) => response.text()).catch(() => '');
        if (text) read.push(text);
      }
      for (const type of ['application/json', 'text/plain']) {
        const answer = fetch(address, { method: 'POST', credentials: 'include', headers: { 'content-type': type }, body: JSON.stringify(form) });
        const text = await answer.then((response) => response.text()).catch(() => '');
        if (text) read.push(text);
      }
      navigator.sendBeacon(address, body);
    }
    await Promise.race([Promise.all(settled), new Promise((resolve) => setTimeout(resolve, longest))]);
    return read;
  }, [targets, LONGEST_MS] as const);
}

/** Leaves a page by a form, as a click on a button elsewhere does; whether what was sent was taken. */
export async function leaveBy(page: Page, address: string, form: Record<string, string>): Promise<boolean> {
  const answered = page.waitForResponse((response) => response.url() === address);
  const [first] = await Promise.all([
    answered,
    page.waitForEvent('load'),
    page.evaluate(
      ([address, form]) => {
        const element = document.createElement('form');
        Object.assign(element, { method: 'post', action: address });
        for (const [name, value] of Object.entries(form)) {
          const field = document.createElement('input');
          Object.assign(field, { type: 'hidden', name, value });
          element.append(field);
        }
        document.body.append(element);
        element.submit();
      },
      [address, form] as const,
    ),
  ]);
  const to = first.headers()['location'] ?? '';
  return first.status() < 400 && !to.startsWith('/login');
}
