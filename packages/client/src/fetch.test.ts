import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import * as undici from "undici";
import { createClient, type Fetch } from "./index.ts";

/** Records the requests that it gets. */
const server = createServer((request, response) => {
  const { method, url, headers } = request;
  void text(request).then((body) => {
    seen.push({ method, url, headers, body });
    response.writeHead(200, { "content-type": "application/json", "x-request-id": "req-1" }).end("{}");
  });
});
const seen: (Pick<IncomingMessage, "method" | "url" | "headers"> & { body: string })[] = [];
let baseUrl: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => void (seen.length = 0));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const stream = () => new Blob(["first", "last"]).stream();
function form<Form extends { append: (name: string, value: string) => void }>(empty: Form): Form {
  empty.append("name", "reply");
  return empty;
}

describe.each<[string, Fetch, () => FormData | undici.FormData]>([
  ["the runtime's fetch", fetch, () => form(new FormData())],
  ["undici's fetch", undici.fetch, () => form(new undici.FormData())],
  [
    "undici's fetch with a dispatcher",
    (url, request) => undici.fetch(url, { ...request, dispatcher: new undici.Agent() }),
    () => form(new undici.FormData()),
  ],
])("%s", (_, fetch, aForm) => {
  const client = () =>
    createClient({ baseUrl, token: "prt_1", fetch, onAttempt: ({ headers }) => headers.set("trace", "1") });

  test("gets the address and the request", async () => {
    await client().prompts.get({ owner: "ada", slug: "reply", query: { view: "version" } });
    await client().webhooks.create({ body: { url: "https://example.com/" } });
    expect(seen).toMatchObject([
      {
        method: "GET",
        url: "/api/v1/prompts/ada/reply?view=version",
        headers: { authorization: "Bearer prt_1", trace: "1" },
        body: "",
      },
      {
        method: "POST",
        headers: { "content-type": "application/json", "content-length": "30", trace: "1" },
        body: '{"url":"https://example.com/"}',
      },
    ]);
  });

  test.each([
    ["a stream", stream, /^firstlast$/],
    ["a form", aForm, /name="name"\r\n\r\nreply\r\n/],
    ["bytes", () => new TextEncoder().encode("firstlast"), /^firstlast$/],
    ["fields", () => new URLSearchParams("a=1"), /^a=1$/],
  ])("uploads %s", async (_, body, sent) => {
    await client().webhooks.create({ body: body() as never });
    expect(seen[0]?.body).toMatch(sent);
  });
});
