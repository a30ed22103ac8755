/** A Reprieve of the tests' own, with its own Redis, on this machine alone; and a proxy that loses answers. */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export class Server {
  url = "";
  readonly #program: string;
  readonly #folder = mkdtempSync(join(tmpdir(), "reprieve-client-"));
  #process: ChildProcess | undefined;

  constructor() {
    const program = process.env.REPRIEVE;
    if (!program) throw new Error("REPRIEVE must name the program: see CONTRIBUTING.md, `cargo xtask clients`");
    this.#program = program;
  }

  /** Starts it, at the same address as before if it ran before. */
  async start(): Promise<this> {
    const listen = this.url.replace("http://", "") || "127.0.0.1:0";
    const [out, log] = [join(this.#folder, "out"), join(this.#folder, "log")];
    const options = ["serve", "--listen", listen, "--login", "off"];
    const stdio: ["ignore", number, number] = ["ignore", openSync(out, "w"), openSync(log, "a")];
    this.#process = spawn(this.#program, options, { cwd: this.#folder, stdio });
    for (let tries = 0; tries < 600 && this.#process.exitCode === null; tries += 1) {
      const found = /dashboard\s+(http:\/\/\S+)/.exec(readFileSync(out, "utf8"));
      if (found?.[1]) {
        this.url = found[1];
        return this;
      }
      // The program says where it listens; nothing tells us that it has said so.
      await sleep(50);
    }
    throw new Error(`the server did not start: ${readFileSync(log, "utf8")}`);
  }

  async stop(): Promise<void> {
    if (this.#process?.exitCode !== null) return;
    this.#process.kill("SIGTERM");
    await once(this.#process, "exit");
  }

  /** A new token with these permissions. */
  token(name: string, ...permissions: string[]): string {
    const words = permissions.flatMap((permission) => ["--may", permission]);
    const said = execFileSync(this.#program, ["token", "add", name, ...words], { cwd: this.#folder });
    const found = /rpv_\S+/.exec(said.toString());
    if (!found) throw new Error(said.toString());
    return found[0];
  }

  async close(): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true });
  }
}

/** Passes requests on. To the first it answers as `loses` says: not at all, or with a page of its own. */
export class Proxy {
  readonly keys: (string | undefined)[] = [];
  readonly #server: HttpServer;

  constructor(target: string, loses: "answer" | "gateway") {
    this.#server = createServer(async (request, response) => {
      const body = Buffer.concat(await request.toArray());
      const key = request.headers["idempotency-key"]?.toString();
      this.keys.push(key);
      const headers = { "content-type": "application/json", "idempotency-key": key ?? "" };
      const answer = await fetch(target + request.url, { method: "POST", headers, body });
      const text = await answer.text();
      if (this.keys.length > 1) response.writeHead(answer.status).end(text);
      else if (loses === "gateway") response.writeHead(502, { "retry-after": "1" }).end("<h1>Bad Gateway</h1>");
      else request.socket.destroy();
    });
  }

  async start(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/** Waits for what the server shows; it sends no notice to wait for. */
export async function until(met: () => Promise<boolean>, ms = 20_000): Promise<void> {
  const deadline = performance.now() + ms;
  while (!(await met())) {
    if (performance.now() > deadline) throw new Error("it did not happen in time");
    await sleep(50);
  }
}
