import { createServer } from "node:http";
import { createClient } from "@promptreg/client";
import { createTestRegistry, NotInTestRegistry } from "@promptreg/client/testing";
import { contract, listOperations } from "@promptreg/core";
import { describe, expect, inject, test } from "vitest";
import { listen } from "../../test/waiting.ts";
import { about, bothRegistries, named, text } from "./alike.ts";
import { startRegistry } from "./index.ts";

const { both, expectAlike, create, commit, move, tokenOf } = bothRegistries();

const markdown = `---
variables:
  - { name: customer, type: text, required: true, description: Who asks }
  - { name: tone, type: enum, options: [warm, dry], default: warm }
config: { model: gpt-5-mini, temperature: 0.2 }
surplus: yes
---
Answer {{customer}} in a {{tone}} tone. é
`;
const chat = JSON.stringify({
  messages: [
    { role: "system", content: "Be brief with {{name}}." },
    { type: "placeholder", name: "history" },
    { role: "user", content: "Hi" },
  ],
  config: { model: "gpt-5-mini" },
});

describe("prompts", () => {
  test("are created of every kind, and got in every way", () =>
    expectAlike(async (side) => {
      const { send } = side;
      const files = [
        { path: "PROMPT.md", content: markdown },
        { path: "scripts/run.sh", content: "#!/bin/sh\n", mode: "100755" },
        { path: "a.png", content: "iVBORw0KGgo=", encoding: "base64" },
      ];
      const more = { files, summary: "What it does", tags: ["a", "b"], license: "mit", message: "First" };
      await create(side, "made", { ...more, rating: "mature" });
      await create(side, "made-chat", { kind: "chat", files: [{ path: "CHAT.json", content: chat }] });
      const skill = "---\nname: other\ndescription: Does it\n---\nDo it.\n";
      await create(side, "made-skill", { kind: "skill", files: [{ path: "SKILL.md", content: skill }] });
      await commit(side, "made", "Second", { labels: ["staging", "production", "staging"] });
      await move(side, "made", "production", 1);
      for (const query of [
        "",
        "?view=version",
        "?version=1",
        "?version=9",
        "?label=production",
        "?label=production&view=version",
        "?label=latest&view=version",
        "?label=none",
        "?utm_source=mail",
      ]) {
        await send(`GET /prompts/ada/made${query}`);
        await send(`GET /prompts/ada/made${query}`, { token: null });
      }
      for (const path of ["/1", "/1?files=meta", "/2", "/3", "/01"]) {
        await send(`GET /prompts/ada/made/versions${path}`);
      }
      await send("HEAD /prompts/ada/made?label=production&view=version");
      for (const path of ["", "?version=1", "?path=a.png", "?path=none", "?label=none", "/scripts/run.sh"]) {
        await send(`GET /prompts/ada/made/raw${path}`);
      }
      await send("GET /me");
    }));

  test("are refused where they break a rule", () =>
    expectAlike(async (side) => {
      const { send } = side;
      await create(side, "taken");
      for (const more of [
        { slug: "taken" },
        { slug: "Refused!" },
        { kind: "song", tags: ["A"], unknown: 1 },
        { files: [] },
        { files: [{ path: "../PROMPT.md", content: "" }] },
        { files: text("a\0b") },
        { files: [{ path: "prompt.md", content: "Hello" }] },
        { files: text("---\nvariables: [{ name: 1 }]\n---\nHello {{name}}") },
        { files: text("---\nconfig: 3\n---\n") },
        { files: text("x".repeat(300_000)) },
        { license: "none of these" },
        { visibility: "hidden" },
        { labels: ["latest"] },
        { labels: ["Refused!"] },
        { labels: ["production", "staging"], slug: "labelled" },
      ]) {
        await create(side, "refused", more);
        await send("GET /prompts/ada/refused");
      }
      await send("POST /prompts", { body: "{" });
      await send("POST /prompts", { body: "slug=a", headers: { "content-type": "text/plain" } });
      await send("POST /prompts");
      await send("GET /prompts/ada/taken?label=a&version=1");
      await send("GET /prompts/ada/taken?version=x&surplus=1");
      await send("GET /prompts/ada/Refused!");
      await send("GET /prompts/nobody/taken");
      await send("DELETE /prompts/ada/taken?surplus=1");
    }));

  test("are edited, and lead on from a former address", () =>
    expectAlike(async (side) => {
      const { send, client } = side;
      await create(side, "edited");
      await create(side, "neighbour");
      const edit = (slug: string, body: object) => send(`PATCH /prompts/ada/${slug}`, { body });
      await edit("edited", { title: "Welcome", summary: "New", tags: ["x"], license: "Apache-2.0" });
      await edit("edited", { title: "Welcome" });
      await edit("edited", { slug: "neighbour" });
      await edit("edited", { kind: "chat" });
      await edit("edited", { slug: "renamed" });
      await send("GET /prompts/ada/edited?label=latest&view=version");
      await send("GET /prompts/ada/edited/versions/1");
      await move(side, "edited", "production", 1);
      await client.prompts.get({ owner: "ada", slug: "edited" });
      for (const key of ["moved-1", "moved-1", "moved-2"]) {
        await send("POST /prompts/ada/edited/versions", {
          redirect: "manual",
          headers: { "idempotency-key": key },
          body: { files: text("Two") },
        });
      }
      await create(side, "edited");
      await edit("neighbour", { slug: "edited" });
      await edit("renamed", { slug: "edited" });
      await send("GET /prompts/ada/renamed");
    }));

  test("that were deleted are gone for whoever could see them, and keep their address", () =>
    expectAlike(async (side) => {
      const { send } = side;
      await create(side, "deleted");
      await create(side, "deleted-private", { visibility: "private" });
      for (const slug of ["deleted", "deleted-private"]) {
        await send(`DELETE /prompts/ada/${slug}`);
        await send(`DELETE /prompts/ada/${slug}`);
        await send(`GET /prompts/ada/${slug}`);
        await send(`GET /prompts/ada/${slug}`, { token: null });
        await send(`GET /prompts/ada/${slug}/versions/1`);
        await create(side, slug);
      }
    }));

  test("that are private are there for their owner alone", () =>
    expectAlike(async (side) => {
      const { send } = side;
      const token = await tokenOf(side, "bob");
      for (const visibility of ["public", "unlisted", "private"]) {
        const slug = `seen-${visibility}`;
        await create(side, slug, { visibility });
        for (const as of [side.registry.token, token, null]) {
          await send(`GET /prompts/ada/${slug}`, { token: as });
          await send(`GET /prompts/ada/${slug}/versions/1`, { token: as });
          await send(`PATCH /prompts/ada/${slug}`, { token: as, body: { title: "Mine" } });
        }
      }
      await send("PATCH /prompts/ada/seen-public", { body: { visibility: "private" } });
      await send("GET /prompts/ada/seen-public", { token });
    }));
});

describe("versions", () => {
  test("are committed one after the other", () =>
    expectAlike(async (side) => {
      const { send } = side;
      await create(side, "committed");
      await commit(side, "committed", "Two", { baseVersionNumber: 1, message: "Why" });
      await commit(side, "committed", "Two");
      await commit(side, "committed", "Three", { baseVersionNumber: 1 });
      await commit(side, "committed", "");
      await commit(side, "committed", "Four", { labels: ["production", "draft"] });
      await send("POST /prompts/ada/committed/versions", { body: {} });
      await send("POST /prompts/ada/committed/versions");
      await send("POST /prompts/ada/none/versions", { body: {} });
      await send("GET /prompts/ada/committed");
    }));

  test("are listed, restored and yanked", () =>
    expectAlike(async (side) => {
      const { send, note } = side;
      await create(side, "listed");
      for (const content of ["Two", "Three", "Four"]) await commit(side, "listed", content);
      await move(side, "listed", "production", 3);
      const yank = (n: number, body?: object) =>
        send(`POST /prompts/ada/listed/versions/${n}/yank`, { body });
      await yank(3, { reason: "Wrong" });
      await yank(4, { reason: "Wrong" });
      await yank(4);
      await yank(9, {});
      await send("GET /prompts/ada/listed?view=version");
      await send("GET /prompts/ada/listed?version=4&view=version");
      await move(side, "listed", "staging", 4);
      await commit(side, "listed", "Three");
      await send("POST /prompts/ada/listed/versions/4/restore", { body: { message: "Back" } });
      await send("POST /prompts/ada/listed/versions/5/restore", { body: {} });
      await send("POST /prompts/ada/listed/versions/9/restore", { body: {} });
      for (const token of [side.registry.token, null]) {
        const numbers: number[] = [];
        let cursor = "";
        do {
          const { json } = await send(`GET /prompts/ada/listed/versions?limit=2${cursor}`, { token });
          numbers.push(...json.items.map(({ n }: { n: number }) => n));
          cursor = json.nextCursor === null ? "" : `&cursor=${json.nextCursor}`;
        } while (cursor !== "");
        note(numbers);
      }
      await send("GET /prompts/ada/listed/versions?cursor=none");
      await send("GET /prompts/ada/listed/versions?limit=0");
      const { json } = await send("GET /prompts/ada/listed/versions?limit=1");
      await send(`GET /prompts/ada/listed/labels?cursor=${json.nextCursor}`);
      await send("DELETE /prompts/ada/listed/versions/4/yank");
      await send("DELETE /prompts/ada/listed/versions/4/yank");
      await send("GET /prompts/ada/listed");
    }));

  test("that are all yanked leave nothing that is the latest", () =>
    expectAlike(async (side) => {
      const { send } = side;
      await create(side, "withdrawn");
      await send("POST /prompts/ada/withdrawn/versions/1/yank", { body: {} });
      for (const query of ["", "?view=version", "?label=latest"]) {
        await send(`GET /prompts/ada/withdrawn${query}`);
      }
      await send("GET /prompts/ada/withdrawn/raw");
      await send("GET /prompts/ada/withdrawn/labels");
    }));
});

describe("labels", () => {
  test("are created, moved, compared and removed", () =>
    expectAlike(async (side) => {
      const { send, registry } = side;
      await create(side, "labelled");
      await commit(side, "labelled", "Two");
      await move(side, "labelled", "production", 1, { reason: "First" });
      await registry.clock.advance(1000);
      await move(side, "labelled", "production", 2, { expectedVersionNumber: 1 });
      await move(side, "labelled", "production", 2, { reason: "Again" });
      await move(side, "labelled", "production", 1, { expectedVersionNumber: 1 });
      await move(side, "labelled", "production", 1, { expectedVersionNumber: null });
      await move(side, "labelled", "staging", 1, { expectedVersionNumber: 3 });
      await move(side, "labelled", "staging", 9);
      await move(side, "labelled", "latest", 1);
      await move(side, "labelled", "Not-one", 1);
      await move(side, "labelled", "canary", 1);
      await send("GET /prompts/ada/labelled/labels");
      await send("GET /prompts/ada/labelled/labels?limit=2");
      await send("DELETE /prompts/ada/labelled/labels/canary");
      await send("DELETE /prompts/ada/labelled/labels/canary");
      await send("GET /prompts/ada/labelled?label=canary&view=version");
      await send("GET /prompts/ada/labelled");
    }));
});

describe("a token", () => {
  test("lets pass what it is for", () =>
    expectAlike(async (side) => {
      const { send, registry } = side;
      await create(side, "guarded");
      await create(side, "guarded-private", { visibility: "private" });
      const reading = await tokenOf(side, "ada", "read");
      const writing = await tokenOf(side, "ada", "write");
      const revoked = await tokenOf(side, "ada");
      await registry.revokeToken(revoked);
      const unknown = revoked.replace(/.{8}$/, "00000000");
      for (const token of [reading, writing, revoked, unknown, "prt_short", "", null]) {
        const body = { title: "Guarded", summary: "By a token" };
        await send("GET /prompts/ada/guarded", { token });
        await send("GET /prompts/ada/guarded-private", { token });
        await send("PATCH /prompts/ada/guarded", { token, body });
        await send("PUT /prompts/ada/guarded/labels/production", { token, body: { versionNumber: 1 } });
        await send("POST /prompts/ada/guarded/versions/1/restore", { token, body: {} });
        await send("GET /me", { token });
      }
      await send("POST /prompts/ada/guarded/versions", {
        token: writing,
        body: { files: text("By who may not read") },
      });
    }));
});

describe("a condition", () => {
  test("spares an answer that is held", () =>
    expectAlike(async (side) => {
      const { send } = side;
      await create(side, "held");
      const paths = ["", "?view=version", "/versions/1", "/versions", "/labels", "/raw", "/raw?version=1"];
      for (const path of paths) {
        const { headers } = await send(`GET /prompts/ada/held${path}`);
        const etag = headers.get("etag") ?? "";
        for (const held of [etag, `"other", ${etag.replace(/^W\//, "")}`, "*", '"other"']) {
          await send(`GET /prompts/ada/held${path}`, { headers: { "if-none-match": held } });
        }
      }
      const { headers } = await send("GET /prompts/ada/held?view=version");
      const held = { "if-none-match": headers.get("etag") ?? "" };
      await send("PATCH /prompts/ada/held", { body: { title: "Held", visibility: "unlisted" } });
      await send("GET /prompts/ada/held?view=version", { headers: held });
      await commit(side, "held", "Two");
      await send("GET /prompts/ada/held?view=version", { headers: held });
    }));

  test("refuses a change of what has changed", () =>
    expectAlike(async (side) => {
      const { send } = side;
      await create(side, "matched");
      const { headers } = await send("GET /prompts/ada/matched");
      for (const tag of [headers.get("etag") ?? "", headers.get("etag") ?? "", '"1"', "*", "none"]) {
        await send("PATCH /prompts/ada/matched", {
          headers: { "if-match": tag },
          body: { title: `Matched by ${tag.length}` },
        });
      }
      await send("DELETE /prompts/ada/matched", { headers: { "if-match": '"1"' } });
    }));

  test("by a key does a POST once", () =>
    expectAlike(async (side) => {
      const { send, registry } = side;
      const headers = { "idempotency-key": "once-1" };
      await send("POST /prompts", { headers, body: about("once") });
      await send("POST /prompts", { headers, body: about("once") });
      await send("POST /prompts", { headers, body: about("once-more") });
      await send("POST /prompts", { headers: { "idempotency-key": "é" }, body: about("once-more") });
      const body = { files: text("Two") };
      await send("POST /prompts/ada/once/versions", { headers, body });
      await send("POST /prompts/ada/once/versions", { headers, body });
      await registry.clock.advance(86_400_000);
      await send("POST /prompts/ada/once/versions", { headers, body });
    }));

  test("names a request by its own id", () =>
    expectAlike(async (side) => {
      await create(side, "named");
      for (const id of ["request-1", "short", "with a blank in it"]) {
        await side.send("GET /prompts/ada/named", { headers: { "x-request-id": id } });
        await side.send("GET /prompts/ada/nameless", { headers: { "x-request-id": id } });
      }
    }));
});

describe("a fault", () => {
  test("looks the same", () =>
    expectAlike(async (side) => {
      const { registry, send, note } = side;
      await create(side, "faulty");
      registry.requests.length = 0;
      for (const fault of [
        { status: 404 },
        { status: 404, html: true },
        { status: 429 },
        { status: 502 },
        { status: 503, retryAfterSeconds: 2 },
        { code: "gone" },
        { status: 200, json: { status: "ok" } },
        { status: 404, json: { error: { code: "ResourceNotFound", message: "No." } } },
        { cut: "before" },
        { cut: "after" },
        { delayMs: 1 },
        { delayMs: 1, status: 500 },
      ] as const) {
        registry.fail(fault, { times: 1, on: "prompts.get" });
        await send("GET /prompts/ada/faulty").catch((error: Error) => note([String(error), error.cause]));
      }
      registry.fail({ delayMs: Infinity });
      const reason = new Error("enough");
      const aborter = new AbortController();
      setTimeout(() => aborter.abort(reason));
      const url = `${registry.baseUrl}/api/v1/me`;
      await registry.fetch(url, { signal: aborter.signal }).catch((error: unknown) => note(error === reason));
      registry.heal();
      note(registry.requests);
      for (const wrong of [{ status: 200 }, { status: 199, json: 1 }, { status: 600, json: 1 }]) {
        expect(() => registry.fail(wrong)).toThrow(RangeError);
      }
    }));

  test("ends with the registry, as do all requests", async () => {
    for (const registry of [
      createTestRegistry(),
      await startRegistry({ databaseUrl: inject("postgres").url }),
    ]) {
      registry.fail({ delayMs: Infinity }, { times: 1 });
      const ended = registry.fetch(`${registry.baseUrl}/api/v1/me`).catch((error: Error) => error.message);
      await new Promise(setImmediate);
      await registry.close();
      await registry.close();
      expect(await ended).toBe("fetch failed");
      await expect(registry.fetch(`${registry.baseUrl}/api/v1/me`)).rejects.toMatchObject({
        cause: { code: "ECONNREFUSED" },
      });
    }
  });
});

test("what happened is delivered alike", async () => {
  const received: { headers: object; body: { createdAt: string } }[] = [];
  const receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { host: _, connection: __, "content-length": ___, ...headers } = request.headers;
      received.push({ headers, body: JSON.parse(Buffer.concat(chunks).toString()) });
      response.writeHead(204).end();
    });
  });
  const url = await listen(receiver);
  const { server, memory } = both;
  for (const { clock } of [server, memory]) await clock.advance(1000);
  await createClient(server).webhooks.create({ body: { url } });
  await memory.deliveries();
  for (const registry of [server, memory]) {
    const { prompts, evals } = createClient(registry);
    const told = { owner: "ada", slug: "told" };
    const body = { kind: "text", slug: "told", title: "Told", files: text("One") } as const;
    await prompts.create({ body: { ...body, visibility: "private" } });
    await prompts.versions.create({ ...told, body: { files: text("Two"), labels: ["production"] } });
    await prompts.labels.put({ ...told, name: "production", body: { versionNumber: 1, reason: "Back" } });
    const run = { prompt: "ada/told", versionNumber: 1, model: "gpt-5-mini", source: { tool: "ours" } };
    const results = [{ index: 0, caseKey: "a", status: "passed", score: 0.5, latencyMs: 7 }] as const;
    for (const ending of [{ status: "completed" }, { status: "failed", error: "No key" }, null] as const) {
      const { id } = await evals.runs.create({ body: run });
      await evals.runs.appendResults({ id, body: { results: [...results] } });
      if (ending) await evals.runs.update({ id, body: ending });
    }
    await prompts.update({ ...told, body: { slug: "retold" } });
    await prompts.delete({ owner: "ada", slug: "retold" });
    // A run without a report for a day has failed.
    await registry.clock.advance(86_400_001);
  }
  await server.deliver();
  receiver.closeAllConnections();
  receiver.close();
  const deliveries = await Promise.all(
    (await memory.deliveries()).map(async (request) => ({
      headers: Object.fromEntries(request.headers),
      body: await request.json(),
    })),
  );
  expect(deliveries).toHaveLength(8);
  const inOrder = received.sort((a, b) => (a.body.createdAt < b.body.createdAt ? -1 : 1));
  expect(named(deliveries)).toEqual(named(inOrder));
  expect(await memory.deliveries()).toEqual([]);
});

test("it has the operations that applications call, and refuses all others by name", async () => {
  const has: string[] = [];
  const { fetch, baseUrl } = createTestRegistry();
  for (const { id, operation } of listOperations(contract)) {
    const [method = "", path = ""] = operation.route.split(" ");
    const url = `${baseUrl}/api/v1${path.replace(/\{[^}]*\}/g, "1")}`;
    const answer = await fetch(url, { method }).catch((error: Error) => error);
    if (answer instanceof Response) has.push(id);
    else {
      expect(answer).toBeInstanceOf(NotInTestRegistry);
      expect(answer.message).toContain(`has no ${id}. Use startRegistry of @promptreg/server/testing`);
    }
  }
  expect(has).toEqual([
    "prompts.create",
    "prompts.get",
    "prompts.update",
    "prompts.delete",
    "prompts.versions.list",
    "prompts.versions.create",
    "prompts.versions.get",
    "prompts.versions.restore",
    "prompts.versions.yank",
    "prompts.versions.unyank",
    "prompts.labels.list",
    "prompts.labels.put",
    "prompts.labels.delete",
    "prompts.raw.get",
    "prompts.raw.getFile",
    "search.query",
    "search.suggest",
    "evals.compare",
    "evals.datasets.list",
    "evals.datasets.create",
    "evals.datasets.get",
    "evals.datasets.update",
    "evals.datasets.delete",
    "evals.datasets.cases.list",
    "evals.datasets.cases.create",
    "evals.datasets.cases.update",
    "evals.datasets.cases.delete",
    "evals.datasets.import",
    "evals.runs.list",
    "evals.runs.create",
    "evals.runs.get",
    "evals.runs.update",
    "evals.runs.delete",
    "evals.runs.results",
    "evals.runs.appendResults",
    "evals.scores",
    "users.me.get",
  ]);
});

test("of an operation that it has, it refuses what it does not do", async () => {
  const { prompts } = createClient(createTestRegistry());
  const body = { kind: "text", title: "Greeting", files: text("Hello") } as const;
  const errors = await Promise.all(
    [
      () => prompts.create({ body }),
      () => prompts.create({ body: { ...body, slug: "greeting", publish: false } }),
      () => prompts.list(),
    ].map((call) => call().catch((error: { code: string; message: string }) => error)),
  );
  const told = (what: string) => ({ code: "not_in_test_registry", message: expect.stringContaining(what) });
  expect(errors).toMatchObject([
    told("has no prompts.create without a slug"),
    told("has no drafts"),
    told("has no prompts.list"),
  ]);
});
