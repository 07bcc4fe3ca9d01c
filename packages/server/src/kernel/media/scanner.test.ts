import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { Readable } from "node:stream";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { png, uploadOf } from "../../../test/media.ts";
import { expectDone } from "../../../test/scenes.ts";
import { StoreError } from "../store/store.ts";
import { Scanner } from "./scanner.ts";

/** What it says of a file, or what it does instead. */
type Says = string | ((socket: Socket) => void);
/** A small clamd, which takes files of up to 2 MB. */
const clamd = {
  says: "stream: OK\0" as Says,
  /** The files that came whole. */
  received: [] as Buffer[],
  port: 0,
  server: createServer(take),
  async listen() {
    await once(this.server.listen(this.port, "127.0.0.1"), "listening");
    this.port = (this.server.address() as AddressInfo).port;
  },
  close: () => new Promise((resolve) => void clamd.server.close(resolve)),
};

function take(socket: Socket): void {
  let came: Buffer = Buffer.alloc(0);
  let file: Buffer = Buffer.alloc(0);
  socket.on("error", () => {});
  socket.on("data", (data) => {
    came = Buffer.concat([came, data]);
    for (let next = chunkOf(came); next && socket.writable; next = chunkOf(came)) {
      file = Buffer.concat([file, next.chunk]);
      came = next.rest;
      if (file.length > 2e6) socket.end("INSTREAM size limit exceeded. ERROR\0");
      else if (next.chunk.length === 0) answer(socket, file);
    }
  });
}

function answer(socket: Socket, file: Buffer): void {
  clamd.received.push(file);
  if (typeof clamd.says === "string") socket.end(clamd.says);
  else clamd.says(socket);
}

const command = "zINSTREAM\0";

/** The next chunk of what came, once it is whole. */
function chunkOf(came: Buffer): { chunk: Buffer; rest: Buffer } | null {
  const at = came.toString("latin1", 0, command.length) === command ? command.length : 0;
  if (came.length < at + 4) return null;
  const end = at + 4 + came.readUInt32BE(at);
  return came.length < end ? null : { chunk: came.subarray(at + 4, end), rest: came.subarray(end) };
}

let server: TestServer;
let alice: Person;

beforeAll(async () => {
  await clamd.listen();
  const mediaScan = { url: "", address: { host: "127.0.0.1", port: clamd.port } };
  server = await startTestServer({ mediaScan });
  alice = await server.join("alice");
});
afterAll(async () => {
  await server.stop();
  await clamd.close();
});
beforeEach(() => {
  clamd.says = "stream: OK\0";
  clamd.received = [];
});

type Content = Uint8Array<ArrayBuffer> | string;
async function send(content: Content, purpose = "file") {
  const { id } = await expectDone(alice, "POST /media", uploadOf(content, "a.bin", { purpose }));
  await server.workOff();
  return expectDone(alice, `GET /media/${id}`);
}
/** What becomes of media once their pause is over. */
async function again({ id }: { id: string }) {
  await server.sql`update media set leased_until = clock() where id = ${id}`;
  await server.workOff();
  return expectDone(alice, `GET /media/${id}`);
}

test("a worker that starts says so if the scanner does not do as asked", async () => {
  const log: { msg: string }[] = [];
  const starting = await startTestServer({
    database: server.database,
    works: true,
    mediaScan: { url: "", address: { host: "127.0.0.1", port: 1 } },
    log: { write: (line) => void log.push(JSON.parse(line) as { msg: string }) },
  });
  await expect
    .poll(() => log.map(({ msg }) => msg), { timeout: 60_000 })
    .toContainEqual(expect.stringMatching("^the scanner of uploads does not do as asked"));
  await starting.stop();
});

test("what is clean gets ready, and the scanner has seen every byte of it as it was sent", async () => {
  const large = new Uint8Array(randomBytes(1_500_000));
  for (const [content, purpose] of [
    ["a file", "file"],
    [large, "file"],
    [png(), "show"],
  ] as const) {
    expect((await send(content, purpose)).status).toBe("ready");
    expect(clamd.received.splice(0).map((file) => file.equals(Buffer.from(content)))).toEqual([true]);
  }
});

test("what a make takes is seen too, as a file and in its gallery", async () => {
  const { slug } = await expectDone(alice, "POST /makes", { slug: "bot", title: "Bot" });
  clamd.says = "stream: Eicar FOUND\0";
  for (const [route, content] of [
    [`POST /makes/${slug}/files`, "a file"],
    [`POST /makes/${slug}/media`, png()],
  ] as const) {
    await expectDone(alice, route, uploadOf(content));
    await server.workOff();
  }
  expect(clamd.received.map(String)).toEqual(["a file", Buffer.from(png()).toString()]);
  expect((await server.sql`select from media where status = 'ready' and filename = 'a.bin'`).count).toBe(3);
});

test.each([
  ["a signature", "stream: Eicar-Signature FOUND", "Eicar-Signature"],
  ["with its digest", "stream: Eicar(44d88612:68) FOUND", "Eicar(44d88612:68)"],
  ["with a long name", `stream: ${"x".repeat(3_000)} FOUND`, "x".repeat(100)],
  ["with markup", "stream: <b>Y&\u001b[1m\u202e FOUND\nstream: OK\n FOUND", "bY1mFOUNDstream:OK"],
  ["without a name", "stream:  FOUND", "something"],
])("what is found ends an upload, and its bytes are gone: %s", async (_, says, name) => {
  clamd.says = `${says}\0`;
  const media = await send("bad");
  expect([media.status, media.rejectReason]).toEqual(["rejected", `The scanner found ${name} in it.`]);
  expect((await server.sql`select from stored_files where used_by = ${media.id}`).count).toBe(0);
});

test("what is larger than the scanner reads ends an upload, and says so", async () => {
  const media = await send(new Uint8Array(8_000_000));
  expect([media.status, media.rejectReason]).toEqual([
    "rejected",
    "It is larger than what the scanner of this server reads.",
  ]);
});

describe("an upload waits, and is tried again, while the scanner", () => {
  test("is away", async () => {
    await clamd.close();
    const waiting = await send("a file");
    // More often than work on media may break off.
    for (let time = 0; time < 4; time++) expect((await again(waiting)).status).toBe("processing");
    await clamd.listen();
    expect((await again(waiting)).status).toBe("ready");
  });

  test("is silent", async () => {
    const { scanner } = server.context;
    server.context.scanner = new Scanner({ address: { host: "127.0.0.1", port: clamd.port } }, 20);
    clamd.says = () => {};
    const waiting = await send("a file");
    expect([waiting.status, waiting.url]).toEqual(["processing", null]);
    server.context.scanner = scanner;
    clamd.says = "stream: OK\0";
    expect((await again(waiting)).status).toBe("ready");
  });

  test.each<[string, Says]>([
    ["answers another command", "PONG\0"],
    ["answers of another file", "other: OK\0"],
    ["answers of a stream within another", "up stream: Eicar FOUND\0"],
    ["answers more than it was asked", "stream: Eicar FOUND, or not\0"],
    ["is no scanner", "HTTP/1.1 400 Bad Request\r\n\r\n"],
    ["says nothing", ""],
    ["ends within its answer", "stream: OK"],
    ["breaks off", (socket) => socket.resetAndDestroy()],
    ["has a fault of its own", "stream: Can't allocate memory ERROR\0"],
    ["says more than an answer has", `stream: ${"x".repeat(1_000_000)} FOUND\0`],
    ["says it without end", (socket) => void Readable.from(endless()).pipe(socket)],
  ])("%s", async (_, says) => {
    clamd.says = says;
    const waiting = await send("a file");
    expect(waiting).toMatchObject({ status: "processing", url: null, rejectReason: null });
    clamd.says = "stream: OK\0";
    expect((await again(waiting)).status).toBe("ready");
    expect(readdirSync(server.context.store.spoolFolder)).toEqual([]);
  });

  function* endless() {
    for (;;) yield "x".repeat(65_536);
  }
});

test("a file whose store breaks off is not called clean", async () => {
  const breaksOff = Readable.from(
    (function* () {
      yield Buffer.from("a beginning");
      throw new StoreError("the store broke off");
    })(),
  );
  await expect(server.context.scanner?.scan(breaksOff)).rejects.toThrow("the store broke off");
  expect(clamd.received).toEqual([]);
});

test("a scan ends when its process is asked to", async () => {
  const stopping = new AbortController();
  clamd.says = () => stopping.abort(new Error("stopping"));
  await expect(
    server.context.scanner?.scan(Readable.from(["a"].map((text) => Buffer.from(text))), stopping.signal),
  ).rejects.toThrow("stopping");
});
