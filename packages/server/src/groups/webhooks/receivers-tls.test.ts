import * as https from "node:https";
import * as net from "node:net";
import * as tls from "node:tls";
import { afterEach, describe, expect, test } from "vitest";
import {
  authority,
  closeServers,
  drip,
  flood,
  issued,
  key,
  listen,
  toLoopback,
  trusting,
} from "../../kernel/reach/fixtures/servers.ts";
import { ok, sized, stay, type Then } from "./fixtures/hostile-receivers.ts";
import { deliver, verdictOf } from "./fixtures/receivers.ts";
import type { FailureType } from "./outcome.ts";

describe("over TLS, a receiver that", () => {
  afterEach(closeServers);

  const secured = async (options: https.ServerOptions) => {
    const server = https.createServer({ key, cert: issued("good"), ...options }, (_, response) =>
      response.end("ok"),
    );
    return (await listen(server.on("tlsClientError", () => {}))).port;
  };
  const messageFor = async (port: number) =>
    (await deliver(`https://receiver.example:${port}/`, { resolve: toLoopback, agent: trusting(authority) }))
      .error?.message;
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

  test("fails is told apart in words that its owner understands", async () => {
    const old = { minVersion: "TLSv1", maxVersion: "TLSv1", ciphers: "DEFAULT@SECLEVEL=0" } as const;
    expect(await messageFor(await secured(old))).toBe("TLS failed: tlsv1 alert protocol version");
    const unknown = await secured({ cert: issued("unknown-issuer") });
    expect(await messageFor(unknown)).toBe("TLS failed: unable to verify the first certificate");
    const { port } = await listen(
      net.createServer((socket) => socket.once("data", () => socket.end("HTTP/1.1 ?"))),
    );
    expect(await messageFor(port)).toMatch(/^TLS failed: [a-z ]+$/);
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
  ])("%s is left with the right verdict", { tags: "long" }, async (_, then, verdict, deadlineMs) => {
    const server = tls.createServer({ key, cert: issued("good") }, (socket) =>
      socket.on("error", () => {}).once("data", () => then(socket)),
    );
    expect(await reach((await listen(server)).port, { deadlineMs })).toBe(verdict);
  });
});
