import { request } from "node:http";
import { type AddressInfo, BlockList } from "node:net";
import { type ServerType, serve } from "@hono/node-server";
import { contract, events, listOperations } from "@promptreg/core";
import { manifestSchema } from "@promptreg/core/summaries";
import { Hono } from "hono";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exchange } from "../../test/requests.ts";
import { html, inline, prose } from "./html.ts";
import { mountReference } from "./index.ts";

let server: ServerType;
let origin: string;

beforeAll(async () => {
  const app = new Hono();
  const context = {
    publicUrl: "https://prompts.example",
    isForMembers: false,
    limiter: null,
    trustedProxies: new BlockList(),
    failures: { refuse() {} },
  };
  mountReference(app, { contract, server: context });
  server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 });
  await new Promise((resolve) => server.once("listening", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

describe("GET /", () => {
  const ask = (accept: string) => fetch(`${origin}/`, { headers: { accept } });

  test("is a page for people, all of whose links lead somewhere", async () => {
    const response = await ask("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8");
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("vary")).toBe("Accept, Accept-Encoding");
    const paths = [...(await response.text()).matchAll(/href="(\/[^"]*)"/g)].map(([, path]) => path);
    expect(new Set(paths)).toEqual(new Set(["/", "/reference", "/docs/webhooks", "/api/v1/openapi.json"]));
    for (const path of paths) expect((await fetch(origin + path)).status).toBe(200);
  });

  test.each(["*/*", "application/json", "application/json, text/html;q=0.9"])(
    "says where everything is to a program that accepts %s",
    async (accept) => {
      expect(await (await ask(accept)).json()).toEqual({
        name: "Promptreg",
        summary: "A registry for prompts: immutable versions, movable labels, signed webhooks.",
        api: "https://prompts.example/api/v1",
        openapi: "https://prompts.example/api/v1/openapi.json",
        reference: "https://prompts.example/reference",
        webhooks: "https://prompts.example/docs/webhooks",
      });
    },
  );
});

describe("GET /api/v1/openapi.json", () => {
  test("returns the document of this server", async () => {
    const { headers, json } = await exchange(origin, "GET /openapi.json");
    expect(headers.get("content-type")).toBe("application/json");
    expect(headers.get("x-request-id")).not.toBeNull();
    expect(json).toMatchObject({
      openapi: "3.1.1",
      servers: [{ url: "https://prompts.example/api/v1" }],
    });
  });

  test("returns 304 to a caller with its ETag", async () => {
    const etag = (await exchange(origin, "GET /openapi.json")).headers.get("etag") ?? "";
    const headers = { "if-none-match": `"other", ${etag}` };
    const again = await exchange(origin, "GET /openapi.json", { headers });
    expect([again.status, again.headers.get("etag"), again.text]).toEqual([304, etag, ""]);
  });

  test("is compressed only for clients that accept it, with its own ETag", async () => {
    const headersFor = (accepted: string) =>
      new Promise<Record<string, unknown>>((resolve, reject) => {
        request(`${origin}/api/v1/openapi.json`, { headers: { "accept-encoding": accepted } }, (response) => {
          response.resume();
          resolve(response.headers);
        })
          .on("error", reject)
          .end();
      });
    const [plain, refused, compressed] = [
      await headersFor("identity"),
      await headersFor("gzip;q=0, br"),
      await headersFor("br, gzip;q=0.5"),
    ];
    expect(plain["content-encoding"]).toBeUndefined();
    expect(refused["content-encoding"]).toBeUndefined();
    expect(compressed["content-encoding"]).toBe("gzip");
    expect(compressed["etag"]).not.toBe(plain["etag"]);
  });
});

test("GET /schemas/promptreg.json answers what an editor checks a manifest by, whatever page it is in", async () => {
  const response = await fetch(`${origin}/schemas/promptreg.json`);
  expect(response.headers.get("content-type")).toBe("application/schema+json");
  expect(response.headers.get("access-control-allow-origin")).toBe("*");
  expect(await response.json()).toEqual(JSON.parse(JSON.stringify(manifestSchema())));
});

describe("GET /reference", () => {
  const pageAt = async (path: string) => (await fetch(origin + path)).text();
  const linksOf = (page: string) => [...page.matchAll(/href="(\/reference[^"#]*)(?:#([^"]*))?"/g)];
  /** Every page to which the index leads, with its text. */
  const readPages = async () => {
    const paths = new Set(linksOf(await pageAt("/reference")).map(([, path = ""]) => path));
    return Promise.all([...paths].map(async (path) => ({ path, page: await pageAt(path) })));
  };

  test("leads from the anchor of every operation and every event to its heading", {
    tags: "long",
  }, async () => {
    const index = await pageAt("/reference");
    const anchors = [
      ...listOperations(contract).map(({ id }) => id),
      ...Object.keys(events).map((name) => `event.${name}`),
    ];
    for (const anchor of anchors) {
      const path = index.split(`<li id="${anchor}"><a href="`)[1]?.split(`#${anchor}"`)[0] ?? "";
      expect(await pageAt(path)).toContain(`<article id="${anchor}">`);
    }
  });

  test("has no broken links", async () => {
    const pages = await readPages();
    const targets = pages.flatMap(({ path, page }) => [
      path,
      ...[...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => `${path}#${id}`),
    ]);
    const links = pages.flatMap(({ page }) => linksOf(page).map(([link]) => link.slice(6, -1)));
    const known = new Set(targets);
    expect(links.filter((link) => !known.has(link))).toEqual([]);
  });

  test("leads from the body of an operation to its type", async () => {
    const page = await pageAt("/reference/prompts");
    const [, type] = /<h3>Body <span class="type">(.*?)<\/span>/.exec(page) ?? [];
    expect(type).toMatch(/^<a href="\/reference[^"]*CreatePrompt">CreatePrompt<\/a>$/);
  });

  test("is small enough to open at once, page by page", async () => {
    const tooLarge = (elements: number, bytes: number) => (page: string) =>
      page.split(/<[a-z]/).length > elements || Buffer.byteLength(page) > bytes;
    expect(tooLarge(3_000, 160_000)(await pageAt("/reference"))).toBe(false);
    const isTooLarge = tooLarge(10_000, 350_000);
    expect((await readPages()).filter(({ page }) => isTooLarge(page)).map(({ path }) => path)).toEqual([]);
  });

  test("answers 404 for a group that does not exist", async () => {
    const response = await fetch(`${origin}/reference/nothing`);
    expect([response.status, await response.json()]).toMatchObject([404, { error: { code: "not_found" } }]);
  });

  test("shows how to call an operation with the SDK, curl and the command line", async () => {
    const page = (await pageAt("/reference/prompts")) + (await pageAt("/reference/evals"));
    expect(page).toContain(
      "await client.prompts.get({ owner: &quot;alice&quot;, slug: &quot;pr-review&quot; })",
    );
    expect(page).toContain("curl https://prompts.example/api/v1/prompts/alice/pr-review<");
    expect(page).toContain("promptreg api prompts.get owner=alice slug=pr-review<");
    expect(page).toContain("body,\n}, { headers: { &quot;content-type&quot;: &quot;text/csv&quot; } })");
  });

  test("forbids foreign scripts and resources", async () => {
    const response = await fetch(`${origin}/reference`);
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^ ]+'; script-src 'sha256-[^ ]+';/);
    expect(await response.text()).not.toMatch(/\b(src|srcset|style|onclick)=|@import|url\(/);
  });
});

test("values in a page are escaped", () => {
  const hostile = `<img src=x onerror="alert('1')">&`;
  const escaped = "&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;";
  expect(html`<b title="${hostile}">${inline(`${hostile} \`${hostile}\``)}</b>`.text).toBe(
    `<b title="${escaped}">${escaped} <code>${escaped}</code></b>`,
  );
});

test("a description has its headings, its paragraphs and its code", () => {
  expect(prose("## One\n\nTwo `three`").map(({ text }) => text)).toEqual([
    "<h2>One</h2>",
    "<p>Two <code>three</code></p>",
  ]);
});
