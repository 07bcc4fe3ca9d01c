import { once } from "node:events";
import * as net from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  answering,
  closeServers,
  listen,
  portThatNeverAccepts,
} from "../../kernel/reach/fixtures/servers.ts";
import { hostileReceivers, ok } from "./fixtures/hostile-receivers.ts";
import { deliver, verdictOf } from "./fixtures/receivers.ts";
import type { AttemptOutcome } from "./outcome.ts";

/** For those that hold on to the end, and all of them at once: long enough to have sent what they send before. */
const deadlineMs = 3_000;

describe("a receiver that", () => {
  let outcomes: AttemptOutcome[];
  beforeAll(async () => {
    outcomes = await Promise.all(
      hostileReceivers.map(async ([, answer, then]) =>
        deliver(await answering(answer, then), { deadlineMs }),
      ),
    );
  });
  afterAll(closeServers);

  test.each(hostileReceivers.map((receiver, i) => [...receiver, i] as const))(
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
  afterEach(closeServers);

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
