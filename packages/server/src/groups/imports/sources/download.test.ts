import { readdir, readFile, stat } from "node:fs/promises";
import { Agent } from "node:https";
import type { Socket } from "node:net";
import { dirname } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { drip } from "../../../kernel/reach/fixtures/servers.ts";
import { download } from "./download.ts";
import {
  type Answer,
  fetchedFile,
  fetchFile,
  gathering,
  nearby,
  refusal,
  site,
  useSites,
} from "./fixtures/site.ts";

useSites();

const text = () => readFile(fetchedFile(), "utf8");

describe("a download", () => {
  test("is a GET that says nothing but who asks", async () => {
    const { url, asked } = await site((_, response) => response.end("Hello."));
    expect(await fetchFile(`${url}?x=1`)).toBe(true);
    expect(await text()).toBe("Hello.");
    expect((await stat(fetchedFile())).mode & 0o777).toBe(0o600);
    expect(asked).toEqual([
      {
        method: "GET",
        path: "/a/b.md?x=1",
        headers: {
          host: new URL(url).host,
          "user-agent": "Service-Imports/1.0 (+https://registry.example)",
          accept: "*/*",
          "accept-encoding": "identity",
          connection: "keep-alive",
        },
      },
    ]);
  });

  test.each([404, 410])("answered with %i finds nothing", async (status) => {
    const { url } = await site((_, response) => response.writeHead(status).end("No."));
    expect(await fetchFile(url)).toBe(false);
    expect(await readdir(dirname(fetchedFile()))).toEqual([]);
  });

  test.each<[string, Answer, RegExp]>([
    ["forbids it", (_, response) => response.writeHead(403).end(), /is not public/],
    ["wants a password", (_, response) => response.writeHead(401).end(), /is not public/],
    ["has failed", (_, response) => response.writeHead(500).end(), /answered with 500/],
    ["has nothing to say", (_, response) => response.writeHead(204).end(), /answered with 204/],
    ["sends a part", (_, response) => response.writeHead(206).end("x"), /answered with 206/],
    [
      "shows a page",
      (_, response) => response.writeHead(200, { "content-type": "Text/HTML; charset=utf-8" }).end("<html>"),
      /is a web page, or not public/,
    ],
    [
      "packs it for the way",
      (_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("x".repeat(1e6))),
      /comes packed/,
    ],
    [
      "announces too much",
      (_, response) => response.writeHead(200, { "content-length": 1_001 }).flushHeaders(),
      /is larger than/,
    ],
    ["sends too much", (_, response) => response.end("x".repeat(100_000)), /is larger than/],
    [
      "sends less than it announced",
      (_, response) =>
        response.writeHead(200, { "content-length": 900 }).write("x", () => response.destroy()),
      /broke off after \d+ bytes/,
    ],
    ["hangs up", (request) => request.socket.destroy(), /cannot be reached/],
    ["leads nowhere", (_, response) => response.writeHead(302, { location: "https://" }).end(), /no address/],
    ["does not say where", (_, response) => response.writeHead(302).end(), /answered with 302/],
  ])("from a server that %s fails with a sentence", async (_, answer, sentence) => {
    expect(await refusal(answer)).toMatch(sentence);
  });

  test("may have as many bytes as are taken", async () => {
    const { url } = await site((_, response) => response.end("x".repeat(1_000)));
    expect(await fetchFile(url)).toBe(true);
    expect(await text()).toHaveLength(1_000);
  });

  test("of what comes without end fails once it is too much", async () => {
    const endless: Answer = (_, response) => {
      response.on("drain", () => response.write(Buffer.alloc(65_536))).write(Buffer.alloc(65_536));
    };
    expect(await refusal(endless)).toMatch(/is larger than/);
  });

  test("with more than its announced length has that length", async () => {
    const bytes = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok, and more";
    const { url } = await site(({ socket }) => socket.end(bytes));
    expect(await fetchFile(url)).toBe(true);
    expect(await text()).toBe("ok");
  });

  test("needs a certificate that is trusted", async () => {
    const { url } = await site((_, response) => response.end());
    await expect(fetchFile(url, { agent: new Agent() })).rejects.toThrow(/cannot be reached: .*certificate/);
  });
});

describe("a download that takes too long", () => {
  const patienceMs = 200;

  test.each<[string, Answer]>([
    ["before it is answered", () => undefined],
    ["before it begins", (_, response) => response.flushHeaders()],
    ["drop by drop", (_, response) => drip(response.socket as Socket, "HTTP/1.1 200 OK\r\n\r\n")],
    ["header by header", (_, response) => drip(response.socket as Socket, "HTTP/1.1 200 OK\r\n", "a: b\r\n")],
    [
      "with news that it goes on",
      (_, response) => drip(response.socket as Socket, "", "HTTP/1.1 103 Hints\r\n\r\n"),
    ],
  ])("%s ends with a sentence", async (_, answer) => {
    expect(await refusal(answer, { patienceMs })).toBe("receiver.example/a/b.md takes too long to arrive.");
  });

  test("since each redirect comes late ends with a sentence", async () => {
    const late: Answer = ({ url }, response) =>
      setTimeout(() => response.writeHead(302, { location: `${url}x` }).end(), patienceMs / 2);
    expect(await refusal(late, { patienceMs })).toMatch(/takes too long/);
  });

  test("since its import was cancelled ends with that", async () => {
    const cancel = new AbortController();
    const { url } = await site((_, response) => {
      response.write("half");
      setTimeout(() => cancel.abort(new Error("cancelled")), 20);
    });
    const canceled = { ...gathering(), signal: cancel.signal };
    await expect(fetchFile(url, {}, canceled)).rejects.toThrow("cancelled");
  });

  test("though it is long is none", async () => {
    const { url } = await site((_, response) => {
      let left = 8;
      const next = () =>
        --left > 0 ? response.write(Buffer.alloc(30_000), () => setTimeout(next, 60)) : response.end();
      next();
    });
    const remote = { url, name: "x", maxBytes: 1e6, file: fetchedFile() };
    expect(await download(remote, gathering(), { ...nearby, patienceMs: 300 })).toBe(true);
  });
});
