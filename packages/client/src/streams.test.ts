import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { type Client, createClient } from "./index.ts";

const prompt = { owner: "ada", slug: "reply" };
const closings: (() => void)[] = [];
afterEach(() => closings.splice(0).forEach((close) => close()));

/** A client of a real server with this handler. */
async function serve(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<Client> {
  const server = createServer((request, response) => {
    handle(request, response.setHeader("x-request-id", "req-1"));
  }).listen(0, "127.0.0.1");
  closings.push(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  return createClient({ baseUrl: `http://127.0.0.1:${port}`, token: null });
}

describe("a download", () => {
  test("is returned while it is still running", async () => {
    const went = Promise.withResolvers<ServerResponse>();
    const client = await serve((_, response) => {
      response.write("first");
      went.resolve(response);
    });
    const { body } = await client.prompts.raw.get(prompt);
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    expect(await reader?.read()).toEqual({ done: false, value: "first" });
    (await went.promise).end("last");
    expect(await reader?.read()).toEqual({ done: false, value: "last" });
  });

  test("ends on both sides if the caller aborts", async () => {
    const closed = Promise.withResolvers<void>();
    const client = await serve((_, response) => {
      response.on("close", closed.resolve);
      response.write("first");
    });
    const abort = new AbortController();
    const response = await client.prompts.raw.get(prompt, { signal: abort.signal });
    const reading = response.text();
    abort.abort(new Error("enough"));
    await expect(reading).rejects.toThrow("enough");
    await closed.promise;
  });
});

describe("an upload", () => {
  test("is streamed, and sent once", async () => {
    const first = Promise.withResolvers<void>();
    const seen: string[] = [];
    const client = await serve((request, response) => {
      request.setEncoding("utf8");
      request.on("data", (chunk: string) => {
        seen.push(chunk);
        first.resolve();
      });
      request.on("end", () => {
        response.writeHead(503, { "content-type": "application/json", "retry-after": "0" });
        response.end('{"error":{"code":"unavailable","message":"Later.","requestId":"req-1"}}');
      });
    });
    let isLast = false;
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (isLast) await first.promise;
        controller.enqueue(new TextEncoder().encode(isLast ? "last" : "first"));
        if (isLast) controller.close();
        isLast = true;
      },
    });
    const upload = client.webhooks.create(
      { body: body as never },
      { headers: { "content-type": "text/plain" } },
    );
    await expect(upload).rejects.toMatchObject({ code: "unavailable" });
    expect(seen).toEqual(["first", "last"]);
  });

  test("ends if the caller aborts", async () => {
    const began = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    const client = await serve((request) => {
      request.on("data", () => began.resolve()).on("close", closed.resolve);
      request.on("error", () => undefined);
    });
    const abort = new AbortController();
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode("first")),
    });
    const upload = client.webhooks.create({ body: body as never }, { signal: abort.signal });
    await began.promise;
    abort.abort(new Error("enough"));
    await expect(upload).rejects.toThrow("enough");
    await closed.promise;
  });
});
