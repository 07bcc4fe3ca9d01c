/** The least that can wake who waits: a bare server that holds each GET, and answers all of them when it gets a POST. */
import { createServer, type ServerResponse } from "node:http";

const body = JSON.stringify({
  isWhole: false,
  items: [{ ref: "bench/prompt-1", versionNumber: 2, etag: `"${"v".repeat(30)}.bench/prompt-1"` }],
  nextCursor: null,
});
const held = new Set<ServerResponse>();
const server = createServer((incoming, outgoing) => {
  if (incoming.method === "GET") {
    held.add(outgoing);
    return;
  }
  outgoing.end();
  for (const waiting of held)
    waiting.writeHead(200, { "content-type": "application/json", etag: '"etag"' }).end(body);
  held.clear();
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as { port: number };
  process.send?.(port);
});
