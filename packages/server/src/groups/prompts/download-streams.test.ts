import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { get, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { filesOf, publish } from "../../../test/prompts.ts";
import { maxHeldBytes } from "../../kernel/holdings.ts";
import { readTimeoutMs } from "../../kernel/outgoing.ts";

const run = promisify(execFile);
setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;
const formats = ["zip", "tar.gz"];

let server: TestServer;
let alice: Person;
let folder: string;

beforeAll(async () => {
  server = await startTestServer();
  alice = await server.join("alice");
  folder = await mkdtemp(join(tmpdir(), "promptreg-streams-"));
  await large(alice, "large");
});
afterAll(async () => {
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
function stall({ url }: TestServer, slug = "large"): Socket {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname).pause();
  socket.on("error", () => {});
  socket.write(`GET /api/v1/prompts/alice/${slug}/download HTTP/1.1\r\nHost: x\r\n\r\n`);
  return socket;
}
const nothingHeld = () =>
  vi.waitFor(() => expect(server.context.holdings.bytes).toBe(0), { timeout: 10_000 });

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

describe("downloads that nobody reads", () => {
  test("hold no database connection, and less memory than an address may use", async () => {
    const { sql, holdings } = server.context;
    const { max } = sql.options;
    const memoryInUse = () => {
      collectGarbage();
      return process.memoryUsage().arrayBuffers;
    };
    const before = memoryInUse();
    const sockets = Array.from({ length: 2 * max }, () => stall(server));
    await vi.waitFor(() => expect(holdings.bytes).toBeGreaterThan(2 * max * 1_500_000), { timeout: 10_000 });
    await delay(500);
    expect(memoryInUse() - before).toBeLessThan(holdings.bytes);
    expect(holdings.bytes).toBeLessThan(maxHeldBytes);
    let begun = 0;
    const { promise: all, resolve } = Promise.withResolvers<void>();
    const take = () =>
      sql.begin(async (tx) => {
        await tx`select 1`;
        if (++begun === max) resolve();
        await all;
      });
    // Ends only when all connections are in use at the same time.
    await Promise.all(Array.from({ length: max }, take));
    for (const socket of sockets) socket.destroy();
    await nothingHeld();
  });

  test("are cut off like other responses", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const socket = stall(server);
      await delay(1_000);
      expect(server.context.holdings.bytes).toBeGreaterThan(0);
      vi.advanceTimersByTime(readTimeoutMs);
      await delay(200);
      expect(server.context.holdings.bytes).toBe(0);
      socket.destroy();
    } finally {
      vi.useRealTimers();
    }
  });
});

describe.each(formats)("a download as %s", (format) => {
  test.each([
    ["is deleted", "DELETE", "", undefined, 410],
    ["turns private", "PATCH", "", { visibility: "private" }, 404],
    ["is yanked", "POST", "/versions/1/yank", { reason: "Bad" }, 404],
  ])("that has begun arrives whole though its prompt %s", async (what, method, path, body, later) => {
    const slug = `${format.replace(".", "-")}-${what.replace(" ", "-")}`;
    await large(alice, slug);
    const { status, rest } = await begin(slug, format);
    const changed = await alice.request(`${method} /prompts/alice/${slug}${path}`, { body });
    expect([status, changed.status < 300]).toEqual([200, true]);
    const { bytes, isWhole } = await rest();
    expect([isWhole, await isValid(bytes, format)]).toEqual([true, true]);
    expect((await begin(slug, format)).status).toBe(later);
  });

  test("breaks off if a file cannot be read, and is no shorter archive", async () => {
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
    await nothingHeld();
  });
});

test("a server that stops ends the downloads that nobody reads", async () => {
  const stopping = await startTestServer();
  await large(await stopping.join("alice"), "large");
  const socket = stall(stopping);
  await vi.waitFor(() => expect(stopping.context.holdings.bytes).toBeGreaterThan(0));
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const stopped = stopping.stop();
  await delay(200);
  expect(stopping.context.holdings.bytes).toBeGreaterThan(0);
  // The grace period of running requests.
  vi.advanceTimersByTime(8_000);
  vi.useRealTimers();
  await stopped;
  await vi.waitFor(() => expect(stopping.context.holdings.bytes).toBe(0));
  socket.destroy();
});
