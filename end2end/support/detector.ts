import { readFileSync } from 'node:fs';
import type { BrowserContext, Page } from '@playwright/test';

/** Stands in every payload: the function that they call, and the host that they load from. */
export const MARK = 'rpxss';

interface Corpus {
  before: string[];
  scripts: string[];
}

const corpus = JSON.parse(
  readFileSync(new URL('../../server/tests/api/hostile/scripts.json', import.meta.url), 'utf8'),
) as Corpus;

/** What would run, load or lead away, each behind whatever may leave an attribute, an element or a string first. */
export const PAYLOADS: readonly string[] = corpus.before.flatMap((before) =>
  corpus.scripts.map((script) => before + script),
);

/** The same without anything in front. */
export const { scripts: SCRIPTS } = corpus;

/** What is alive in a document that nobody of us wrote, how many elements of a risky kind there are, and all text. */
export interface Look {
  alive: string[];
  elements: Record<string, number>;
  text: string;
}

/** Sees whatever a text of somebody else's does in a browser that should only show it. */
export class Detector {
  /** What happened that should not have. */
  readonly seen: string[] = [];
  readonly #ours: string;

  private constructor(ours: string) {
    this.#ours = ours;
  }

  /** Watches every page of a context; `ours` is the one origin that may be asked for anything. */
  static async of(context: BrowserContext, ours: string): Promise<Detector> {
    const detector = new Detector(ours);
    const { seen } = detector;
    await context.exposeBinding(MARK, ({ frame }, how = 'a payload ran') => {
      seen.push(`${String(how)} in ${frame.url()}`);
    });
    await context.addInitScript((mark) => {
      const ran = (how: string) => (window as unknown as Record<string, (how: string) => void>)[mark]?.(how);
      for (const name of ['alert', 'confirm', 'prompt', 'print'] as const) {
        Object.defineProperty(window, name, { value: () => ran(name) });
      }
      addEventListener('securitypolicyviolation', (event) => ran(`${event.violatedDirective} was violated`));
    }, MARK);
    context.on('dialog', (dialog) => {
      seen.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    context.on('requestfinished', (request) => detector.#asked(request.url()));
    context.on('requestfailed', (request) => {
      // What the policy stops never leaves the browser.
      if (!/csp/i.test(request.failure()?.errorText ?? '')) detector.#asked(request.url());
    });
    context.on('page', async (page) => {
      if (await page.opener()) seen.push(`a window: ${page.url()}`);
    });
    return detector;
  }

  /** What is in a page now. */
  look(page: Page): Promise<Look> {
    return page.evaluate(look, { mark: MARK, html: null });
  }

  /** What is in a document as the server wrote it: nothing in it runs here. */
  lookAt(page: Page, html: string): Promise<Look> {
    return page.evaluate(look, { mark: MARK, html });
  }

  #asked(url: string): void {
    const { protocol, origin } = new URL(url);
    if (/^(http|ws)s?:$/.test(protocol) && origin !== this.#ours) this.seen.push(`a request: ${url}`);
  }
}

/** Runs in the page. */
function look({ mark, html }: { mark: string; html: string | null }): Look {
  const NEVER =
    'iframe,object,embed,base,img,image,math,video,audio,source,marquee,frame,frameset,applet,style,x,animate,mtext,noembed';
  // Scripts are not counted: one without our nonce is alive, and ours carry what the server has read in as many as it
  // happened to be read in.
  const RISKY = ['img', 'svg', 'iframe', 'object', 'style', 'link', 'base', 'form', 'meta'];
  const LEADING = ['href', 'src', 'action', 'formaction', 'data', 'xlink:href', 'srcdoc', 'style'];
  const root = html === null ? document : new DOMParser().parseFromString(html, 'text/html');
  const alive: string[] = [];
  const texts: string[] = [];
  for (const element of root.querySelectorAll('*')) {
    const name = element.localName;
    const nonce = element instanceof HTMLElement ? element.nonce || element.getAttribute('nonce') : null;
    if (element.matches(NEVER) || name.includes(mark) || (name === 'script' && !nonce)) alive.push(`<${name}>`);
    for (const { name: attribute, value } of element.attributes) {
      texts.push(value);
      const target = value.replace(/[\u0000-\u0020]/g, '').toLowerCase();
      const leads = LEADING.includes(attribute);
      const away = leads && (/^[a-z]*script:/.test(target) || /^(data:|\/\/)/.test(target) || target.includes(`://${mark}`));
      const loads = attribute === 'style' && value.includes(mark);
      if (away || loads || attribute.startsWith('on') || attribute === 'http-equiv' || /[<"'`]/.test(attribute) || attribute.includes(mark)) {
        alive.push(`<${name} ${attribute}=${JSON.stringify(value)}>`);
      }
    }
  }
  const walker = root.createTreeWalker(root, NodeFilter.SHOW_COMMENT | NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.nodeValue ?? '';
    if (node.nodeType === Node.COMMENT_NODE) {
      if (text.includes(mark)) alive.push(`<!--${text}-->`);
    } else if (node.parentElement?.localName !== 'script') {
      texts.push(text);
    }
  }
  for (const field of root.querySelectorAll('input, textarea')) {
    texts.push((field as HTMLInputElement | HTMLTextAreaElement).value);
  }
  const elements = Object.fromEntries(RISKY.map((kind) => [kind, root.querySelectorAll(kind).length]));
  return { alive, elements, text: texts.join('\n') };
}
