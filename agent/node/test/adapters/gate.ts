/**
 * A Gate holds a test server back until it is opened (server.ts: GATE).
 */
import { createServer, type Server, type Socket } from "node:net";

export class Gate {
  readonly #server: Server;
  readonly #arrived: Promise<Socket>;

  private constructor(server: Server) {
    this.#server = server;
    this.#arrived = new Promise((resolve) => {
      server.once("connection", (socket) => {
        socket.on("error", () => {}); // the server was killed
        resolve(socket);
      });
    });
  }

  static async listen(): Promise<Gate> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new Gate(server);
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("the gate is closed");
    return address.port;
  }

  /** open lets the server start, as soon as it has come. */
  async open(): Promise<void> {
    (await this.#arrived).write("\n");
  }

  async close(): Promise<void> {
    this.#server.close();
    void this.#arrived.then((socket) => socket.destroy());
  }
}
