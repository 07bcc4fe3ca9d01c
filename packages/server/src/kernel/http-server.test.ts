import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, BlockList, connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createHttpServer } from "./http-server.ts";
import { readTimeoutMs } from "./outgoing.ts";
import { Holdings } from "./holdings.ts";

let server: Server;
let holdings: Holdings;
/** What the server does with a request. */
let answer: (request: Request) => Response | Promise<Response>;
const sockets = new Set<Socket>();

beforeEach(async () => {
  holdings = new Holdings();
  answer = () => new Response("hello", { headers: { "content-type": "text/plain" } });
  const outer = { holdings, trustedProxies: new BlockList() };
  server = createHttpServer((request) => answer(request), outer).listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Opens a connection that reads nothing before it is told to. */
function open(sent = ""): Socket {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").pause();
  socket.on("error", () => {});
  sockets.add(socket);
  if (sent !== "") socket.write(sent);
  return socket;
}

/** Sends something as it is, and reads what comes until the server closes. */
const exchange = (sent: string) => text(open(sent));

const fields = "Host: a\r\nX-Request-Id: my-own-id\r\n";
const get = (path = "/", more = "") => `GET ${path} HTTP/1.1\r\n${fields}${more}\r\n`;
const closing = "Connection: close\r\n";

describe("what cannot be read as a request", () => {
  const refusal = (received: string) => {
    const [head = "", body = ""] = received.split("\r\n\r\n");
    const header = (name: string) => new RegExp(`^${name}: (.*)$`, "im").exec(head)?.[1]?.trim();
    const { error } = JSON.parse(body);
    expect(error).toEqual({
      code: expect.any(String),
      message: expect.any(String),
      requestId: header("x-request-id"),
    });
    expect([header("content-type"), header("x-content-type-options")]).toEqual([
      "application/json",
      "nosniff",
    ]);
    expect(header("content-length")).toBe(String(body.length));
    return [Number(head.split(" ")[1]), error.code, error.requestId];
  };
  const post = (more: string, body = "") => `POST / HTTP/1.1\r\n${fields}${more}\r\n${body}`;
  const newId = expect.stringMatching(/^[0-9a-f-]{36}$/);
  const own = "my-own-id";

  test.each([
    ["nothing of HTTP", "hello\r\n\r\n", 400, "malformed_request", newId],
    ["a method that nobody knows", get().replace("GET", "BREW"), 400, "malformed_request", newId],
    ["a field with a space in its name", get("/", "a b: c\r\n"), 400, "malformed_request", newId],
    ["fields of more than 16 KiB", get("/", `a: ${"x".repeat(20_000)}\r\n`), 431, "headers_too_large", newId],
    ["a thousand fields", get("/", "a-field: value\r\n".repeat(1100)), 431, "headers_too_large", newId],
    ["no Host", "GET / HTTP/1.1\r\nX-Request-Id: my-own-id\r\n\r\n", 400, "malformed_request", own],
    ["two Hosts", get("/", "host: b\r\n"), 400, "malformed_request", own],
    [
      "a Host that is none",
      get("/", closing).replace("Host: a", "Host: a b"),
      400,
      "malformed_request",
      newId,
    ],
    ["an address that is none", get("http://[/", closing), 400, "malformed_request", newId],
    [
      "two lengths",
      post("Content-Length: 1\r\nContent-Length: 2\r\n", "ab"),
      400,
      "malformed_request",
      newId,
    ],
    [
      "a length beside chunks",
      post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
      400,
      "malformed_request",
      newId,
    ],
    [
      "a chunk that is none",
      post("Transfer-Encoding: chunked\r\n", "zz\r\n"),
      400,
      "malformed_request",
      newId,
    ],
    [
      "a chunk with long extensions",
      post("Transfer-Encoding: chunked\r\n", `1;${"x".repeat(20_000)}\r\n`),
      413,
      "payload_too_large",
      newId,
    ],
    ["an expectation", get("/", "Expect: tea\r\n"), 417, "expectation_failed", own],
    ["CONNECT", get("a:443").replace("GET", "CONNECT"), 405, "method_not_allowed", own],
  ])("is answered with an error of ours: %s", async (_what, sent, status, code, id) => {
    answer = async (request) => new Response(await request.text());
    expect(refusal(await exchange(sent))).toEqual([status, code, id]);
  });

  test("is told when it did not come in time", async () => {
    server.once("connection", (socket) => {
      const error = Object.assign(new Error("Request timeout"), { code: "ERR_HTTP_REQUEST_TIMEOUT" });
      server.emit("clientError", error, socket);
    });
    expect(refusal(await exchange(""))).toEqual([408, "request_timeout", newId]);
  });

  test("does not take the place of the answer to what came before it", async () => {
    answer = async () => {
      await turns(5);
      return new Response("hello");
    };
    expect(await exchange(`${get()}nonsense\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 200 OK[^]*\r\n\r\nhelloHTTP\/1\.1 400 Bad Request\r\n/,
    );
  });

  test.each([
    ["without a Host in HTTP/1.0", "GET / HTTP/1.0\r\n\r\n"],
    ["that could become another protocol", get("/", "Connection: Upgrade, close\r\nUpgrade: websocket\r\n")],
  ])("is none of those: %s", async (_what, sent) => {
    expect(await exchange(sent)).toMatch(/^HTTP\/1\.1 200 OK[^]*\r\n\r\nhello$/);
  });
});

describe("requests that are sent all at once", () => {
  test("are worked on one by one, and answered in order", async () => {
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

  test("end their connection when they are too many", async () => {
    answer = () => new Promise(() => {});
    expect(await exchange(get().repeat(40))).toBe("");
  });
});

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
};

/** Waits until the system takes no more of what is written to a connection. */
async function standsStill(served: Socket): Promise<void> {
  let written = -1;
  while (served.bytesWritten === 0 || served.bytesWritten !== written) {
    written = served.bytesWritten;
    await turns(100);
  }
}

describe("an answer that is large", () => {
  const large = `${"x".repeat(65_535)}€🌍`.repeat(150);
  const received = async (socket: Socket) => (await text(socket)).split("\r\n\r\n")[1];

  beforeEach(() => {
    answer = () => new Response(large, { headers: { "content-type": "text/plain" } });
  });

  test("arrives as it is, and is held no longer", async () => {
    expect((await received(open(get("/", closing)))) === large).toBe(true);
    await vi.waitFor(() => expect(holdings.bytes).toBe(0));
  });

  test("is held for whoever does not read, once for each connection", async () => {
    const opened = Array.from({ length: 5 }, () => open(get().repeat(3)));
    await vi.waitFor(() => expect(holdings.bytes).toBe(5 * Buffer.byteLength(large)));
    for (const socket of opened) socket.destroy();
    await vi.waitFor(() => expect(holdings.bytes).toBe(0));
  });

  test("is not sent where only its fields were asked for", async () => {
    expect(await received(open(get("/", closing).replace("GET", "HEAD")))).toBe("");
    expect(holdings.bytes).toBe(0);
  });

  test("is cut off where it is not read", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const socket = open(get("/", closing));
      const [served] = (await once(server, "connection")) as [Socket];
      await standsStill(served);
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

test("small answers that are not read are held and cut off as well", async () => {
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
  await vi.waitFor(() => expect(holdings.bytes).toBe(0));
});

test("an address has so many connections and no more", async () => {
  const opened = Array.from({ length: 512 }, () => open());
  await vi.waitFor(async () => expect(await countOf(server)).toBe(512));
  expect(await exchange(get("/", closing))).toBe("");
  opened[0]?.destroy();
  await vi.waitFor(async () => expect(await countOf(server)).toBe(511));
  expect(await exchange(get("/", closing))).toMatch(/hello$/);
});

const countOf = (of: Server) =>
  new Promise<number>((resolve) => of.getConnections((_error, count) => resolve(count)));
