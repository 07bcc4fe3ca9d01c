import { once } from "node:events";
import * as http from "node:http";
import * as https from "node:https";
import * as net from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import {
  answering,
  cert,
  closeServers,
  drip,
  key,
  listen,
  portThatNeverAccepts,
  portWithoutListener,
  toLoopback,
  trusting,
} from "../../kernel/reach/fixtures/servers.ts";
import { deliver } from "./fixtures/receivers.ts";
import { send } from "./send.ts";

const kept = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

afterEach(closeServers);

describe("a delivery", () => {
  test("is a POST of exactly the given bytes, with the length and the host set", async () => {
    const seen: [http.IncomingMessage, Buffer][] = [];
    const server = http.createServer((request, response) => {
      void request.toArray().then((chunks) => {
        seen.push([request, Buffer.concat(chunks)]);
        response.writeHead(202).end("thanks");
      });
    });
    const { port } = await listen(server);
    const url = `http://receiver.example:${port}/hook?a=1`;
    const startedAt = performance.now();
    const outcome = await deliver(url, { resolve: toLoopback }, { "Service-Event": "ping" });
    expect(outcome.responseTimeMs).toBeLessThanOrEqual(Math.ceil(performance.now() - startedAt));
    expect(outcome).toEqual({
      ok: true,
      responseStatus: 202,
      responseTimeMs: expect.any(Number),
      responseExcerpt: Buffer.from("thanks"),
      error: null,
    });
    const [[request, received]] = seen as [[http.IncomingMessage, Buffer]];
    expect(seen).toHaveLength(1);
    expect(received).toEqual(Buffer.from('{"id":"evt_1"}'));
    expect(request).toMatchObject({ method: "POST", url: "/hook?a=1" });
    expect(request.headers).toMatchObject({
      host: `receiver.example:${port}`,
      "content-length": "14",
      "service-event": "ping",
    });
  });

  test("over https names the host in the handshake and checks the certificate against it", async () => {
    const server = https.createServer({ key, cert }, (request, response) => {
      response.end((request.socket as unknown as { servername: string }).servername);
    });
    const { port } = await listen(server);
    const url = `https://receiver.example:${port}/`;
    const outcome = await deliver(url, { resolve: toLoopback, agent: trusting() });
    expect(outcome).toMatchObject({ ok: true, responseExcerpt: Buffer.from("receiver.example") });
  });

  test("goes to the second address when the first does not answer", async () => {
    const { port } = await listen(http.createServer((_, response) => response.end()));
    const resolve = async () => ["127.0.0.2", "127.0.0.1"];
    expect(await deliver(`http://receiver.example:${port}/`, { resolve })).toMatchObject({ ok: true });
  });

  test.each([200, 201, 204, 226, 299])("answered %i is a success", async (status) => {
    const url = await answering(`HTTP/1.1 ${status} X\r\nContent-Length: 0\r\n\r\n`);
    expect(await deliver(url)).toMatchObject({ ok: true, responseStatus: status, error: null });
  });
});

describe("a 2xx is a success", () => {
  const start = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf";
  test.each<[string, string, (socket: net.Socket) => void]>([
    ["whose body stalls", start, () => {}],
    ["whose body drips", start, (socket) => drip(socket, "")],
    ["whose body is cut short", start, (socket) => setTimeout(() => socket.end(), 20)],
    ["whose connection is reset", start, (socket) => setTimeout(() => socket.resetAndDestroy(), 20)],
    [
      "whose chunks are garbage",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\nZ",
      () => {},
    ],
  ])("%s", async (_, bytes, then) => {
    const outcome = await deliver(await answering(bytes, then), { deadlineMs: 1_000 });
    expect(outcome).toMatchObject({ ok: true, responseStatus: 200, error: null });
    expect(Buffer.from(outcome.responseExcerpt).toString()).toMatch(/^halfa*$/);
  });

  test("that comes before the request was read, and the rest of it stays unsent", async () => {
    const { port, sockets } = await listen(net.createServer({ pauseOnConnect: true }, (s) => s.write(kept)));
    const request = { url: `http://127.0.0.1:${port}/`, headers: {}, body: Buffer.alloc(20_000_000) };
    expect(await send(request, { allowUnsafe: true })).toMatchObject({ ok: true });
    const [socket] = sockets as [net.Socket];
    await new Promise((closed) => socket.on("close", closed).resume());
    expect(socket.bytesRead).toBeLessThan(request.body.length);
  });
});

describe("of the answer's body", () => {
  test("2,048 bytes are kept of an endless one, and the connection is cut", async () => {
    const server = net.createServer((socket) => {
      const flood = () => {
        while (socket.write(Buffer.alloc(65_536, "a")));
      };
      socket.on("drain", flood).once("data", () => {
        socket.write("HTTP/1.1 500 No\r\n\r\n");
        flood();
      });
    });
    const { port, sockets } = await listen(server);
    const cut = once(server, "connection").then(
      ([socket]) => new Promise((closed) => socket.on("close", closed)),
    );
    const outcome = await deliver(`http://127.0.0.1:${port}/`);
    expect(outcome).toMatchObject({ responseStatus: 500, responseExcerpt: Buffer.alloc(2_048, "a") });
    await cut;
    expect(sockets).toHaveLength(1);
  });

  test.each([
    ["NUL and broken UTF-8", Buffer.from([0, 0xff, 0xfe, 0xc3, 0, 0xed, 0xa0, 0x80])],
    ["gzip", gzipSync("a".repeat(100_000))],
    ["exactly 2,048 bytes", Buffer.alloc(2_048, "b")],
    ["nothing", Buffer.alloc(0)],
  ])("%s is kept as it came", async (_, bytes) => {
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bytes.length}\r\n\r\n`;
    const outcome = await deliver(await answering(Buffer.concat([Buffer.from(head), bytes])));
    expect(outcome).toMatchObject({ ok: true, responseExcerpt: bytes });
  });
});

describe("an answer other than 2xx is a failure", () => {
  test.each([300, 301, 302, 303, 304, 307, 308, 399])(
    "%i is a redirect, and not followed",
    async (status) => {
      const target = await listen(http.createServer((_, response) => response.end()));
      const location = `http://127.0.0.1:${target.port}/`;
      const url = await answering(
        `HTTP/1.1 ${status} X\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`,
      );
      expect(await deliver(url)).toMatchObject({
        ok: false,
        responseStatus: status,
        error: { type: "redirect" },
      });
      expect(target.sockets).toHaveLength(0);
    },
  );

  test.each([400, 401, 404, 410, 418, 429, 500, 503, 600, 999])("%i is a status", async (status) => {
    const url = await answering(`HTTP/1.1 ${status} X\r\nContent-Length: 3\r\n\r\nwhy`);
    const failure = { ok: false, responseStatus: status, error: { type: "status" } };
    expect(await deliver(url)).toMatchObject({ ...failure, responseExcerpt: Buffer.from("why") });
  });

  test("a redirect to nowhere is one as well", async () => {
    const { error } = await deliver(await answering("HTTP/1.1 304 Not Modified\r\n\r\n"));
    const message = "The endpoint answered 304 to nowhere; redirects are not followed.";
    expect(error).toEqual({ type: "redirect", message });
  });

  test("101, although nobody asked to switch protocols", async () => {
    const url = await answering("HTTP/1.1 101 Switch\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
    expect(await deliver(url)).toMatchObject({ ok: false, responseStatus: 101, error: { type: "status" } });
  });

  test("500 whose body stalls is that status, not a timeout", { tags: "long" }, async () => {
    const url = await answering("HTTP/1.1 500 No\r\nContent-Length: 9\r\n\r\nhalf");
    expect(await deliver(url, { deadlineMs: 1_000 })).toMatchObject({ error: { type: "status" } });
  });
});

describe("the deadline ends an attempt", () => {
  const deadlineMs = 300;

  test("while the name is being resolved", async () => {
    const outcome = await deliver("https://receiver.example/", {
      deadlineMs,
      resolve: () => new Promise(() => {}),
    });
    expect(outcome.error).toEqual({ type: "timeout", message: expect.stringContaining("name") });
  });

  test("while it connects", async () => {
    const outcome = await deliver(`http://127.0.0.1:${await portThatNeverAccepts()}/`, { deadlineMs });
    expect(outcome.error).toEqual({ type: "timeout", message: expect.stringContaining("connecting") });
  });

  test("during the TLS handshake", async () => {
    const { port } = await listen(net.createServer());
    const outcome = await deliver(`https://127.0.0.1:${port}/`, { deadlineMs });
    expect(outcome.error).toEqual({ type: "timeout", message: expect.stringContaining("TLS") });
  });

  test.each<[string, (socket: net.Socket) => void]>([
    ["nothing comes", () => {}],
    ["the status line drips", (socket) => drip(socket, "HTTP/1.1 200 ")],
    ["the headers drip", (socket) => drip(socket, "HTTP/1.1 200 OK\r\nX-Endless: ")],
    ["1xx come for ever", (socket) => drip(socket, "", "HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n")],
  ])("while waiting for the answer: %s", async (_, then) => {
    const outcome = await deliver(await answering("", then), { deadlineMs });
    expect(outcome).toMatchObject({ ok: false, responseStatus: null });
    expect(outcome.error).toEqual({ type: "timeout", message: expect.stringContaining("answer") });
  });
});

describe("a failure is sorted by where it happened", () => {
  test("dns: the name could not be resolved", async () => {
    const outcome = await deliver("https://receiver.example/", {
      resolve: () => Promise.reject(new Error("no")),
    });
    expect(outcome.error?.type).toBe("dns");
  });

  test("connect: nobody listens at any address", async () => {
    const port = await portWithoutListener();
    const resolve = async () => ["127.0.0.1", "127.0.0.2"];
    const { error } = await deliver(`http://receiver.example:${port}/`, { resolve });
    expect(error).toEqual({ type: "connect", message: expect.stringContaining(`127.0.0.1:${port}`) });
  });

  test("tls: a certificate that nobody trusts", async () => {
    const { port } = await listen(https.createServer({ key, cert }));
    const { error } = await deliver(`https://localhost:${port}/`, { resolve: toLoopback });
    expect(error).toEqual({ type: "tls", message: expect.stringContaining("self-signed") });
  });

  test("tls: a certificate for another name", async () => {
    const { port } = await listen(https.createServer({ key, cert }));
    const options = { resolve: toLoopback, agent: trusting() };
    expect(await deliver(`https://other.example:${port}/`, options)).toMatchObject({
      error: { type: "tls" },
    });
  });

  test("tls: an endpoint that wants a certificate of ours", async () => {
    const { port } = await listen(
      https.createServer({ key, cert, requestCert: true, rejectUnauthorized: true }),
    );
    const outcome = await deliver(`https://localhost:${port}/`, { resolve: toLoopback, agent: trusting() });
    expect(outcome).toMatchObject({ ok: false, error: { type: "tls" } });
  });

  test.each<[string, (socket: net.Socket) => void]>([
    ["plain HTTP", (socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")],
    ["a closed connection", (socket) => socket.end()],
    ["a reset", (socket) => socket.resetAndDestroy()],
  ])("tls: the handshake is met by %s", async (_, meet) => {
    const { port } = await listen(net.createServer((socket) => socket.once("data", () => meet(socket))));
    expect(await deliver(`https://127.0.0.1:${port}/`)).toMatchObject({ error: { type: "tls" } });
  });

  test.each<[string, string, (socket: net.Socket) => void]>([
    ["closes at once", "", (socket) => socket.end()],
    ["resets at once", "", (socket) => socket.resetAndDestroy()],
    ["closes within the headers", "HTTP/1.1 200 OK\r\nContent-", (socket) => socket.end()],
    ["closes after a 1xx", "HTTP/1.1 100 Continue\r\n\r\n", (socket) => socket.end()],
  ])("reset: the endpoint %s", async (_, bytes, then) => {
    const outcome = await deliver(await answering(bytes, then));
    expect(outcome).toMatchObject({ ok: false, responseStatus: null, error: { type: "reset" } });
  });

  test.each([
    ["is not HTTP", "SSH-2.0-OpenSSH_9.2\r\n"],
    ["is HTTP/2", "\0\0\x12\x04\0\0\0\0\0\0\0"],
    ["has endless headers", `HTTP/1.1 200 OK\r\n${"X: a\r\n".repeat(20_000)}`],
    ["has one huge header", `HTTP/1.1 200 OK\r\nX: ${"a".repeat(100_000)}`],
    ["has two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"],
    ["has a negative length", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"],
    ["has a broken status", "HTTP/1.1 2x0 OK\r\n\r\n"],
    ["has a NUL in a header", "HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n"],
  ])("protocol: the answer %s", async (_, bytes) => {
    const outcome = await deliver(await answering(bytes));
    expect(outcome).toMatchObject({ ok: false, responseStatus: null, error: { type: "protocol" } });
  });

  test("protocol: 1xx come faster than anyone would send them", async () => {
    const url = await answering("HTTP/1.1 103 Early Hints\r\n\r\n".repeat(1_001));
    expect(await deliver(url)).toMatchObject({
      ok: false,
      responseStatus: null,
      error: { type: "protocol" },
    });
  });

  test("protocol: the request itself cannot be written", async () => {
    const outcome = await deliver(await answering(kept), {}, { "Service-Event": "a\r\nX: b" });
    expect(outcome).toMatchObject({ ok: false, error: { type: "protocol" } });
  });

  test("a message is printable and at most 300 characters long, whatever the endpoint says", async () => {
    const location = `https://\x1b[31m\xff\x80${"a".repeat(9_000)}`.replace("\x1b", "\t");
    const url = await answering(
      Buffer.from(`HTTP/1.1 302 X\r\nLocation: ${location}\r\n\r\n`, "latin1"),
      (s) => s.end(),
    );
    expect((await deliver(url)).error?.message).toMatch(/^[\x20-\x7e]{300}$/);
  });
});

describe("no connection is made", () => {
  test.each(["https://127.0.0.1", "https://[::1]", "https://[::ffff:127.0.0.1]", "https://2130706433"])(
    "to %s",
    async (origin) => {
      const server = await listen(net.createServer());
      const { error } = await deliver(`${origin}:${server.port}/`, { allowUnsafe: false });
      expect(error?.type).toBe("refused_address");
      expect(server.sockets).toHaveLength(0);
    },
  );

  test("to a name that leads to a private address among public ones", async () => {
    const server = await listen(net.createServer());
    const resolve = async () => ["127.0.0.1", "93.184.215.14"];
    const url = `https://receiver.example:${server.port}/`;
    expect(await deliver(url, { allowUnsafe: false, resolve })).toMatchObject({ error: { type: "dns" } });
    expect(server.sockets).toHaveLength(0);
  });

  test("to the metadata service, even in development", async () => {
    const outcome = await deliver("http://receiver.example/", { resolve: async () => ["169.254.169.254"] });
    expect(outcome.error?.type).toBe("dns");
  });
});

describe("a kept connection", () => {
  test("serves the next delivery without asking for the name again", async () => {
    const server = await listen(http.createServer((_, response) => response.end("ok")));
    let lookups = 0;
    const resolve = async () => {
      lookups++;
      return ["127.0.0.1"];
    };
    const url = `http://receiver.example:${server.port}/`;
    for (let n = 0; n < 3; n++) expect(await deliver(url, { resolve })).toMatchObject({ ok: true });
    expect(lookups).toBe(1);
    expect(server.sockets).toHaveLength(1);
  });

  test("to a private address does not serve a delivery that may not go there", async () => {
    let requests = 0;
    const server = https.createServer({ key, cert }, (_, response) => {
      requests++;
      response.end("ok");
    });
    const url = `https://receiver.example:${(await listen(server)).port}/`;
    const options = { agent: trusting(), resolve: toLoopback };
    expect(await deliver(url, options)).toMatchObject({ ok: true });
    const second = await deliver(url, { ...options, allowUnsafe: false });
    expect(second).toMatchObject({ ok: false, error: { type: "refused_address" } });
    expect(requests).toBe(1);
  });

  test("that the endpoint closes when it is used again is replaced by a new one", async () => {
    const server = await listen(
      net.createServer((socket) => {
        socket.once("data", () => {
          socket.write(kept);
          socket.once("data", () => socket.destroy());
        });
      }),
    );
    const url = `http://127.0.0.1:${server.port}/`;
    for (let n = 0; n < 3; n++) expect(await deliver(url)).toMatchObject({ ok: true });
    expect(server.sockets).toHaveLength(3);
  });

  test("is not made where the endpoint closes every connection: one request is one try", async () => {
    const server = await listen(net.createServer((socket) => socket.once("data", () => socket.destroy())));
    expect(await deliver(`http://127.0.0.1:${server.port}/`)).toMatchObject({ error: { type: "reset" } });
    expect(server.sockets).toHaveLength(1);
  });
});
