import { type AddressInfo, BlockList } from "node:net";
import { type ServerType, serve } from "@hono/node-server";
import { contract, events, exampleEnvelope, type EventName } from "@promptreg/core";
import { verifySync } from "@promptreg/core/webhooks/node";
import { Hono } from "hono";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { gapsSeconds } from "../../groups/webhooks/record.sql.ts";
import { mountReference } from "../index.ts";
import { sample } from "./delivery.ts";
import { gapsMinutes } from "./rules.ts";

let server: ServerType;
let url: string;
let page: string;

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
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  page = await (await fetch(`${url}/docs/webhooks`)).text();
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const signs: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&amp;": "&" };
/** What a reader sees. */
const shown = () => page.replace(/<[^>]+>/g, "").replace(/&[^;]+;/g, (entity) => signs[entity] ?? entity);

describe("GET /docs/webhooks", () => {
  test("runs and loads nothing, and returns 304 to a client with its ETag", async () => {
    const { status, headers } = await fetch(`${url}/docs/webhooks`);
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; style-src 'sha256-[^ ;]+'; script-src 'none'; img-src data:;/,
    );
    expect(page).not.toMatch(/<script|\b(src|srcset|style|onclick)=|@import|url\(/);
    const held = { "if-none-match": headers.get("etag") ?? "" };
    expect((await fetch(`${url}/docs/webhooks`, { headers: held })).status).toBe(304);
  });

  test("shows every event of the catalogue with its example", () => {
    for (const name of Object.keys(events) as EventName[]) {
      expect(shown()).toContain(events[name].description);
      expect(shown()).toContain(JSON.stringify(exampleEnvelope(name), null, 2));
    }
  });

  test("has no broken links", async () => {
    for (const [, path = "", anchor = ""] of page.matchAll(/href="([^"#:]*)(?:#([^"]*))?"/g)) {
      const text =
        path === "" ? page : await (await fetch(url + path, { headers: { accept: "text/html" } })).text();
      expect(
        anchor === "" ? text.startsWith("<!doctype html>") : text.includes(` id="${anchor}"`),
        `${path}#${anchor}`,
      ).toBe(true);
    }
  });

  test("gives a signature to check one's own code against that is right", () => {
    expect(shown()).toContain(`Service-Signature: ${sample.header}\n\n${sample.body}`);
    expect(shown()).toContain(
      `'${sample.t}.${sample.body}' \\\n  | openssl dgst -sha256 -hmac '${sample.secret}'`,
    );
    expect(verifySync(sample.body, sample.header, sample.secret, { now: sample.t * 1000 })).toBeUndefined();
  });

  test("shows the real schedule of attempts", () => {
    expect(gapsMinutes.map((minutes) => minutes * 60)).toEqual(gapsSeconds);
    expect(page).toContain("<td>8</td><td>8 h</td><td>23 h 36 min</td>");
  });
});
