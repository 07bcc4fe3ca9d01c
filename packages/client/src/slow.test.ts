import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, describe, expect, test } from "vitest";
import { type ClientOptions, ConnectionError, createClient } from "./index.ts";

const prompt = { owner: "ada", slug: "reply" };
const type = { "content-type": "application/json" };
const closings: (() => void)[] = [];
afterEach(() => closings.splice(0).forEach((close) => close()));

/** A client of a real server that answers like this, and how often it was asked. */
async function serve(answer: (response: ServerResponse) => unknown, options: ClientOptions = {}) {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    request.resume();
    void answer(response.setHeader("x-request-id", "req-1"));
  }).listen(0, "127.0.0.1");
  closings.push(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise((resolve) => server.once("listening", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { client: createClient({ baseUrl, token: null, ...options }), requests: () => requests };
}

/** Sends the text byte by byte. */
const trickling = (text: string, pauseMs: number) => async (response: ServerResponse) => {
  response.writeHead(200, type);
  for (const byte of Buffer.from(text)) {
    response.write(Buffer.of(byte));
    await delay(pauseMs);
  }
  response.end();
};
/** The headers and the first part, and then nothing. */
const stalling = (response: ServerResponse) => void response.writeHead(200, type).write("{");
const breaking = (response: ServerResponse) => {
  stalling(response);
  setTimeout(() => response.destroy(), 20);
};

const thrownBy = (work: Promise<unknown>) => work.then(String, (error: unknown) => error as ConnectionError);

describe("a response that arrives slowly", () => {
  const account = { name: "Zoë" };
  const text = JSON.stringify(account);

  test("is read to its end, however long that takes: only silence ends it", { tags: "long" }, async () => {
    const { client } = await serve(trickling(text, 150), { timeoutMs: 2_000 });
    expect(await client.users.me.get()).toEqual(account);
    expect(await (await client.prompts.download(prompt)).json()).toEqual(account);
  });

  test("ends at a deadline that was set, unless it is a download", { tags: "long" }, async () => {
    const { client } = await serve(trickling(text, 30), { deadlineMs: 200 });
    await expect(client.users.me.get()).rejects.toThrow("within 0.2 seconds, all attempts together");
    expect(await (await client.prompts.download(prompt)).json()).toEqual(account);
  });
});

describe("a response that falls silent", () => {
  const stalled = "in the middle of its response, and sent nothing for 0.5 seconds. Try again.";

  test("fails the call, which is not retried", async () => {
    const { client, requests } = await serve(stalling, { timeoutMs: 500 });
    const error = await thrownBy(client.users.me.get());
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ message: expect.stringContaining(stalled), isSent: true });
    expect(requests()).toBe(1);
  });

  test.each([
    ["text", (response: Response) => response.text()],
    ["bytes", (response: Response) => response.arrayBuffer()],
    ["a stream", (response: Response) => response.body!.pipeTo(new WritableStream())],
  ])("fails a download that is read as %s, and ends its connection", async (_, read) => {
    const closed = Promise.withResolvers<void>();
    const answer = (response: ServerResponse) => {
      response.on("close", closed.resolve);
      stalling(response);
    };
    const { client } = await serve(answer, { timeoutMs: 500 });
    const error = await thrownBy(read(await client.prompts.download(prompt)));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ message: expect.stringContaining(stalled) });
    await closed.promise;
  });

  test("ends its connection whatever memory is collected meanwhile", { tags: "long" }, async () => {
    setFlagsFromString("--expose-gc");
    const collecting = setInterval(runInNewContext("gc") as () => void, 20);
    closings.push(() => clearInterval(collecting));
    const closed = Promise.withResolvers<void>();
    const answer = (response: ServerResponse) => {
      response.on("close", closed.resolve);
      stalling(response);
    };
    const { client } = await serve(answer, { timeoutMs: 500 });
    const error = await thrownBy((await client.prompts.download(prompt)).text());
    expect(error).toMatchObject({ message: expect.stringContaining(stalled) });
    await closed.promise;
  });

  test("has its own limit where a fetch lets requests wait", { tags: "long" }, async () => {
    const options = { timeoutMs: Number.POSITIVE_INFINITY, bodyTimeoutMs: 500 };
    const { client } = await serve(stalling, options);
    await expect(client.users.me.get()).rejects.toThrow(stalled);
  });
});

test("a reader that takes its time is not taken for a silent server", async () => {
  const { client } = await serve((response) => void response.end("whole"), { bodyTimeoutMs: 50 });
  const response = await client.prompts.download(prompt);
  await delay(150);
  expect(await response.text()).toBe("whole");
});

test("an unread download can be cancelled, which ends its connection", async () => {
  const closed = Promise.withResolvers<void>();
  const { client } = await serve((response) => {
    response.on("close", closed.resolve);
    stalling(response);
  });
  const { body } = await client.prompts.download(prompt);
  await body?.cancel();
  await expect(closed.promise).resolves.toBeUndefined();
});

test("a download is the response that came: its status, headers and address", async () => {
  const { client } = await serve((response) => void response.writeHead(200, { etag: '"1"' }).end("x"));
  const { ok, status, url, headers } = await client.prompts.download(prompt);
  expect({ ok, status, etag: headers.get("etag") }).toEqual({ ok: true, status: 200, etag: '"1"' });
  expect(url).toContain("/api/v1/prompts/ada/reply/download");
});

describe("a connection that breaks off", () => {
  const brokeOff = /^The connection to .* broke off before the response was complete\. Try again\.$/;

  test("within a response is named so, and not as a wrong address", async () => {
    const { client } = await serve(breaking);
    await expect(client.users.me.get()).rejects.toThrow(brokeOff);
    await expect((await client.prompts.download(prompt)).text()).rejects.toThrow(brokeOff);
  });

  test("before it is named so too", async () => {
    const { client } = await serve((response) => response.destroy(), { retries: 0 });
    await expect(client.users.me.get()).rejects.toMatchObject({
      message: expect.stringContaining("closed the connection before it answered"),
      isSent: true,
    });
  });
});

describe("a change whose answer is lost", () => {
  const create = { body: { url: "https://example.com/" } };
  test.each([
    ["never comes", () => undefined, { timeoutMs: 100 }],
    ["falls silent", stalling, { timeoutMs: 100 }],
    ["breaks off", breaking, {}],
    ["is a closed connection", (response: ServerResponse) => response.destroy(), { retries: 0 }],
  ])("because it %s may have been made, which the error says", async (_, answer, options) => {
    const { client } = await serve(answer, options);
    await expect(client.webhooks.create(create)).rejects.toMatchObject({
      message: expect.stringContaining(" The change may have been made. Look before you try again."),
      isSent: true,
    });
  });

  test("was not made if nobody was there", async () => {
    const client = createClient({ baseUrl: "http://127.0.0.1:1", token: null, retries: 0 });
    const error = await thrownBy(client.webhooks.create(create));
    expect(error).toMatchObject({ message: expect.stringContaining("cannot be reached"), isSent: false });
    expect((error as ConnectionError).message).not.toContain("may have been");
  });
});
