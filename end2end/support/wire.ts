import { connect, createServer, type Server, type Socket } from 'node:net';

/** A wire between a browser and a program, which can be cut: what goes through it ends, and nothing new does. */
export class Wire {
  #address = '';
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;
  #isSilent = false;

  private constructor(to: number) {
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
    const wire = new Wire(Number(new URL(address).port));
    await new Promise<void>((listening) => wire.#server.listen(0, '127.0.0.1', listening));
    const at = wire.#server.address();
    if (!at || typeof at !== 'object') throw new Error('no port');
    wire.#address = `http://127.0.0.1:${at.port}`;
    return wire;
  }

  /** Where the browser finds it. */
  get address(): string {
    return this.#address;
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
