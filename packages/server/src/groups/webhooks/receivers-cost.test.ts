import * as http from "node:http";
import * as net from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, describe, expect, test, vi } from "vitest";
import { isThorough } from "../../../../core/src/testing/growth.ts";
import { answering, closeServers, listen, toLoopback } from "../../kernel/reach/fixtures/servers.ts";
import { end, hostileReceivers } from "./fixtures/hostile-receivers.ts";
import { deliver, verdictOf } from "./fixtures/receivers.ts";

const rounds = isThorough ? 400 : 20;
const many = isThorough ? 1_000 : 200;

describe("after many hostile attempts", () => {
  afterEach(closeServers);

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

  test("memory is what it was, and no connection is left open", { tags: "long" }, async () => {
    const open = connections();
    const quick = hostileReceivers.filter(
      ([title, answer, , verdict]) => title.startsWith("floods") || (answer !== "" && verdict !== "timeout"),
    );
    const urls = await Promise.all(
      quick.map(([title, answer, then]) => answering(answer, title.startsWith("floods") ? then : end)),
    );
    const round = async () => {
      await Promise.all(urls.map((url) => deliver(url)));
      await until(() => connections() <= open);
    };
    await round();
    const before = await held();
    for (let i = 0; i < rounds; i++) await round();
    expect((await held()) - before).toBeLessThan(50_000 * rounds);
  });

  test(`${many} that hang at once cost little, and are all let go`, { tags: "long" }, async () => {
    const { port, sockets } = await listen(net.createServer());
    const closed = new Set<net.Socket>();
    const before = await held();
    const attempts = Array.from({ length: many }, (_, i) =>
      deliver(`http://127.0.0.1:${port}/${i}`, { deadlineMs: isThorough ? 3_000 : 1_000 }),
    );
    await until(() => sockets.length === many);
    for (const socket of sockets) socket.resume().once("close", () => closed.add(socket));
    expect((await held()) - before).toBeLessThan(100_000 * many);
    expect(new Set((await Promise.all(attempts)).map(verdictOf))).toEqual(new Set(["timeout"]));
    await until(() => closed.size === many);
  });

  test("at most 1,000 connections are kept, those used last", { tags: "long" }, async () => {
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
