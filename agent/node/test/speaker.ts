/**
 * SPEAKER is the beginning of a sidecar in JavaScript, for what the real one does not do: `read(message =>
 * …)`, `write(message)` and `welcome`, a first answer. It ends as it should, unless the function returns
 * "mine".
 */
export const SPEAKER = `
const write = (message) => {
  const text = JSON.stringify({ jsonrpc: "2.0", ...message });
  process.stdout.write("Content-Length: " + Buffer.byteLength(text) + "\\r\\n\\r\\n" + text);
};
const read = (take) => {
  let unread = "";
  process.stdin.setEncoding("utf8").on("data", (text) => {
    unread += text;
    for (;;) {
      const head = /^Content-Length: (\\d+)\\r\\n\\r\\n/.exec(unread);
      const end = head && head[0].length + Number(head[1]);
      if (!head || unread.length < end) return;
      const message = JSON.parse(unread.slice(head[0].length, end));
      unread = unread.slice(end);
      if (take(message) === "mine") continue;
      if (message.method === "runtime/shutdown") write({ id: message.id, result: {} });
      if (message.method === "runtime/exit") process.exit(0);
    }
  });
};
const snapshot = { revision: 1, hash: "h", tools: [], servers: [], errors: [] };
const welcome = { protocolVersion: 1, sidecar: { name: "fake", version: "0" }, methods: [], snapshot };
`;

/** STOPPED stops when the session is open: what it is sent then stays in the pipe. */
export const STOPPED = `${SPEAKER} read(({ id }) => {
  write({ id, result: welcome });
  process.kill(process.pid, "SIGSTOP");
});`;
