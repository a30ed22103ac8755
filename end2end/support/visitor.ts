import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { Builder, By, Capabilities, type WebDriver, type WebElement } from 'selenium-webdriver';
import { freePort } from './program.ts';
import { expect, programTest } from './reprieve.ts';

/** What drives which browser. */
const DRIVERS = { firefox: 'geckodriver', webkitgtk: 'WebKitWebDriver' } as const;
/** A browser that is driven by WebDriver. */
export type Engine = keyof typeof DRIVERS;

/** What a project, or a group of stories, chooses. */
export interface Choice {
  engine: Engine;
}

/** How long something may take to come on a busy machine: nothing that passes waits for it. */
const COMES_MS = 60_000;

/** What a session asks of its driver. */
function wishes(engine: Engine, scripts: boolean): Capabilities {
  if (engine === 'webkitgtk') {
    const args = ['--automation', `--enable-javascript=${scripts}`];
    return new Capabilities({ browserName: 'MiniBrowser', 'webkitgtk:browserOptions': { args } });
  }
  // Named by `cargo xtask nightly browsers`; without it geckodriver looks for one.
  const binary = process.env['FIREFOX'];
  const prefs = { 'javascript.enabled': scripts };
  return new Capabilities({ browserName: 'firefox', 'moz:firefoxOptions': { ...(binary && { binary }), args: ['-headless'], prefs } });
}

/** Runs the driver of a browser while its address is used. */
async function driving({ engine }: Choice, use: (address: string) => Promise<void>): Promise<void> {
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const driver = spawn(DRIVERS[engine], [`--port=${port}`], { stdio: 'ignore', detached: true });
  const gone = new Promise((resolve) => driver.once('exit', resolve));
  await expect.poll(() => fetch(`${address}/status`).then(({ ok }) => ok, () => false), { timeout: COMES_MS }).toBe(true);
  await use(address);
  // With all that it has started: a page that hangs does not hear that its browser has ended.
  if (driver.pid) process.kill(-driver.pid, 'SIGKILL');
  await gone;
}

/** Somebody in front of a browser: finds what is visible by its name, and waits for it. */
export class Visitor {
  readonly driver: WebDriver;
  readonly #address: string;

  constructor(driver: WebDriver, address: string) {
    this.driver = driver;
    this.#address = address;
  }

  /** Opens a page. */
  async goTo(path: string): Promise<void> {
    await this.driver.get(this.#address + path);
  }

  /** Opens a page and waits until its script answers. */
  async open(path: string): Promise<void> {
    await this.goTo(path);
    await this.sees('html[data-scripted]');
  }

  /**
   * What a selector finds, visible, of which the whole name or text is this one. A morph may replace an element between two
   * commands: then the command is tried on its successor.
   */
  async with<T>(selector: string, name: string | RegExp, act: (element: WebElement) => Promise<T>): Promise<T> {
    const pattern = typeof name === 'string' ? new RegExp(`^${name}$`) : name;
    let done!: { value: T };
    await expect(async () => {
      const found = await this.run<WebElement | null>(
        ([selector, pattern, flags]) => {
          const said = (element: HTMLElement) => (element.ariaLabel ?? element.innerText).replaceAll(/[\u2068\u2069]/g, '').trim();
          const all = [...document.querySelectorAll<HTMLElement>(selector!)];
          return all.find((element) => element.checkVisibility() && new RegExp(pattern!, flags).test(said(element))) ?? null;
        },
        selector,
        pattern.source,
        pattern.flags,
      );
      if (!found) throw new Error(`nothing visible fits ${selector} ${pattern}`);
      done = { value: await act(found) };
    }).toPass({ timeout: COMES_MS });
    return done.value;
  }

  /** Waits until something is visible. */
  async sees(selector: string, name: string | RegExp = /(?:)/): Promise<void> {
    await this.with(selector, name, async () => {});
  }

  /** Presses the button, or follows the link, of this name. */
  press(name: string | RegExp, within = 'body'): Promise<void> {
    return this.click(`${within} :is(button, a, summary)`, name);
  }

  /** Clicks on what a selector finds. */
  click(selector: string, name: string | RegExp = /(?:)/): Promise<void> {
    return this.with(selector, name, async (element) => {
      // The driver of WebKitGTK leaves what is below the window there, and says that it cannot be clicked on.
      await this.driver.executeScript("arguments[0].scrollIntoView({ block: 'nearest', behavior: 'instant' })", element);
      await element.click();
    });
  }

  /** Replaces what is in a field. */
  fill(field: string, text: string): Promise<void> {
    return this.with(field, /(?:)/, async (field) => {
      await field.clear();
      await field.sendKeys(text);
    });
  }

  /** Chooses an option of a list by what it says. */
  choose(field: string, option: string): Promise<void> {
    return this.with(field, /(?:)/, (field) => field.findElement(By.xpath(`option[normalize-space()='${option}']`)).click());
  }

  /** Presses keys where the focus is. */
  type(...keys: string[]): Promise<void> {
    return this.driver.actions().sendKeys(...keys).perform();
  }

  /** Runs a function in the page. */
  run<T>(look: (names: string[]) => unknown, ...names: string[]): Promise<T> {
    return this.driver.executeScript<T>(`return (${look})([...arguments])`, ...names);
  }

  /** What an attribute says of each element. */
  async every(selector: string, attribute: string): Promise<string[]> {
    return this.run(([selector, attribute]) => [...document.querySelectorAll(selector!)].map((one) => one.getAttribute(attribute!)), selector, attribute);
  }
}

interface Stories {
  /** Whether pages may run scripts. */
  scripts: boolean;
  visitor: Visitor;
}

/** For stories in a browser that is driven by WebDriver. */
export const story = programTest.extend<Stories, Choice & { driver: string }>({
  engine: ['firefox', { option: true, scope: 'worker' }],
  driver: [driving, { scope: 'worker' }],
  scripts: [true, { option: true }],

  visitor: async ({ engine, driver, scripts, reprieve }, use, info) => {
    const session = await new Builder().usingServer(driver).withCapabilities(wishes(engine, scripts)).build();
    await session.manage().setTimeouts({ pageLoad: COMES_MS, script: COMES_MS });
    await session.manage().window().setRect({ width: 1280, height: 900 });
    await use(new Visitor(session, reprieve.program.address));
    // After a failure the driver is started anew, and whatever it started has ended.
    if (info.status === info.expectedStatus) await session.quit();
    else await writeFile(info.outputPath('failed.png'), await session.takeScreenshot(), 'base64');
  },
});
