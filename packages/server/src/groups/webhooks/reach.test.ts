import { AsyncLocalStorage } from "node:async_hooks";
import { once } from "node:events";
import * as http from "node:http";
import * as net from "node:net";
import { afterEach, describe, expect, test, vi } from "vitest";
import { closeServers, listen } from "../../kernel/reach/fixtures/servers.ts";
import { checkDestination } from "./destination.ts";
import { hostileAnswers } from "../../kernel/reach/fixtures/dns-answers.ts";
import { type Answering, dnsServer } from "../../kernel/reach/fixtures/dns-server.ts";
import { deliver } from "./fixtures/receivers.ts";
import { hostileUrls } from "../../kernel/reach/fixtures/urls.ts";
import { resolveByDns } from "../../kernel/reach/resolve.ts";

const strict = { allowUnsafeWebhooks: false, webhookReach: {} };

afterEach(async () => {
  vi.restoreAllMocks();
  await closeServers();
});

/** A way to resolve names by a DNS server of this test. */
async function asking(answers: Answering) {
  const { servers, asked } = await dnsServer(answers);
  const resolve = (name: string, signal?: AbortSignal) =>
    resolveByDns(name, signal, { servers, timeoutMs: 1_000 });
  return { resolve, asked };
}

const watching = new AsyncLocalStorage<string[]>();

/** The addresses that connections are tried to from now on, by whatever means, but not by what else this process does. */
function watchConnections(): string[] {
  const tried: string[] = [];
  watching.enterWith(tried);
  const connect: (...given: never[]) => net.Socket = Reflect.get(net.Socket.prototype, "connect");
  vi.spyOn(net.Socket.prototype, "connect").mockImplementation(function (
    this: net.Socket,
    ...given: unknown[]
  ) {
    if (watching.getStore() === tried) this.on("connectionAttempt", (ip) => tried.push(ip));
    return Reflect.apply(connect, this, given);
  });
  return tried;
}

describe("an attempt connects to nothing", () => {
  test.each(hostileUrls.map((url) => [url.slice(0, 60), url]))("for %j", async (_, url) => {
    const tried = watchConnections();
    expect(await deliver(url, { allowUnsafe: false })).toMatchObject({
      ok: false,
      responseStatus: null,
      error: { type: "refused_address" },
    });
    expect(tried).toEqual([]);
  });

  test.each(hostileAnswers)("when the DNS says: $title", async ({ answers, failsAs }) => {
    const { resolve } = await asking(answers);
    const tried = watchConnections();
    const deadlineMs = failsAs === "timeout" ? 300 : 10_000;
    const { error } = await deliver("https://receiver.example/", { allowUnsafe: false, resolve, deadlineMs });
    expect(error?.type).toBe(failsAs);
    expect(tried).toEqual([]);
  });
});

describe("an address is not saved", () => {
  test.each(hostileAnswers)("when the DNS says: $title", async ({ answers }) => {
    const { resolve } = await asking(answers);
    const saved = checkDestination("https://receiver.example/", strict, resolve);
    const message = "receiver.example has no public address.";
    await expect(saved).rejects.toMatchObject({ code: "webhook_url_refused", message });
  });
});

describe("a name that moves", () => {
  const inTurn =
    (...addresses: [string, ...string[]]): Answering =>
    (type, nth) => ({ addresses: type === "A" ? [addresses[nth] ?? (addresses.at(-1) as string)] : [] });
  const receiver = () => listen(http.createServer((_, response) => response.end("ok")));

  test("to loopback once it was saved is refused by every attempt", async () => {
    const { port, sockets } = await receiver();
    const { resolve } = await asking(inTurn("93.184.215.14", "127.0.0.1"));
    const url = await checkDestination(`https://receiver.example:${port}/`, strict, resolve);
    for (let n = 0; n < 2; n++) {
      expect(await deliver(url, { allowUnsafe: false, resolve })).toMatchObject({ error: { type: "dns" } });
    }
    expect(sockets).toHaveLength(0);
  });

  test("between check and connection is connected to where it was checked: it is asked for once", async () => {
    const { port, sockets } = await receiver();
    // Loopback stands for a public address here, and development for production.
    const { resolve, asked } = await asking(inTurn("127.0.0.1", "169.254.169.254"));
    const tried = watchConnections();
    expect(await deliver(`http://receiver.example:${port}/`, { resolve })).toMatchObject({ ok: true });
    expect(asked.sort()).toEqual(["A", "AAAA"]);
    expect([sockets.length, tried]).toEqual([1, ["127.0.0.1"]]);
  });

  test("while a connection is kept is not followed, and judged again by the next connection", async () => {
    const { port, sockets } = await receiver();
    const { resolve, asked } = await asking(inTurn("127.0.0.1", "169.254.169.254"));
    const url = `http://moving.example:${port}/`;
    for (let n = 0; n < 2; n++) expect(await deliver(url, { resolve })).toMatchObject({ ok: true });
    expect([sockets.length, asked.length]).toEqual([1, 2]);
    sockets[0]?.destroy();
    await once(sockets[0] as net.Socket, "close");
    expect(await deliver(url, { resolve })).toMatchObject({ error: { type: "dns" } });
    expect([sockets.length, asked.length]).toEqual([1, 4]);
  });
});
