import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";

let server: TestServer;
let alice: Person;
let bob: Person;

beforeAll(async () => {
  server = await startTestServer({ connections: 9 });
  alice = await server.join("alice");
  bob = await server.join("bob");
});
afterAll(() => server.stop());

const promptMd = (content: string) => ({ path: "PROMPT.md", content });
const minimal = { kind: "text", title: "A greeting", files: [promptMd("Hello {{name}}")] };
const create = (fields: object, headers?: Record<string, string>) =>
  alice.request("POST /prompts", { body: { ...minimal, ...fields }, ...(headers && { headers }) });

const countOf = async (table: string) => (await server.sql`select from ${server.sql(table)}`).count;
/** The number of rows that a creation writes: a refused one writes none. */
const written = async () => {
  const tables = ["prompts", "versions", "version_files", "labels", "drafts", "events", "idempotency_keys"];
  return Object.fromEntries(await Promise.all(tables.map(async (table) => [table, await countOf(table)])));
};

describe("creating a prompt", () => {
  test("publishes version 1, with its address in Location", async () => {
    const answer = await create({ slug: "hello" });
    expect(answer.status).toBe(201);
    expect(answer.headers.get("location")).toBe(`${server.url}/api/v1/prompts/alice/hello`);
    expect(answer.json).toMatchObject({
      ref: "alice/hello",
      url: `${server.url}/alice/hello`,
      status: "published",
      visibility: "private",
      rating: "general",
      latestVersion: 1,
      resolvedBy: { type: "latest", value: null },
      version: {
        n: 1,
        variables: [{ name: "name", required: true }],
        warnings: [],
        origin: { type: "commit" },
      },
      viewer: { isOwner: true, canEdit: true },
    });
  });

  test("answers with the files, but without their content", async () => {
    const { json } = await create({ slug: "files" });
    expect(json.version.files).toMatchObject([
      { path: "PROMPT.md", mode: "100644", size: 14, encoding: "utf8" },
    ]);
    expect(json.version.files[0]).not.toHaveProperty("content");
  });

  test("stores its fields", async () => {
    const said = {
      slug: "described",
      summary: "Says hello",
      tags: ["greeting", "short"],
      license: "MIT OR Apache-2.0",
      visibility: "unlisted",
      rating: "sensitive",
    };
    expect((await create({ ...said, message: "First words" })).json).toMatchObject({
      ...said,
      version: { message: "First words" },
    });
  });

  test("points its labels to version 1, and emits their events after the version's", async () => {
    const answer = await create({ slug: "labelled", labels: ["staging", "production", "staging"] });
    expect([answer.status, answer.json.labels]).toEqual([201, { staging: 1, production: 1 }]);
    const events = await server.sql<{ name: string; body: Buffer }[]>`
      select name, body from events where prompt_id = ${answer.json.id} order by created_at`;
    expect(events.map(({ name, body }) => [name, JSON.parse(String(body)).data.label])).toEqual([
      ["prompt.version.created", undefined],
      ["prompt.label.moved", { name: "staging", versionNumber: 1, reason: null }],
      ["prompt.label.moved", { name: "production", versionNumber: 1, reason: null }],
    ]);
    expect(
      (await alice.request("GET /prompts/alice/labelled/labels/production/history")).json.items,
    ).toMatchObject([{ fromVersionNumber: null, toVersionNumber: 1 }]);
  });

  test("answers with settings and variables in their original order", async () => {
    const config = { responseFormat: { type: "object", properties: { reasoning: {}, an: {} } }, b: 1, a: 2 };
    const variables = [{ name: "name", type: "json", default: { bb: 1, a: 2 } }];
    const content = `---\n${JSON.stringify({ config, variables })}\n---\nHello {{name}}`;
    const { json } = await create({ slug: "in-order", files: [promptMd(content)] });
    const read = (await alice.request("GET /prompts/alice/in-order/versions/1")).json;
    for (const version of [json.version, read]) {
      expect(JSON.stringify(version.config)).toBe(JSON.stringify(config));
      expect(JSON.stringify(version.variables[0].default)).toBe('{"bb":1,"a":2}');
    }
  });

  test("makes the slug from the title if none is sent", async () => {
    expect((await create({ title: "  L’été & Ümläute, 3×! " })).json.slug).toBe("l-ete-umlaute-3");
    expect((await create({ title: `${"a".repeat(63)} b` })).json.slug).toBe("a".repeat(63));
  });

  test("needs a slug if none can be made from the title", async () => {
    const answer = await create({ title: "你好" });
    expect(answer.status).toBe(422);
    expect(answer.json.error).toMatchObject({ code: "validation_failed", details: [{ path: "/slug" }] });
  });

  test("with publish: false stores the files as a draft, without a version or an event", async () => {
    const before = await written();
    const answer = await create({ slug: "draft", publish: false, message: "not yet" });
    expect(answer.status).toBe(201);
    expect(answer.json).toMatchObject({
      status: "draft",
      latestVersion: null,
      version: null,
      publishedAt: null,
    });
    expect(await written()).toEqual({ ...before, prompts: before.prompts + 1, drafts: before.drafts + 1 });
  });

  test("accepts a draft with files that cannot be committed yet", async () => {
    const answer = await create({
      slug: "unfinished",
      publish: false,
      files: [{ path: "notes.md", content: "…" }],
    });
    expect(answer.status).toBe(201);
  });

  test("emits an event about version 1, but none about a publication: there was no draft", async () => {
    const { json } = await create({ slug: "told", message: "Here it is" });
    const events = await server.sql<{ name: string; body: Buffer }[]>`
      select name, body from events where prompt_id = ${json.id}`;
    expect(events.map(({ name }) => name)).toEqual(["prompt.version.created"]);
    expect(JSON.parse(String(events[0]?.body)).data).toEqual({
      prompt: { id: json.id, ref: "alice/told", url: `${server.url}/alice/told` },
      actor: { id: alice.id, handle: "alice", url: `${server.url}/alice` },
      version: {
        id: json.version.id,
        versionNumber: 1,
        message: "Here it is",
        contentHash: json.version.contentHash,
        origin: { type: "commit" },
        url: `${server.url}/alice/told@1`,
      },
    });
  });

  test("stores equal contents once, for everybody", async () => {
    await create({ slug: "shared-1", files: [promptMd("the same words")] });
    const before = await countOf("blobs");
    await bob.request("POST /prompts", { body: { ...minimal, files: [promptMd("the same words")] } });
    expect(await countOf("blobs")).toBe(before);
  });
});

describe("a slug", () => {
  test("belongs to one prompt of an account; another account can use it too", async () => {
    await create({ slug: "taken" });
    const again = await create({ slug: "taken" });
    expect([again.status, again.json.error.code]).toEqual([409, "slug_taken"]);
    expect((await bob.request("POST /prompts", { body: { ...minimal, slug: "taken" } })).status).toBe(201);
  });

  test("stays taken after its prompt was deleted", async () => {
    await create({ slug: "buried" });
    await server.sql`update prompts set deleted_at = clock() where slug = 'buried'`;
    expect((await create({ slug: "buried" })).json.error.code).toBe("slug_taken");
  });

  test("goes to one of two creations at once", async () => {
    const answers = await Promise.all([create({ slug: "wanted" }), create({ slug: "wanted" })]);
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 409]);
  });
});

test("an account can have 5000 prompts that are not deleted", async () => {
  const carol = await server.join("carol");
  await server.sql`
    insert into prompts (owner_id, slug, kind, title, visibility, rating, status)
    select ${carol.id}, 'p' || i, 'text', 'One of many', 'private', 'general', 'draft' from generate_series(1, 5000) i`;
  const one = () => carol.request("POST /prompts", { body: { ...minimal, slug: "one-more" } });
  expect((await one()).json.error.code).toBe("quota_exceeded");
  await server.sql`update prompts set deleted_at = clock() where owner_id = ${carol.id} and slug = 'p1'`;
  expect((await one()).status).toBe(201);
});

describe("an Idempotency-Key", () => {
  test("replays the first response", async () => {
    const first = await create({ slug: "once" }, { "idempotency-key": '"key-1"' });
    const second = await create({ slug: "once" }, { "idempotency-key": "key-1" });
    expect(second.status).toBe(201);
    expect(second.headers.get("idempotency-replayed")).toBe("true");
    expect(first.headers.get("idempotency-replayed")).toBeNull();
    expect(second.headers.get("location")).toBe(first.headers.get("location"));
    expect(second.text).toBe(first.text);
  });

  test("refuses another body", async () => {
    await create({ slug: "reused" }, { "idempotency-key": "key-2" });
    const answer = await create({ slug: "reused-2" }, { "idempotency-key": "key-2" });
    expect([answer.status, answer.json.error.code]).toEqual([422, "idempotency_key_reused"]);
  });

  test("belongs to one account", async () => {
    const headers = { "idempotency-key": "key-3" };
    await create({ slug: "whose" }, headers);
    const answer = await bob.request("POST /prompts", { body: { ...minimal, slug: "whose" }, headers });
    expect(answer.json.ref).toBe("bob/whose");
  });

  test("has one effect if it comes many times at once", async () => {
    const same = () => create({ title: "At once", slug: "at-once" }, { "idempotency-key": "key-4" });
    const answers = await Promise.all(Array.from({ length: 10 }, same));
    const made = answers.filter(({ status }) => status === 201);
    expect(new Set(made.map(({ json }) => json.id)).size).toBe(1);
    for (const { status, json } of answers) {
      if (status !== 201) expect([status, json.error.code]).toEqual([409, "idempotency_key_in_use"]);
    }
    expect((await same()).headers.get("idempotency-replayed")).toBe("true");
  });

  test("expires after a day", async () => {
    await create({ slug: "yesterday" }, { "idempotency-key": "key-5" });
    await server.sql`update idempotency_keys set created_at = clock() - interval '24 hours' where key = 'key-5'`;
    expect((await create({ slug: "today" }, { "idempotency-key": "key-5" })).json.slug).toBe("today");
  });

  test.for(["", '""', "é", "k".repeat(256)])("is refused if it is %j", async (key) => {
    const answer = await create({ slug: "odd-key" }, { "idempotency-key": key });
    expect([answer.status, answer.json.error.code]).toEqual([422, "validation_failed"]);
  });
});

describe("a refused creation writes nothing:", () => {
  const deepJson = "[".repeat(100_000) + "]".repeat(100_000);
  const file = (path: string, more: object = {}) => ({
    files: [promptMd("Hi"), { path, content: "x", ...more }],
  });

  test.for<[string, object, string]>([
    ["an unknown field", { titel: "typo" }, "validation_failed"],
    ["an unknown field of a file", file("a.md", { sha256: "00" }), "validation_failed"],
    ["an unknown kind", { kind: "poem" }, "validation_failed"],
    ["no title", { title: "" }, "validation_failed"],
    ["NUL in the title", { title: "a\0b" }, "validation_failed"],
    ["half a surrogate pair in the title", { title: "a\ud800" }, "validation_failed"],
    ["the label latest", { labels: ["production", "latest"] }, "validation_failed"],
    ["an invalid label", { labels: ["Prod!"] }, "validation_failed"],
    ["more than 50 labels", { labels: Array.from({ length: 51 }, (_, i) => `l${i}`) }, "validation_failed"],
    ["labels of a draft", { labels: ["production"], publish: false }, "validation_failed"],
    ["a slug with a path", { slug: "../etc" }, "validation_failed"],
    ["10,000 tags", { tags: Array.from({ length: 10_000 }, (_, i) => `t${i}`) }, "validation_failed"],
    ["10,000 invalid tags", { tags: Array.from({ length: 10_000 }, () => "T!") }, "validation_failed"],
    ["a tag twice", { tags: ["a", "a"] }, "validation_failed"],
    ["an invalid licence expression", { license: "MIT and more" }, "validation_failed"],
    ["no files", { files: [] }, "validation_failed"],
    [
      "201 files",
      { files: Array.from({ length: 201 }, (_, i) => ({ path: `${i}`, content: "" })) },
      "validation_failed",
    ],
    ["a path out of the folder", file("../../etc/passwd"), "invalid_file"],
    ["an absolute path", file("/etc/passwd"), "invalid_file"],
    ["NUL in a path", file("a\0.md"), "invalid_file"],
    ["half a surrogate pair in a path", file("\udc00.md"), "invalid_file"],
    ["the same path in another case", file("prompt.MD"), "invalid_file"],
    ["a file that is also a folder", file("PROMPT.md/a.md"), "invalid_file"],
    ["NUL in a text", file("a.md", { content: "a\0b" }), "invalid_file"],
    ["half a surrogate pair in a text", file("a.md", { content: "\ud83d" }), "invalid_file"],
    ["invalid base64", file("a.png", { content: "=/=", encoding: "base64" }), "invalid_file"],
    ["an executable Markdown file", file("a.md", { mode: "100755" }), "invalid_file"],
    ["a text over 1 MiB", file("a.md", { content: "x".repeat(1024 * 1024 + 1) }), "payload_too_large"],
    ["no entry file", { files: [{ path: "README.md", content: "Hi" }] }, "invalid_entry"],
    ["an entry of another kind", { kind: "chat" }, "invalid_entry"],
    [
      "a deep CHAT.json",
      { kind: "chat", files: [{ path: "CHAT.json", content: deepJson }] },
      "invalid_entry",
    ],
    ["frontmatter with an anchor", { files: [promptMd("---\na: &x 1\nb: *x\n---\nHi")] }, "invalid_entry"],
    [
      "a variable twice",
      { files: [promptMd("---\nvariables: [{name: a}, {name: a}]\n---\n{{a}}")] },
      "invalid_variables",
    ],
  ])("%s", async ([, fields, code]) => {
    const before = await written();
    const answer = await create({ slug: "refused", ...fields });
    expect(answer.json.error.code).toBe(code);
    expect(answer.status).toBe(code === "payload_too_large" ? 413 : 422);
    expect(answer.json.error.details?.length ?? 0).toBeLessThanOrEqual(20);
    expect(await written()).toEqual(before);
  });

  test("every file with a problem is named at once", async () => {
    const answer = await create({
      files: [promptMd("a\0"), { path: "../b", content: "" }, { path: "c", content: "c" }],
    });
    expect(answer.json.error.details.map(({ path }: { path: string }) => path)).toEqual([
      "/files/0/content",
      "/files/1/path",
    ]);
  });

  test.for<[string, string | Uint8Array, string, number, string]>([
    ["an incomplete body", '{"kind":', "application/json", 400, "invalid_json"],
    ["an empty body", "", "application/json", 400, "invalid_json"],
    ["a body of invalid UTF-8", Uint8Array.of(0x22, 0xff, 0x22), "application/json", 400, "invalid_json"],
    ["a body that is a list", "[]", "application/json", 422, "validation_failed"],
    ["a body of half a million brackets", "[".repeat(500_000), "application/json", 422, "validation_failed"],
    ["a deep body", deepJson, "application/json", 422, "validation_failed"],
    ["a deep title", `{"kind":"text","title":${deepJson}}`, "application/json", 422, "validation_failed"],
    ["a form", "kind=text", "application/x-www-form-urlencoded", 415, "unsupported_media_type"],
    ["20 MB", "x".repeat(20_000_000), "application/json", 413, "payload_too_large"],
  ])("%s", async ([, body, type, status, code]) => {
    const before = await written();
    const answer = await alice.request("POST /prompts", { body, headers: { "content-type": type } });
    expect([answer.status, answer.json.error.code]).toEqual([status, code]);
    expect(await written()).toEqual(before);
  });

  test("an error does not repeat a field of megabytes", async () => {
    const long = "/".repeat(1_000_000);
    const answer = await create({ slug: "refused", [long]: 1, files: [{ ...promptMd("Hi"), [long]: 1 }] });
    expect([answer.status, answer.json.error.details.length]).toEqual([422, 2]);
    expect(answer.text.length).toBeLessThan(10_000);
  });

  test("__proto__ is an unknown field like any other", async () => {
    const body = JSON.stringify({ ...minimal, slug: "proto" }).replace(
      "{",
      '{"__proto__":{"visibility":"private"},',
    );
    const answer = await alice.request("POST /prompts", {
      body,
      headers: { "content-type": "application/json" },
    });
    expect(answer.json.error.code).toBe("validation_failed");
  });

  test("a query parameter", async () => {
    const answer = await alice.request("POST /prompts?publish=false", {
      body: { ...minimal, slug: "query" },
    });
    expect(answer.json.error).toMatchObject({ code: "validation_failed", details: [{ path: "/publish" }] });
  });
});

describe("a prompt can be created only", () => {
  test("by an account", async () => {
    const answer = await server.anonymous("POST /prompts", { body: minimal });
    expect([answer.status, answer.json.error.code]).toEqual([401, "unauthenticated"]);
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
  });

  test("with the scope write", async () => {
    for (const scopes of [["read"], ["evals:write"]]) {
      const reader = await server.join("alice", { scopes });
      const answer = await reader.request("POST /prompts", { body: minimal });
      expect([answer.status, answer.json.error.code]).toEqual([403, "token_scope"]);
    }
  });

  test("by an account that is not suspended", async () => {
    const mallory = await server.join("mallory", { suspended: true });
    const answer = await mallory.request("POST /prompts", { body: minimal });
    expect([answer.status, answer.json.error.code]).toEqual([403, "account_suspended"]);
  });
});
