import { EventEmitter, once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import postgres from "postgres";
import { afterEach, beforeEach, describe, expect, type Mock, test, vi } from "vitest";
import { parseDatabaseUrl, postgresOptions } from "./connection.ts";
import { watch } from "./socket.ts";

const silenceMs = 9_000;
const ready = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);
const row = Buffer.from("D, and a part of a row");

let socket: EventEmitter & { bytesWritten: number; destroy: Mock<Socket["destroy"]> };

beforeEach(() => {
  vi.useFakeTimers();
  socket = Object.assign(new EventEmitter(), { bytesWritten: 0, destroy: vi.fn<Socket["destroy"]>() });
  watch(socket as unknown as Socket, silenceMs);
  ask();
  hear(Buffer.concat([row, ready]));
});
afterEach(() => {
  vi.useRealTimers();
});

const ask = () => (socket.bytesWritten += 40);
const hear = (chunk: Buffer) => socket.emit("data", chunk);
const pass = (ms: number) => vi.advanceTimersByTime(ms);
const isLost = () => socket.destroy.mock.calls.length > 0;

describe("a server that refuses TLS fails every connection:", () => {
  test.each<[what: string, answer: ((socket: Socket) => void) | null, failure: object]>([
    ["nobody is there", null, { code: "ECONNREFUSED" }],
    ["it hangs up", (socket) => socket.end(), {}],
    [
      "it knows none",
      (socket) => socket.end("N"),
      { message: expect.stringContaining("does not support TLS") },
    ],
    ["it says nothing", () => {}, { code: "CONNECTION_LOST" }],
  ])("%s", async (_, answer, failure) => {
    vi.useRealTimers();
    const server = createServer((near) => answer?.(near.on("error", () => {}))).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    if (answer === null) server.close();
    const url = `postgres://ada@127.0.0.1:${port}/d?sslmode=require`;
    const options = postgresOptions({ ...parseDatabaseUrl(url), silenceMs: 100 });
    const sql = postgres({ ...options, max: 1, backoff: false });
    for (let i = 0; i < 3; i++) await expect(sql`select`).rejects.toMatchObject(failure);
    await sql.end({ timeout: 0 });
    server.close();
  });
});

describe("a connection", () => {
  test("with a query is lost if no response comes for too long", () => {
    ask();
    pass(silenceMs);
    expect(isLost()).toBe(false);
    pass(1_000);
    expect(socket.destroy.mock.calls[0]).toMatchObject([{ code: "CONNECTION_LOST" }]);
  });

  test("is lost even if more queries are sent", () => {
    for (let i = 0; i < 12; i++) {
      ask();
      pass(1_000);
    }
    expect(isLost()).toBe(true);
  });

  test("is lost if a response stops in the middle", () => {
    ask();
    hear(row);
    pass(silenceMs + 1_000);
    expect(isLost()).toBe(true);
  });

  test("without a query may be silent for ever, also in a transaction", () => {
    ask();
    hear(Buffer.from([...ready.subarray(0, -1), 0x54]));
    pass(10 * silenceMs);
    expect(isLost()).toBe(false);
  });

  test("is not watched after it is closed", () => {
    socket.emit("close");
    expect(vi.getTimerCount()).toBe(0);
  });

  test("without a query may receive messages", () => {
    hear(Buffer.from("A, a notification"));
    pass(10 * silenceMs);
    expect(isLost()).toBe(false);
  });

  test("has no time limit while data arrives, and a response may end in several pieces", () => {
    ask();
    for (let i = 0; i < 10; i++) {
      pass(silenceMs);
      hear(row);
    }
    for (const byte of ready) hear(Buffer.from([byte]));
    pass(10 * silenceMs);
    expect(isLost()).toBe(false);
  });
});
