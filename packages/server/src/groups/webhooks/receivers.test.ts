import { once } from "node:events";
import * as http from "node:http";
import * as https from "node:https";
import * as net from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import * as tls from "node:tls";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import {
  answering,
  authority,
  closeReceivers,
  deliver,
  drip,
  flood,
  issued,
  key,
  listen,
  portThatNeverAccepts,
  toLoopback,
  trusting,
} from "./fixtures/receivers.ts";
import type { AttemptOutcome, FailureType } from "./outcome.ts";

/** For those that hold on to the end, and all of them at once: long enough to have sent what they send before. */
const deadlineMs = 3_000;
const ok = "HTTP/1.1 200 OK\r\n";
const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`;
const sized = `${ok}Content-Length: 1000000\r\n\r\nhalf`;

type Then = (socket: net.Socket) => void;
const reset: Then = (socket) => void setTimeout(() => socket.resetAndDestroy(), 20);
const end: Then = (socket) => void setTimeout(() => socket.end(), 20);
const stay: Then = () => {};

/** Receivers that are sent a request over plain HTTP, what they do then, and what the log says of it. */
const receivers: [title: string, answer: string | Buffer, then: Then, verdict: FailureType | number][] = [
  // Before an answer has begun
  ["says nothing", "", stay, "timeout"],
  ["closes its half and says nothing", "", end, "reset"],
  ["resets without a word", "", reset, "reset"],
  ["drips a status line", "", (socket) => drip(socket, "HTTP/1.1 200 "), "timeout"],
  [
    "floods with a status line",
    "",
    (socket) => flood(socket, "HTTP/1.1 200 ", "a".repeat(65_536)),
    "protocol",
  ],
  ["stops amid a status line", "HTTP/1.1 2", stay, "timeout"],
  ["stops amid the headers", `${ok}Content-Len`, stay, "timeout"],
  ["closes amid the headers", `${ok}Content-Len`, end, "reset"],
  ["resets amid the headers", `${ok}Content-Len`, reset, "reset"],
  ["drips headers for ever", "", (socket) => drip(socket, `${ok}X: `), "timeout"],
  ["drips many small headers", "", (socket) => drip(socket, ok, "X: a\r\n"), "timeout"],
  ["sends 1 MB in one header", `${ok}X: ${"a".repeat(1_000_000)}\r\n\r\n`, stay, "protocol"],
  ["sends 1 MB of headers", `${ok}${`X: ${"a".repeat(90)}\r\n`.repeat(10_000)}\r\n`, stay, "protocol"],
  ["sends thousands of tiny headers", `${ok}${"a:\r\n".repeat(5_000)}\r\n`, stay, 200],
  ["sends more of them than 16 KB hold", `${ok}${"a:\r\n".repeat(50_000)}\r\n`, stay, "protocol"],
  ["floods with headers", "", (socket) => flood(socket, ok, "X: a\r\n".repeat(10_000)), "protocol"],
  ["drips 1xx for ever", "", (socket) => drip(socket, "", "HTTP/1.1 103 Early Hints\r\n\r\n"), "timeout"],
  [
    "floods with 1xx",
    "",
    (socket) => flood(socket, "", "HTTP/1.1 103 E\r\nLink: <a>\r\n\r\n".repeat(999)),
    "protocol",
  ],
  [
    "sends 1xx with 1 MB of headers",
    `HTTP/1.1 100 C\r\nX: ${"a".repeat(1_000_000)}\r\n\r\n`,
    stay,
    "protocol",
  ],
  ["says 100 and no more", "HTTP/1.1 100 Continue\r\n\r\n", stay, "timeout"],
  // Not HTTP
  ["speaks HTTP/0.9", "<html>hello</html>", end, "protocol"],
  ["speaks HTTP/2", "\0\0\x12\x04\0\0\0\0\0\0\x03\0\0\0\x80", stay, "protocol"],
  ["speaks SSH", "SSH-2.0-OpenSSH_9.9\r\n", stay, "protocol"],
  ["speaks SMTP", "220 mail.example ESMTP\r\n", stay, "protocol"],
  ["sends a request in answer", "POST / HTTP/1.1\r\nHost: x\r\n\r\n", stay, "protocol"],
  ["sends zeros", Buffer.alloc(100_000), stay, "protocol"],
  ["sends blank lines for ever", "", (socket) => flood(socket, "", "\r\n".repeat(10_000)), "timeout"],
  // HTTP with two meanings
  [
    "gives a length and chunks",
    `${ok}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    stay,
    "protocol",
  ],
  [
    "gives chunks and a length",
    `${ok}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`,
    stay,
    "protocol",
  ],
  ["gives two lengths", `${ok}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`, stay, "protocol"],
  [
    "gives a length beyond all numbers",
    `${ok}Content-Length: 99999999999999999999\r\n\r\n`,
    stay,
    "protocol",
  ],
  ["gives a length in hexadecimal", `${ok}Content-Length: 0x10\r\n\r\n`, stay, "protocol"],
  ["folds a header", `${ok}X: a\r\n b\r\nContent-Length: 0\r\n\r\n`, stay, "protocol"],
  ["puts a space before a colon", `${ok}Content-Length : 0\r\n\r\n`, stay, "protocol"],
  // After an answer has begun: its status is the verdict
  ["stops amid the body", sized, stay, 200],
  ["drips the body", sized, (socket) => drip(socket, ""), 200],
  ["closes amid the body", sized, end, 200],
  ["resets amid the body", sized, reset, 200],
  ["floods with the body", "", (socket) => flood(socket, `${ok}\r\n`, Buffer.alloc(65_536, "a")), 200],
  [
    "floods with a chunk",
    "",
    (socket) => flood(socket, `${chunked}fffffff\r\n`, Buffer.alloc(65_536, "a")),
    200,
  ],
  ["floods with chunks of a byte", "", (socket) => flood(socket, chunked, "1\r\na\r\n".repeat(10_000)), 200],
  [
    "floods with an extension of a chunk",
    "",
    (socket) => flood(socket, `${chunked}1;a=`, "a".repeat(65_536)),
    200,
  ],
  ["floods with trailers", "", (socket) => flood(socket, `${chunked}0\r\n`, "X: a\r\n".repeat(10_000)), 200],
  ["drips trailers", "", (socket) => drip(socket, `${chunked}0\r\n`, "X: a\r\n"), 200],
  ["announces a chunk of 2^63 bytes", `${chunked}8000000000000000\r\n`, stay, 200],
  ["never ends a body without a length", `${ok}Connection: close\r\n\r\nhalf`, stay, 200],
  ["says 204 and sends a body", "HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\nbody", stay, 204],
  ["answers twice", `${ok}Content-Length: 0\r\n\r\nHTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n`, stay, 200],
  [
    "goes on after its answer",
    "",
    (socket) => flood(socket, `${ok}Content-Length: 0\r\n\r\n`, "a".repeat(65_536)),
    200,
  ],
  ["stays connected after closing", `${ok}Connection: close\r\nContent-Length: 2\r\n\r\nok`, stay, 200],
  ["fails and stops amid the body", `HTTP/1.1 500 No\r\nContent-Length: 9\r\n\r\nhalf`, stay, "status"],
  [
    "switches protocols unasked",
    "HTTP/1.1 101 S\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
    stay,
    "status",
  ],
  [
    "switches to HTTP/2 unasked",
    "HTTP/1.1 101 S\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n\0\0\x12",
    stay,
    "status",
  ],
  [
    "redirects to loopback",
    "HTTP/1.1 307 T\r\nLocation: http://127.0.0.1/\r\nContent-Length: 0\r\n\r\n",
    stay,
    "redirect",
  ],
  ["redirects to metadata", "HTTP/1.1 302 F\r\nLocation: http://169.254.169.254/\r\n\r\n", stay, "redirect"],
  [
    "redirects with 1,000 locations",
    `HTTP/1.1 301 M\r\n${"Location: /a\r\n".repeat(1_000)}\r\n`,
    stay,
    "redirect",
  ],
];

/** What the log keeps of an attempt: the kind of its failure, or the status of a success. */
const verdictOf = ({ ok, error, responseStatus }: AttemptOutcome) => (ok ? responseStatus : error?.type);

describe("a receiver that", () => {
  let outcomes: AttemptOutcome[];
  beforeAll(async () => {
    outcomes = await Promise.all(
      receivers.map(async ([, answer, then]) => deliver(await answering(answer, then), { deadlineMs })),
    );
  });
  afterAll(closeReceivers);

  test.each(receivers.map((receiver, i) => [...receiver, i] as const))(
    "%s is left with the right verdict",
    (_, _answer, _then, verdict, i) => {
      const outcome = outcomes[i] as AttemptOutcome;
      expect(verdictOf(outcome)).toBe(verdict);
      expect(outcome.responseExcerpt.length).toBeLessThanOrEqual(2_048);
      expect(outcome.error?.message ?? "").toMatch(/^[\x20-\x7e]{0,300}$/);
    },
  );
});

describe("a receiver that", () => {
  afterEach(closeReceivers);

  test("does not accept is a timeout", async () => {
    const outcome = await deliver(`http://127.0.0.1:${await portThatNeverAccepts()}/`, { deadlineMs: 300 });
    expect(verdictOf(outcome)).toBe("timeout");
  });

  test("answers a bomb of gzip is sent away with its first bytes, still packed", async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    const head = `${ok}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`;
    const outcome = await deliver(await answering(Buffer.concat([Buffer.from(head), bomb])));
    expect(outcome).toMatchObject({ ok: true, responseExcerpt: bomb.subarray(0, 2_048) });
  });

  test("answers before it was sent everything, and goes on, is believed", async () => {
    const early = net.createServer((socket) => socket.write(`${ok}Content-Length: 2\r\n\r\nok`));
    const { port } = await listen(early);
    expect(await deliver(`http://127.0.0.1:${port}/`)).toMatchObject({ ok: true });
  });

  test("sends the answer to the next delivery ahead is not believed: that one gets a new connection", async () => {
    let requests = 0;
    const server = net.createServer((socket) =>
      socket.on("data", () => {
        requests += 1;
        const answer = requests === 1 ? ok : "HTTP/1.1 500 No\r\n";
        socket.write(`${answer}Content-Length: 0\r\n\r\n`);
        if (requests === 1) setTimeout(() => socket.write(`${ok}Content-Length: 0\r\n\r\n`), 20);
      }),
    );
    const { port, sockets } = await listen(server);
    expect(await deliver(`http://127.0.0.1:${port}/`)).toMatchObject({ ok: true });
    await once(sockets[0] as net.Socket, "close");
    expect(await deliver(`http://127.0.0.1:${port}/`)).toMatchObject({ responseStatus: 500 });
  });
});

describe("over TLS, a receiver that", () => {
  afterEach(closeReceivers);

  const secured = async (options: https.ServerOptions) => {
    const server = https.createServer({ key, cert: issued("good"), ...options }, (_, response) =>
      response.end("ok"),
    );
    return (await listen(server.on("tlsClientError", () => {}))).port;
  };
  const reach = async (port: number, { host = "receiver.example", deadlineMs = 10_000 } = {}) =>
    verdictOf(
      await deliver(`https://${host}:${port}/`, {
        deadlineMs,
        resolve: toLoopback,
        agent: trusting(authority),
      }),
    );

  test("is in order is reached", async () => {
    expect(await reach(await secured({}))).toBe(200);
  });

  test.each(["expired", "early", "client", "unknown-issuer"] as const)(
    "shows a certificate that is %s fails",
    async (name) => {
      expect(await reach(await secured({ cert: issued(name) }))).toBe("tls");
    },
  );

  test("shows a certificate of another name fails", async () => {
    expect(await reach(await secured({}), { host: "other.example" })).toBe("tls");
  });

  test("has no certificate for the name it is asked for fails", async () => {
    const SNICallback = (_: string, done: (error: Error | null) => void) => done(new Error("unknown name"));
    expect(await reach(await secured({ SNICallback }))).toBe("tls");
  });

  test.each(["TLSv1", "TLSv1.1"] as const)("speaks %s at most fails", async (version) => {
    const old = { minVersion: version, maxVersion: version, ciphers: "DEFAULT@SECLEVEL=0" } as const;
    expect(await reach(await secured(old))).toBe("tls");
  });

  test("wants a certificate of ours fails", async () => {
    expect(await reach(await secured({ requestCert: true, rejectUnauthorized: true }))).toBe("tls");
  });

  test.each<[string, Then, FailureType]>([
    ["hangs in the handshake", stay, "timeout"],
    ["drips through the handshake", (socket) => drip(socket, "\x16\x03\x03\x40\x00", "\x02"), "timeout"],
    ["floods the handshake", (socket) => flood(socket, "", Buffer.alloc(65_536, 0x16)), "tls"],
    ["closes in the handshake", (socket) => socket.end(), "tls"],
    ["resets in the handshake", (socket) => socket.resetAndDestroy(), "tls"],
    ["answers in plain HTTP", (socket) => socket.end("HTTP/1.1 200 OK\r\n\r\n"), "tls"],
  ])("%s fails", async (_, then, verdict) => {
    const { port } = await listen(net.createServer((socket) => socket.once("data", () => then(socket))));
    expect(await reach(port, verdict === "timeout" ? { deadlineMs: 300 } : {})).toBe(verdict);
  });

  test.each<[string, (socket: tls.TLSSocket) => void, FailureType | number, number]>([
    ["says nothing after the handshake", () => {}, "timeout", 300],
    ["resets after the request", (socket) => socket.destroy(), "reset", 10_000],
    ["stops amid the body", (socket) => socket.write(sized), 200, 2_000],
    ["floods with the body", (socket) => flood(socket, `${ok}\r\n`, Buffer.alloc(65_536, "a")), 200, 10_000],
  ])("%s is left with the right verdict", async (_, then, verdict, deadlineMs) => {
    const server = tls.createServer({ key, cert: issued("good") }, (socket) =>
      socket.on("error", () => {}).once("data", () => then(socket)),
    );
    expect(await reach((await listen(server)).port, { deadlineMs })).toBe(verdict);
  });
});

describe("after many hostile attempts", () => {
  afterEach(closeReceivers);

  /** Bytes held after a collection: objects, buffers and what native code holds for them. */
  async function held(): Promise<number> {
    for (let i = 0; i < 3; i++) {
      await turn();
      collect();
    }
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  }

  const until = (holds: () => boolean) => vi.waitUntil(holds, { timeout: 30_000, interval: 5 });
  const connections = () =>
    process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length;

  test("memory is what it was, and no connection is left open", async () => {
    const open = connections();
    const hostile = receivers.filter(([, answer, , verdict]) => answer !== "" && verdict !== "timeout");
    const urls = await Promise.all(hostile.map(([, answer]) => answering(answer, end)));
    const round = async () => {
      await Promise.all(urls.map((url) => deliver(url)));
      await until(() => connections() <= open);
    };
    await round();
    const before = await held();
    for (let i = 0; i < 15; i++) await round();
    expect((await held()) - before).toBeLessThan(8_000_000);
  });

  test("a thousand that hang at once cost little, and are all let go", async () => {
    const { port, sockets } = await listen(net.createServer());
    const closed = new Set<net.Socket>();
    const before = await held();
    const attempts = Array.from({ length: 1_000 }, (_, i) =>
      deliver(`http://127.0.0.1:${port}/${i}`, { deadlineMs: 3_000 }),
    );
    await until(() => sockets.length === 1_000);
    for (const socket of sockets) socket.resume().once("close", () => closed.add(socket));
    expect((await held()) - before).toBeLessThan(100_000_000);
    expect(new Set((await Promise.all(attempts)).map(verdictOf))).toEqual(new Set(["timeout"]));
    await until(() => closed.size === 1_000);
  });

  test("at most 1,000 connections are kept, those used last", async () => {
    const server = http.createServer((_, response) => response.end());
    const { port, sockets } = await listen(server);
    const names = Array.from({ length: 1_010 }, (_, i) => `http://r${i}.example:${port}/`);
    for (const name of names)
      expect(await deliver(name, { resolve: toLoopback })).toMatchObject({ ok: true });
    await until(() => sockets.filter((socket) => !socket.destroyed).length <= 1_000);
    expect(sockets.at(-1)?.destroyed).toBe(false);
  });
});

/** The collector, which Node shows only when told to. */
function collect(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}
