import { createServer, globalAgent, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createClient } from "@promptreg/client";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { leanFetch } from "../src/http/fetch.ts";
import { LeanHeaders, LeanRequest, LeanResponse } from "../src/http/web.ts";

async function echo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, headers } = request;
  const body = await text(request);
  response.setHeader("set-cookie", ["a=1", "b=2"]);
  response.end(JSON.stringify({ method, headers, body }));
}

const routes: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
  "/echo": (request, response) => void echo(request, response),
  "/gone": (_, response) => response.writeHead(410, "No more").end("gone"),
  "/old": (_, response) => response.writeHead(301, { location: "/echo" }).end(),
  "/old-for-all": (_, response) => response.writeHead(308, { location: "/echo" }).end(),
  "/elsewhere": (_, response) => response.writeHead(301, { location: `${other}/echo` }).end(),
  "/round": (_, response) => response.writeHead(301, { location: "/round" }).end(),
  "/hop": (_, response) => response.writeHead(301, { location: (hops -= 1) > 0 ? "/hop" : "/echo" }).end(),
  "/endless": (_, response) => {
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(1024 * 1024)));
      response.once("drain", more);
    };
    more();
  },
  "/silent": () => {},
  "/done": (_, response) => response.writeHead(204).end(),
  "/same": (_, response) => response.writeHead(304).end(),
  "/api/v1/me": (_, response) => stall(response),
  "/api/v1/prompts/ada/reply/download": (_, response) => stall(response),
  ...Object.fromEntries(
    [301, 302, 303, 307, 308].map((status) => [
      `/${status}`,
      (_: IncomingMessage, response: ServerResponse) =>
        response.writeHead(status, { location: "/led" }).end(),
    ]),
  ),
  "/led": (request, response) => void note(request, response),
};
/** The headers and the first part, and then nothing. */
function stall(response: ServerResponse): void {
  const headers = { "content-type": "application/json", "x-request-id": "req-1" };
  response
    .on("close", () => (stalled += 1))
    .writeHead(200, headers)
    .write("{");
}
/** How many redirects are left. */
let hops = 0;
/** How many of those connections were ended. */
let stalled = 0;
/** What arrived where redirects lead. */
let arrived: unknown;
async function note(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, headers } = request;
  arrived = { method, type: headers["content-type"], body: await text(request) };
  response.end();
}

const servers = [0, 1].map(() =>
  createServer((request, response) => routes[request.url ?? ""]?.(request, response)),
);
let origin = "";
let other = "";

beforeAll(async () => {
  for (const server of servers) await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  [origin = "", other = ""] = servers.map((one) => `http://127.0.0.1:${(one.address() as AddressInfo).port}`);
});
afterAll(() => {
  for (const server of servers) server.closeAllConnections();
  for (const server of servers) server.close();
});

const echoed = async (path: string, options = {}) =>
  (await (await leanFetch(`${origin}${path}`, options)).json()) as {
    method: string;
    headers: Record<string, string>;
    body: string;
  };

describe("the command line's own fetch", () => {
  test.each(["/done", "/same"])("leaves no connection in use after %s, which has no body", async (path) => {
    await leanFetch(origin + path);
    const { port } = new URL(origin);
    const inUse = () => Object.keys(globalAgent.sockets).filter((name) => name.includes(`:${port}:`));
    await expect.poll(inUse).toEqual([]);
  });

  test("sends text, bytes and forms, and reads the answer", async () => {
    expect(await echoed("/echo", { method: "post", body: "é" })).toMatchObject({ method: "POST", body: "é" });
    expect(await echoed("/echo", { method: "PUT", body: new Uint8Array([97]) })).toMatchObject({ body: "a" });
    const form = await echoed("/echo", { method: "POST", body: new URLSearchParams({ a: "b c" }) });
    expect(form).toMatchObject({
      body: "a=b+c",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
  });

  test("tells status and headers, and hands the body out as a stream", async () => {
    const gone = await leanFetch(new LeanRequest(`${origin}/gone`));
    expect([gone.ok, gone.status, gone.statusText]).toEqual([false, 410, "No more"]);
    expect(await text(gone.body)).toBe("gone");
    const { headers } = await leanFetch(`${origin}/echo`);
    expect(headers.get("Set-Cookie")).toBe("a=1, b=2");
  });

  test("follows where a prompt went, and takes the request along", async () => {
    expect(await echoed("/old")).toMatchObject({ method: "GET" });
    expect(await echoed("/old-for-all", { method: "PUT", body: "x" })).toMatchObject({
      method: "PUT",
      body: "x",
    });
    const { status } = await leanFetch(`${origin}/old`, { redirect: "manual" });
    expect(status).toBe(301);
    await expect(leanFetch(`${origin}/round`)).rejects.toThrow("fetch failed");
    hops = 20;
    expect((await leanFetch(`${origin}/hop`)).ok).toBe(true);
    hops = 21;
    await expect(leanFetch(`${origin}/hop`)).rejects.toThrow("fetch failed");
  });

  test.each(
    [301, 302, 303, 307, 308].flatMap((status) =>
      ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"].map((method) => [status, method] as const),
    ),
  )("is led by %i as fetch is, with a %s", async (status, method) => {
    const content = { headers: { "content-type": "text/plain" }, body: "x" };
    const options = { method, ...(method !== "GET" && method !== "HEAD" && content) };
    await fetch(`${origin}/${status}`, options);
    const expected = arrived;
    arrived = undefined;
    await leanFetch(`${origin}/${status}`, options);
    expect(arrived).toEqual(expected);
  });

  test("takes the token to no other server", async () => {
    const headers = { authorization: "Bearer prt_secret" };
    expect((await echoed("/old", { headers })).headers).toMatchObject(headers);
    expect((await echoed("/elsewhere", { headers })).headers).not.toHaveProperty("authorization");
  });

  test("fails as fetch does", async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    await expect(leanFetch(`http://127.0.0.1:${port}`)).rejects.toMatchObject({
      name: "TypeError",
      message: "fetch failed",
      cause: { code: "ECONNREFUSED" },
    });
    const abort = new AbortController();
    const sent = leanFetch(`${origin}/silent`, { signal: abort.signal });
    abort.abort(new Error("Enough."));
    await expect(sent).rejects.toThrow("Enough.");
  });

  test("reads no body without end", async () => {
    const response = await leanFetch(`${origin}/endless`);
    await expect(response.text()).rejects.toMatchObject({
      cause: { message: "The answer is larger than 64 MiB." },
    });
  });

  test("lets the client end what falls silent, and its connection", { tags: "long" }, async () => {
    const client = createClient({ baseUrl: origin, token: null, fetch: leanFetch, timeoutMs: 500 });
    const stopped = "in the middle of its response, and sent nothing for 0.5 seconds";
    await expect(client.users.me.get()).rejects.toThrow(stopped);
    const file = await client.prompts.download({ owner: "ada", slug: "reply" });
    await expect(file.text()).rejects.toThrow(stopped);
    const unread = await client.prompts.download({ owner: "ada", slug: "reply" });
    await unread.body?.cancel();
    await vi.waitFor(() => expect(stalled).toBe(3));
  });

  test("makes an answer of a stream", async () => {
    const { body, headers, status } = await leanFetch(`${origin}/echo`);
    const again = new LeanResponse(body, { status, headers, url: "http://elsewhere/" });
    expect(await again.json()).toMatchObject({ method: "GET" });
    expect([again.headers.get("set-cookie"), again.url]).toEqual(["a=1, b=2", "http://elsewhere/"]);
  });

  test("refuses bodies that it could not send", () => {
    expect(() => new LeanRequest(origin, { body: new FormData() })).toThrow("unsupported");
  });

  test("has headers whose names are the same in any case", () => {
    const headers = new LeanHeaders([["A", " 1 "]]);
    headers.append("a", "2");
    expect([...headers]).toEqual([["a", "1, 2"]]);
    headers.delete("A");
    expect(headers.has("a")).toBe(false);
  });
});
