import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { get, type IncomingMessage, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { filesOf, publish } from "../../../test/prompts.ts";
import { maxHeldBytes } from "../../kernel/http/holdings.ts";
import { readTimeoutMs } from "../../kernel/http/outgoing.ts";
import { expectDone } from "../../../test/scenes.ts";

const run = promisify(execFile);
setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;
const formats = ["zip", "tar.gz"];

let server: TestServer;
let alice: Person;
let folder: string;

/** What was begun in a test. It ends with it, or the next one would find its address's memory in use. */
const sockets = new Set<Socket>();
const responses = new Set<ServerResponse>();
const begun = (message: unknown) => responses.add((message as { response: ServerResponse }).response);

beforeAll(async () => {
  subscribe("http.server.request.start", begun);
  server = await startTestServer();
  alice = await server.join("alice");
  folder = await mkdtemp(join(tmpdir(), "promptreg-streams-"));
  await large(alice, "large");
});
afterEach(async () => {
  vi.useRealTimers();
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  responses.clear();
  await holds(() => server.context.holdings.bytes === 0);
});
afterAll(async () => {
  unsubscribe("http.server.request.start", begun);
  await server.stop();
  await rm(folder, { recursive: true });
});

/** Publishes more than the buffers of a connection take, in bytes that do not shrink. */
function large(who: Person, slug: string): Promise<unknown> {
  const file = (nth: number) => ({
    path: `data/${nth}.bin`,
    encoding: "base64",
    content: randomBytes(480_000).toString("base64"),
  });
  const files = [...filesOf("Hi"), ...Array.from({ length: 20 }, (_, nth) => file(nth))];
  return publish(who, slug, { files });
}

/** Requests a download, and reads none of it. */
function stall({ url }: TestServer): void {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname).pause();
  socket.on("error", () => {});
  socket.write("GET /api/v1/prompts/alice/large/download HTTP/1.1\r\nHost: x\r\n\r\n");
  sockets.add(socket);
}

/** Waits as long as the test may take, and lets no time pass where the clock of timers stands. */
async function holds(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(5);
}

/** Waits until downloads have filled the buffers of their connections, and no further one does. */
async function stalled(): Promise<void> {
  const waiting = () => [...responses].filter((response) => response.writableNeedDrain).length;
  // A buffer that was full for a moment is not: nobody but the kernel empties it.
  for (let calm = 0, last = 0; calm < 40; await delay(5)) {
    calm = waiting() > 0 && waiting() === last ? calm + 1 : 0;
    last = waiting();
  }
}

/** Begins a download. `rest` gives all that arrives, and whether the response ended as it should. */
async function begin(slug: string, format: string) {
  const [response] = (await once(
    get(`${server.url}/api/v1/prompts/alice/${slug}/download?format=${format}`),
    "response",
  )) as [IncomingMessage];
  const chunks: Buffer[] = [];
  const rest = async () => {
    response.on("data", (chunk) => chunks.push(chunk));
    response.on("error", () => {});
    if (!response.closed) await once(response, "close").catch(() => {});
    return { bytes: Buffer.concat(chunks), isWhole: response.complete };
  };
  return { status: response.statusCode, rest };
}

/** Whether the usual program takes an archive for whole. */
async function isValid(bytes: Buffer, format: string): Promise<boolean> {
  const path = join(folder, `archive.${format}`);
  await writeFile(path, bytes);
  const [program, ...options] = format === "zip" ? ["unzip", "-tq"] : ["tar", "-tzf"];
  return run(program, [...options, path]).then(
    () => true,
    () => false,
  );
}

/** Stops the clock of timers, or downloads were cut off before a slow machine had looked at them. */
const stopTimers = () => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });

/** Ends only when all connections to the database are in use at the same time. */
async function useAllConnections({ sql }: TestServer["context"]): Promise<void> {
  const { max } = sql.options;
  let taken = 0;
  const { promise: all, resolve } = Promise.withResolvers<void>();
  const take = () =>
    sql.begin(async (tx) => {
      await tx`select 1`;
      if (++taken === max) resolve();
      await all;
    });
  await Promise.all(Array.from({ length: max }, take));
}

describe("downloads that nobody reads", () => {
  test("hold no database connection, and less memory than an address may use", { tags: "long" }, async () => {
    const { holdings } = server.context;
    // More than an address may use, if they held what they send.
    const count = 8;
    const memoryInUse = () => {
      collectGarbage();
      return process.memoryUsage().arrayBuffers;
    };
    // The driver needs timers to connect.
    await useAllConnections(server.context);
    stopTimers();
    const before = memoryInUse();
    for (let nth = 0; nth < count; nth++) stall(server);
    await holds(() => holdings.bytes > count * 1_500_000);
    await stalled();
    expect(holdings.bytes).toBeLessThan(maxHeldBytes);
    // Memory without use is counted until another thread has freed it.
    await holds(() => memoryInUse() - before < holdings.bytes);
    await useAllConnections(server.context);
  });

  test("are cut off like other responses", { tags: "long" }, async () => {
    stopTimers();
    stall(server);
    await stalled();
    vi.advanceTimersByTime(readTimeoutMs - 1);
    await delay(50);
    expect(server.context.holdings.bytes).toBeGreaterThan(0);
    vi.advanceTimersByTime(1);
    await holds(() => server.context.holdings.bytes === 0);
  });
});

test("a download without a body uses no memory", async () => {
  const at = `${server.url}/api/v1/prompts/alice/large/download`;
  const { status, headers } = await fetch(at, { method: "HEAD" });
  expect([status, server.context.holdings.bytes]).toEqual([200, 0]);
  const again = await fetch(at, { headers: { "if-none-match": headers.get("etag") ?? "" } });
  const any = await fetch(at, { headers: { "if-none-match": "*" } });
  expect([again.status, any.status, server.context.holdings.bytes]).toEqual([304, 304, 0]);
});

describe.each(formats)("a download as %s", (format) => {
  test.each([
    ["is deleted", "DELETE", "", undefined, 410],
    ["turns private", "PATCH", "", { visibility: "private" }, 404],
    ["is yanked", "POST", "/versions/1/yank", { reason: "Bad" }, 404],
  ])(
    "that has begun arrives whole though its prompt %s",
    { tags: "long" },
    async (what, method, path, body, later) => {
      const slug = `${format.replace(".", "-")}-${what.replace(" ", "-")}`;
      await expectDone(alice, "POST /prompts/alice/large/forks", { slug, visibility: "public" });
      const { status, rest } = await begin(slug, format);
      const changed = await alice.request(`${method} /prompts/alice/${slug}${path}`, { body });
      expect([status, changed.status < 300]).toEqual([200, true]);
      const { bytes, isWhole } = await rest();
      expect([isWhole, await isValid(bytes, format)]).toEqual([true, true]);
      expect((await begin(slug, format)).status).toBe(later);
    },
  );

  test("breaks off if a file cannot be read, and is no shorter archive", { tags: "long" }, async () => {
    const slug = `broken-${format.replace(".", "-")}`;
    await large(alice, slug);
    await server.sql`alter table version_files drop constraint if exists version_files_sha256_fkey`;
    await server.sql`
      delete from blobs where sha256 in (select f.sha256 from version_files f
        join versions v on v.id = f.version_id join prompts p on p.id = v.prompt_id
        where p.slug = ${slug} and f.path = 'data/9.bin')`;
    const { status, rest } = await begin(slug, format);
    const { bytes, isWhole } = await rest();
    expect([status, isWhole, await isValid(bytes, format)]).toEqual([200, false, false]);
    await holds(() => server.context.holdings.bytes === 0);
  });
});

test("a server that stops ends the downloads that nobody reads", { tags: "long" }, async () => {
  const stopping = await startTestServer();
  await large(await stopping.join("alice"), "large");
  // What it announces must not take the open connection: a new one needs timers.
  await stopping.context.bus.stop();
  stopTimers();
  stall(stopping);
  await stalled();
  const timers = vi.getTimerCount();
  const stopped = stopping.stop();
  await holds(() => vi.getTimerCount() > timers);
  await delay(200);
  expect(stopping.context.holdings.bytes).toBeGreaterThan(0);
  // The grace period of running requests.
  vi.advanceTimersByTime(8_000);
  vi.useRealTimers();
  await stopped;
  await holds(() => stopping.context.holdings.bytes === 0);
});
