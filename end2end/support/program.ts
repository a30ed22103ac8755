import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** How long a start may take: the program, its Redis, and an unoptimised build on a busy machine. */
const START_MS = 60_000;
/** How long a stop may take before it is forced. */
const STOP_MS = 10_000;

/** The real program with its embedded Redis, on a port and in a directory of its own. */
export class Program {
  #address = '';
  readonly #arguments: string[];
  readonly #directory: string;
  readonly #lines: string[] = [];
  #child: ChildProcess | undefined;

  private constructor(args: string[], directory: string) {
    this.#directory = directory;
    // Most tests are about what people do once they are in.
    const entry = args[0] === 'serve' && !args.includes('--login') ? ['--login', 'off'] : [];
    this.#arguments = [...args, ...entry, '--data', join(directory, 'data')];
  }

  /** Where it answers. */
  get address(): string {
    return this.#address;
  }

  /** Starts it and waits until it answers. */
  static start(...args: string[]): Promise<Program> {
    return Program.configured('', ...args);
  }

  /** The same with a configuration of its own, besides what its arguments say. */
  static async configured(configuration: string, ...args: string[]): Promise<Program> {
    // Short, because the path of a unix socket may have 108 bytes only.
    const directory = await mkdtemp(join(tmpdir(), 'rpv-'));
    // Where a program looks for it that is told of no other.
    if (configuration) await writeFile(join(directory, 'reprieve.toml'), configuration);
    const program = new Program(args, directory);
    await program.run();
    return program;
  }

  /** Starts it again after `kill`, on the same port and data. */
  async run(): Promise<void> {
    const binary = process.env['REPRIEVE'];
    if (!binary) throw new Error('the variable REPRIEVE names the program to test; `cargo xtask test` sets it');
    // A port that was looked for here may be another program's by the time this one listens.
    const listen = this.#address ? new URL(this.#address).host : '127.0.0.1:0';
    const child = spawn(binary, [...this.#arguments, '--listen', listen], {
      cwd: this.#directory,
      env: { ...process.env, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => this.#lines.push(text));
    }
    await this.#answers(child);
  }

  /** Where its Redis listens. */
  get socket(): string {
    return join(this.#directory, 'data', 'redis.sock');
  }

  /** Sends one command to its Redis, beside the program; the answer, if it is one text or number. */
  async redis(...words: string[]): Promise<string> {
    const socket = createConnection(this.socket);
    try {
      socket.write(`*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`);
      let answer = '';
      for await (const chunk of socket.setEncoding('utf8')) {
        answer += String(chunk);
        const [first = ''] = answer.split('\r\n', 1);
        if (answer.length === first.length) continue;
        if (first.startsWith('-')) throw new Error(`${words[0]}: ${first}`);
        if (!first.startsWith('$')) return first.slice(1);
        const text = answer.slice(first.length + 2);
        if (Buffer.byteLength(text) >= Number(first.slice(1)) + 2) return text.slice(0, -2);
      }
      throw new Error(`${words[0]}: no answer`);
    } finally {
      socket.destroy();
    }
  }

  /** Bytes of memory that the program holds, without its Redis. */
  async memory(): Promise<number> {
    const status = await readFile(`/proc/${this.#child?.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1_024;
  }

  /** Everything it has written so far. */
  log(): string {
    return this.#lines.join('');
  }

  /** Ends it at once, as a power cut would, and waits until it is gone. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Asks it to end and removes its data. */
  async stop(): Promise<void> {
    await this.#end('SIGTERM');
    await rm(this.#directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill(signal);
    const force = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await gone;
    clearTimeout(force);
  }

  async #answers(child: ChildProcess): Promise<void> {
    const until = Date.now() + START_MS;
    for (;;) {
      if (child.exitCode !== null) throw new Error(`the program ended with ${child.exitCode}:\n${this.log()}`);
      this.#address ||= /dashboard {2}(http:\S+)\n/.exec(this.log())?.[1] ?? '';
      try {
        const { ok } = await fetch(`${this.#address}/readyz`);
        if (ok) return;
      } catch {
        // Not listening yet.
      }
      if (Date.now() > until) throw new Error(`no answer in ${START_MS} ms:\n${this.log()}`);
      // There is nothing to wait on before a program listens.
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => (address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port'))));
    });
  });
}
