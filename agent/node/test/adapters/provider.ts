/**
 * A provider of models on this machine: it refuses what the real one would, and answers by a script. The
 * script sees each request and decides by what is in it.
 */
import { createServer, type Server } from "node:http";
import { Refusal } from "./refusal.js";

type Json = Record<string, unknown>;

/** A Script answers one request of a path. */
export type Script = (body: Json) => object | Promise<object>;

interface Test {
  after(end: () => Promise<void>): void;
}

/** serve answers POSTs of a path, after check has let them through, and returns the server's address. */
export async function serve(
  t: Test,
  path: string,
  check: (body: never) => void,
  script: Script,
): Promise<string> {
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    const { status, body } = await reply(String(request.url), JSON.parse(text) as Json);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  const reply = async (url: string, body: Json): Promise<{ status: number; body: object }> => {
    try {
      if (url !== path) throw new Refusal(`there is no ${url}`);
      check(body as never);
      return { status: 200, body: await script(body) };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const type = error instanceof Refusal ? "invalid_request_error" : "script_error";
      return { status: 400, body: { type: "error", error: { type, message } } };
    }
  };
  await listen(server);
  t.after(() => close(server));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("not listening");
  return `http://127.0.0.1:${address.port}`;
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
