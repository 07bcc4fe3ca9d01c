import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, BlockList, connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { until } from "../../../test/waiting.ts";
import { createHttpServer } from "./http-server.ts";
import { readTimeoutMs } from "./outgoing.ts";
import { Holdings } from "./holdings.ts";

let server: Server;
let holdings: Holdings;
let readiness: { isStopping: boolean };
/** How the server answers a request. */
let answer: (request: Request) => Response | Promise<Response>;
const sockets = new Set<Socket>();

beforeEach(async () => {
  holdings = new Holdings();
  answer = () => new Response("hello", { headers: { "content-type": "text/plain" } });
  readiness = { isStopping: false };
  const outer = { holdings, trustedProxies: new BlockList(), readiness, follow: null };
  server = createHttpServer((request) => answer(request), outer).listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Opens a connection that reads nothing yet. */
function open(sent = ""): Socket {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").pause();
  socket.on("error", () => {});
  sockets.add(socket);
  if (sent !== "") socket.write(sent);
  return socket;
}

/** Sends raw text, and reads until the server closes. */
const exchange = (sent: string) => text(open(sent));

const fields = "Host: a\r\nX-Request-Id: my-own-id\r\n";
const get = (path = "/", more = "") => `GET ${path} HTTP/1.1\r\n${fields}${more}\r\n`;
const closing = "Connection: close\r\n";

test("a server that stops answers, and keeps no connection open", async () => {
  readiness.isStopping = true;
  expect(await exchange(get())).toMatch(/^connection: close\r\n(.*\r\n)*\r\nhello$/im);
});

describe("an invalid request", () => {
  const refusal = (received: string) => {
    const [head = "", body = ""] = received.split("\r\n\r\n");
    const header = (name: string) => new RegExp(`^${name}: (.*)$`, "im").exec(head)?.[1]?.trim();
    const { error } = JSON.parse(body);
    expect(error).toEqual({
      code: expect.any(String),
      message: expect.any(String),
      requestId: header("x-request-id"),
    });
    expect([header("content-type"), header("x-content-type-options"), header("connection")]).toEqual([
      "application/json",
      "nosniff",
      "close",
    ]);
    expect(header("content-length")).toBe(String(body.length));
    return [Number(head.split(" ")[1]), error.code, error.requestId];
  };
  const post = (more: string, body = "") => `POST / HTTP/1.1\r\n${fields}${more}\r\n${body}`;
  const newId = expect.stringMatching(/^[0-9a-f-]{36}$/);
  const own = "my-own-id";

  test.each([
    ["no HTTP", "hello\r\n\r\n", 400, "malformed_request", newId],
    ["an unknown method", get().replace("GET", "BREW"), 400, "malformed_request", newId],
    ["a header with a space in its name", get("/", "a b: c\r\n"), 400, "malformed_request", newId],
    ["a header over 16 KiB", get("/", `a: ${"x".repeat(20_000)}\r\n`), 431, "headers_too_large", newId],
    ["a thousand headers", get("/", "a-field: value\r\n".repeat(1100)), 431, "headers_too_large", newId],
    ["no Host", "GET / HTTP/1.1\r\nX-Request-Id: my-own-id\r\n\r\n", 400, "malformed_request", own],
    ["two Hosts", get("/", "host: b\r\n"), 400, "malformed_request", own],
    ["an invalid Host", get("/", closing).replace("Host: a", "Host: a b"), 400, "malformed_request", newId],
    ["an invalid URL", get("http://[/", closing), 400, "malformed_request", newId],
    [
      "two lengths",
      post("Content-Length: 1\r\nContent-Length: 2\r\n", "ab"),
      400,
      "malformed_request",
      newId,
    ],
    [
      "both a length and chunks",
      post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
      400,
      "malformed_request",
      newId,
    ],
    ["an invalid chunk", post("Transfer-Encoding: chunked\r\n", "zz\r\n"), 400, "malformed_request", newId],
    [
      "a chunk with long extensions",
      post("Transfer-Encoding: chunked\r\n", `1;${"x".repeat(20_000)}\r\n`),
      413,
      "payload_too_large",
      newId,
    ],
    ["an expectation", get("/", "Expect: tea\r\n"), 417, "expectation_failed", own],
    ["CONNECT", get("a:443").replace("GET", "CONNECT"), 405, "method_not_allowed", own],
  ])("gets an error response of ours: %s", async (_what, sent, status, code, id) => {
    answer = async (request) => new Response(await request.text());
    expect(refusal(await exchange(sent))).toEqual([status, code, id]);
  });

  test("gets 408 if it does not arrive in time", async () => {
    server.once("connection", (socket) => {
      const error = Object.assign(new Error("Request timeout"), { code: "ERR_HTTP_REQUEST_TIMEOUT" });
      server.emit("clientError", error, socket);
    });
    expect(refusal(await exchange(""))).toEqual([408, "request_timeout", newId]);
  });

  test("is answered after the response to the request before it", async () => {
    answer = async () => {
      await turns(5);
      return new Response("hello");
    };
    expect(await exchange(`${get()}nonsense\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 200 OK[^]*\r\n\r\nhelloHTTP\/1\.1 400 Bad Request\r\n/,
    );
  });

  test.each([
    ["no Host in HTTP/1.0", "GET / HTTP/1.0\r\n\r\n"],
    ["an offer to upgrade", get("/", "Connection: Upgrade, close\r\nUpgrade: websocket\r\n")],
  ])("is not one with %s", async (_what, sent) => {
    expect(await exchange(sent)).toMatch(/^HTTP\/1\.1 200 OK[^]*\r\n\r\nhello$/);
  });
});

describe("pipelined requests", () => {
  test("are processed one by one, and answered in order", async () => {
    let underWay = 0;
    const counts: number[] = [];
    answer = async (request) => {
      counts.push(++underWay);
      await new Promise(setImmediate);
      underWay--;
      return new Response(new URL(request.url).pathname);
    };
    const received = await exchange([get("/a"), get("/b"), get("/c"), get("/d", closing)].join(""));
    expect(received.match(/\r\n\r\n\/./g)?.map((body) => body.trim())).toEqual(["/a", "/b", "/c", "/d"]);
    expect(counts).toEqual([1, 1, 1, 1]);
  });

  test("close their connection if they are too many", async () => {
    answer = () => new Promise(() => {});
    expect(await exchange(get().repeat(40))).toBe("");
  });
});

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
};

/** Waits until the system accepts no more data for a connection. */
async function blocked(served: Socket): Promise<void> {
  let written = -1;
  while (served.bytesWritten === 0 || served.bytesWritten !== written) {
    written = served.bytesWritten;
    await turns(100);
  }
}

describe("a large response", () => {
  const large = `${"x".repeat(65_535)}€🌍`.repeat(150);
  const received = async (socket: Socket) => (await text(socket)).split("\r\n\r\n")[1];

  beforeEach(() => {
    answer = () => new Response(large, { headers: { "content-type": "text/plain" } });
  });

  test("arrives unchanged, and then uses no memory", async () => {
    expect((await received(open(get("/", closing)))) === large).toBe(true);
    await until(() => holdings.bytes === 0);
  });

  test("counts as memory of a client that does not read, once for each connection", async () => {
    const opened = Array.from({ length: 5 }, () => open(get().repeat(3)));
    await until(() => holdings.bytes === 5 * Buffer.byteLength(large));
    expect(opened.every((socket) => !socket.destroyed)).toBe(true);
    for (const socket of opened) socket.destroy();
    await until(() => holdings.bytes === 0);
  });

  test("is no leak in the eyes of Node, also where the log and a write wait for its end", async () => {
    server.on("request", (_, outgoing) => outgoing.once("close", () => {}).once("close", () => {}));
    const warn = vi.spyOn(process, "emitWarning");
    expect((await received(open(get("/", closing)))) === large).toBe(true);
    expect(warn.mock.calls).toEqual([]);
    warn.mockRestore();
  });

  test("is not sent for a HEAD", async () => {
    expect(await received(open(get("/", closing).replace("GET", "HEAD")))).toBe("");
    expect(holdings.bytes).toBe(0);
  });

  test("is cut off if the client does not read it", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const socket = open(get("/", closing));
      const [served] = (await once(server, "connection")) as [Socket];
      await blocked(served);
      vi.advanceTimersByTime(readTimeoutMs - 1);
      expect(served.destroyed).toBe(false);
      vi.advanceTimersByTime(1);
      expect(served.destroyed).toBe(true);
      await once(served, "close");
      expect(holdings.bytes).toBe(0);
      expect((await received(socket))?.length).toBeLessThan(large.length);
    } finally {
      vi.useRealTimers();
    }
  });
});

test("small unread responses count as memory too", async () => {
  let asked = 0;
  answer = () => {
    asked++;
    return new Response("x".repeat(60_000));
  };
  const socket = open();
  for (let sent = 1; holdings.bytes === 0; sent++) {
    socket.write(get());
    await vi.waitUntil(() => asked === sent, { interval: 1 });
  }
  expect(holdings.bytes).toBeLessThan(100_000);
  socket.destroy();
  await until(() => holdings.bytes === 0);
});

test("an address can have 512 connections", async () => {
  const opened = Array.from({ length: 512 }, () => open());
  await until(async () => (await countOf(server)) === 512);
  expect(await exchange(get("/", closing))).toBe("");
  opened[0]?.destroy();
  await until(async () => (await countOf(server)) === 511);
  expect(await exchange(get("/", closing))).toMatch(/hello$/);
});

const countOf = (of: Server) =>
  new Promise<number>((resolve) => of.getConnections((_error, count) => resolve(count)));
