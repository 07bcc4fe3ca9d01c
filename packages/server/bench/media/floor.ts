/** A bare server: it stores what is sent, and sends it back, and looks at nothing. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createReadStream, createWriteStream, statSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { FolderStore } from "../../src/kernel/store/folder-store.ts";

const folder = process.argv[2] ?? "";
const store = new FolderStore(folder);
const key = "floor";

const stored = join(folder, key.slice(0, 2), key);

async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = join(folder, randomUUID());
  await pipeline(request, createWriteStream(path));
  await store.put(key, { path, size: 0, sha256: "" });
  response.writeHead(201).end();
}

const server = createServer((request, response) => {
  if (request.method === "POST") void take(request, response);
  else createReadStream(stored).pipe(response.setHeader("content-length", statSync(stored).size));
}).listen(0, "127.0.0.1");
await once(server, "listening");
process.send?.((server.address() as AddressInfo).port);
