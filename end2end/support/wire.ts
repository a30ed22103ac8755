import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from './program.ts';

/** A wire between a browser and a program, which can be cut: what goes through it ends, and nothing new does. */
export class Wire {
  readonly address: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;
  #isSilent = false;

  private constructor(address: string, to: number) {
    this.address = address;
    this.#server = createServer((near) => {
      if (this.#isCut) {
        near.destroy();
        return;
      }
      const far = connect(to, '127.0.0.1');
      for (const [socket, other] of [[near, far], [far, near]] as const) {
        this.#sockets.add(socket);
        socket.on('error', () => socket.destroy());
        socket.on('close', () => {
          this.#sockets.delete(socket);
          other.destroy();
        });
        if (!this.#isSilent) socket.pipe(other);
      }
    });
  }

  /** A wire to the program at that address. */
  static async to(address: string): Promise<Wire> {
    const port = await freePort();
    const wire = new Wire(`http://127.0.0.1:${port}`, Number(new URL(address).port));
    await new Promise<void>((listening) => wire.#server.listen(port, '127.0.0.1', listening));
    return wire;
  }

  /** Nothing goes through it any more, and nobody is told: what is open stays open. */
  fallSilent(): void {
    this.#isSilent = true;
    for (const socket of this.#sockets) socket.unpipe().pause();
  }

  /** Cuts it. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Mends it. What was silent ends. */
  mend(): void {
    if (this.#isSilent) for (const socket of this.#sockets) socket.destroy();
    this.#isCut = false;
    this.#isSilent = false;
  }

  /** Takes it away. */
  async remove(): Promise<void> {
    this.cut();
    await new Promise<void>((closed) => this.#server.close(() => closed()));
  }
}
