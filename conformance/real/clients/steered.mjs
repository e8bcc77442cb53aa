// A client that does what it is told, a line of JSON at a time, and says what comes of
// it in the same way, so that a test in another language can judge.
//
//   {"id":1,"do":"list"}                               → {"id":1,"result":[tool, …]}
//   {"id":2,"do":"call","name":"…","arguments":{…}}    → {"id":2,"progress":{…}} …, {"id":2,"result":{…}}
//   {"id":3,"do":"cancel","of":2}                      → {"id":2,"error":{…}}
//
// {"connected":"<protocol version>"} comes first, {"changed":true} when the list of tools
// has changed. The end of input closes the client.
import { createInterface } from "node:readline";

export function say(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

// steer runs until the end of input. client is {list(), call(params, options), close()};
// options are {signal, onprogress}, as both SDKs have them.
export async function steer(client, protocolVersion) {
  say({ connected: protocolVersion });
  const calls = new Map();
  const doing = {
    list: () => client.list(),
    call({ id, name, arguments: given }) {
      const abort = new AbortController();
      calls.set(id, abort);
      return client.call(
        { name, arguments: given },
        { signal: abort.signal, onprogress: (progress) => say({ id, progress }) },
      );
    },
  };
  for await (const line of createInterface({ input: process.stdin })) {
    const order = JSON.parse(line);
    if (order.do === "cancel") {
      calls.get(order.of).abort("enough");
      continue;
    }
    doing[order.do](order).then(
      (result) => say({ id: order.id, result }),
      (error) => say({ id: order.id, error: { name: error.name, code: error.code, message: error.message } }),
    );
  }
  await client.close();
}
