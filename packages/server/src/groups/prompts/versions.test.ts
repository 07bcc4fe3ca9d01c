import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { filesOf, publish } from "../../../test/prompts.ts";

let server: TestServer;
let alice: Person;
let bob: Person;

beforeAll(async () => {
  server = await startTestServer({ connections: 9 });
  alice = await server.join("alice");
  bob = await server.join("bob");
});
afterAll(() => server.stop());

/** A new prompt at version 1, or a draft. */
const create = (slug: string, fields: object = {}) =>
  publish(alice, slug, { files: filesOf("one"), ...fields });
const commit = (slug: string, body: object, who: Person = alice) =>
  who.request(`POST /prompts/alice/${slug}/versions`, { body });
const eventsOf = (promptId: string) => server.sql<{ name: string; data: any; at: string }[]>`
  select name, convert_from(body, 'UTF8')::json -> 'data' as data,
    convert_from(body, 'UTF8')::json ->> 'createdAt' as at
  from events where prompt_id = ${promptId} order by created_at`;
const revisionOf = async (promptId: string) =>
  (await server.sql`select revision, last_version, latest_version from prompts where id = ${promptId}`)[0];

describe("committing", () => {
  test("makes the next version, which becomes the latest", async () => {
    await create("next");
    const answer = await commit("next", { files: filesOf("two"), message: "Second" });
    expect(answer.status).toBe(201);
    expect(answer.headers.get("location")).toBe(`${server.url}/api/v1/prompts/alice/next/versions/2`);
    expect(answer.json).toMatchObject({
      n: 2,
      message: "Second",
      author: { id: alice.id, handle: "alice" },
      origin: { type: "commit" },
      warnings: [],
    });
    expect(answer.json.files[0]).not.toHaveProperty("content");
    expect((await alice.request("GET /prompts/alice/next")).json).toMatchObject({
      latestVersion: 2,
      version: { n: 2 },
    });
  });

  test("replaces all files: files that are not sent are not in the version", async () => {
    await create("whole", { files: [...filesOf("one"), { path: "notes.md", content: "aside" }] });
    const { json } = await commit("whole", { files: filesOf("one") });
    expect(json.files.map(({ path }: { path: string }) => path)).toEqual(["PROMPT.md"]);
  });

  test("emits events about the version and each of its labels", async () => {
    const { id } = await create("labelled");
    await commit("labelled", { files: filesOf("two"), labels: ["staging"] });
    const three = await commit("labelled", {
      files: filesOf("three"),
      labels: ["staging", "production", "staging"],
    });
    const events = await eventsOf(id);
    expect(events.map(({ name }) => name)).toEqual([
      "prompt.version.created",
      "prompt.version.created",
      "prompt.label.moved",
      "prompt.version.created",
      "prompt.label.moved",
      "prompt.label.moved",
    ]);
    expect(events.slice(3).map(({ data: { prompt: _, actor: _actor, ...rest } }) => rest)).toEqual([
      {
        version: {
          id: three.json.id,
          versionNumber: 3,
          message: null,
          contentHash: three.json.contentHash,
          origin: { type: "commit" },
          url: `${server.url}/alice/labelled@3`,
        },
      },
      { label: { name: "staging", versionNumber: 3, reason: null }, previousVersionNumber: 2 },
      { label: { name: "production", versionNumber: 3, reason: null }, previousVersionNumber: null },
    ]);
    expect((await alice.request("GET /prompts/alice/labelled")).json.labels).toEqual({
      production: 3,
      staging: 3,
    });
  });

  test("with labels writes an audit row for each move", async () => {
    const { id } = await create("audited");
    await commit("audited", { files: filesOf("two"), labels: ["production"] });
    const rows =
      await server.sql`select actor_id, data from audit_log where action = 'label.move' and target = ${id}`;
    expect(rows).toEqual([
      { actor_id: alice.id, data: { name: "production", from: null, to: 2, reason: null } },
    ]);
  });

  test("the same files is refused, also in another order", async () => {
    const files = [...filesOf("one"), { path: "notes.md", content: "aside" }];
    const { id } = await create("same", { files });
    const before = await revisionOf(id);
    const answer = await commit("same", { files: files.toReversed(), message: "Nothing new" });
    expect([answer.status, answer.json.error.code]).toEqual([409, "no_changes"]);
    expect(await revisionOf(id)).toEqual(before);
  });

  test("compares with the latest version, not with earlier ones", async () => {
    await create("back");
    await commit("back", { files: filesOf("two") });
    expect((await commit("back", { files: filesOf("one") })).json.n).toBe(3);
  });

  test("on a base that is not the newest is refused", async () => {
    await create("based");
    expect((await commit("based", { files: filesOf("two"), baseVersionNumber: 1 })).status).toBe(201);
    const stale = await commit("based", { files: filesOf("other"), baseVersionNumber: 1 });
    expect([stale.status, stale.json.error.code]).toEqual([409, "version_conflict"]);
  });

  test("counts yanked versions, for the base and for the next number", async () => {
    const { id } = await create("yanked");
    await commit("yanked", { files: filesOf("two") });
    await server.sql`update versions set yanked_at = clock() where prompt_id = ${id} and n = 2`;
    await server.sql`update prompts set latest_version = 1 where id = ${id}`;
    expect((await commit("yanked", { files: filesOf("x"), baseVersionNumber: 1 })).json.error.code).toBe(
      "version_conflict",
    );
    expect((await commit("yanked", { files: filesOf("two"), baseVersionNumber: 2 })).json.n).toBe(3);
  });

  test("twenty times at once gives twenty numbers without gaps", async () => {
    const { id } = await create("many");
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => commit("many", { files: filesOf(`text ${i}`) })),
    );
    const numbers = answers.map(({ json }) => json.n).sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 20 }, (_, i) => i + 2));
    const events = await eventsOf(id);
    expect(events.map(({ data }) => data.version.versionNumber)).toEqual([1, ...numbers]);
    expect(new Set(events.map(({ at }) => at)).size).toBe(21);
  });

  test("twice at once on the same base succeeds once", async () => {
    await create("rivals");
    const answers = await Promise.all(
      ["mine", "yours"].map((text) => commit("rivals", { files: filesOf(text), baseVersionNumber: 1 })),
    );
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 409]);
  });

  test("stops at 10,000 versions", async () => {
    const { id } = await create("full");
    await server.sql`update prompts set last_version = 9999 where id = ${id}`;
    expect((await commit("full", { files: filesOf("the last") })).json.n).toBe(10_000);
    expect((await commit("full", { files: filesOf("one too many") })).json.error.code).toBe("quota_exceeded");
  });

  test("is for the owner", async () => {
    await create("mine");
    const answer = await commit("mine", { files: filesOf("yours") }, bob);
    expect([answer.status, answer.json.error.code]).toEqual([403, "forbidden"]);
    const admin = await server.join("root", { role: "admin" });
    expect((await commit("mine", { files: filesOf("ours") }, admin)).json.error.code).toBe("forbidden");
  });

  test("happens once with one Idempotency-Key, however often it comes", async () => {
    const { id } = await create("key");
    const headers = { "idempotency-key": "commit" };
    const body = { files: filesOf("two") };
    const same = () => alice.request("POST /prompts/alice/key/versions", { body, headers });
    await Promise.all(Array.from({ length: 10 }, same));
    const replay = await same();
    expect([replay.status, replay.json.n, replay.headers.get("idempotency-replayed")]).toEqual([
      201,
      2,
      "true",
    ]);
    expect(await revisionOf(id)).toMatchObject({ last_version: 2 });
  });
});

describe("a draft", () => {
  test("is committed and deleted if no files are sent, which publishes the prompt", async () => {
    const { id } = await create("draft", { publish: false, message: "From the draft" });
    const answer = await commit("draft", {});
    expect(answer.json).toMatchObject({ n: 1, message: "From the draft", origin: { type: "draft" } });
    expect((await alice.request("GET /prompts/alice/draft")).json).toMatchObject({ status: "published" });
    expect((await server.sql`select from drafts where prompt_id = ${id}`).count).toBe(0);
    const [created, published] = await eventsOf(id);
    expect(created?.name).toBe("prompt.version.created");
    expect(published?.name).toBe("prompt.published");
    expect(published?.data.version).toEqual({
      id: answer.json.id,
      versionNumber: 1,
      url: `${server.url}/alice/draft@1`,
    });
    expect(Object.keys(published?.data)).toEqual(["prompt", "actor", "version"]);
    expect(created && published && created.at < published.at).toBe(true);
  });

  test("is also published by a commit of files, and only once", async () => {
    const { id } = await create("files-first", { publish: false });
    await commit("files-first", { files: filesOf("straight") });
    await commit("files-first", { files: filesOf("again") });
    expect((await eventsOf(id)).map(({ name }) => name)).toEqual([
      "prompt.version.created",
      "prompt.published",
      "prompt.version.created",
    ]);
  });

  test("can be labelled by the commit that publishes it", async () => {
    const { id } = await create("all-at-once", { publish: false });
    await commit("all-at-once", { labels: ["production"] });
    expect((await eventsOf(id)).map(({ name }) => name)).toEqual([
      "prompt.version.created",
      "prompt.published",
      "prompt.label.moved",
    ]);
  });

  test("that cannot be committed stays unchanged", async () => {
    const { id } = await create("unready", { publish: false, files: [{ path: "notes.md", content: "…" }] });
    const answer = await commit("unready", {});
    expect([answer.status, answer.json.error.code]).toEqual([422, "invalid_entry"]);
    expect((await server.sql`select from drafts where prompt_id = ${id}`).count).toBe(1);
    expect(await eventsOf(id)).toEqual([]);
  });

  test("must exist if no files are sent", async () => {
    await create("nothing");
    const answer = await commit("nothing", { message: "Nothing" });
    expect([answer.status, answer.json.error.code]).toEqual([409, "draft_required"]);
  });
});

describe("a refused commit writes nothing and emits no event", () => {
  test.for<[string, object, number, string]>([
    [
      "a reserved label",
      { files: filesOf("two"), labels: ["production", "latest"] },
      422,
      "validation_failed",
    ],
    ["an invalid label", { files: filesOf("two"), labels: ["Prod!"] }, 422, "validation_failed"],
    [
      "more than 50 labels",
      { files: filesOf("two"), labels: Array.from({ length: 51 }, (_, i) => `l${i}`) },
      422,
      "validation_failed",
    ],
    ["an unknown field", { files: filesOf("two"), label: "production" }, 422, "validation_failed"],
    ["a huge base", { files: filesOf("two"), baseVersionNumber: 1e15 }, 422, "validation_failed"],
    [
      "a base that is no integer",
      { files: filesOf("two"), baseVersionNumber: 1.5 },
      422,
      "validation_failed",
    ],
    ["NUL in the message", { files: filesOf("two"), message: "\0" }, 422, "validation_failed"],
    ["no entry", { files: [{ path: "a.md", content: "" }] }, 422, "invalid_entry"],
  ])("%s", async ([name, body, status, code], { task }) => {
    const slug = `refused-${task.id.replaceAll(/[^a-z0-9]+/g, "-")}`;
    const { id } = await create(slug);
    const before = await revisionOf(id);
    const answer = await commit(slug, body);
    expect([name, answer.status, answer.json.error.code]).toEqual([name, status, code]);
    expect(await revisionOf(id)).toEqual(before);
    expect((await eventsOf(id)).length).toBe(1);
    expect((await server.sql`select from versions where prompt_id = ${id}`).count).toBe(1);
    expect((await server.sql`select from labels where prompt_id = ${id}`).count).toBe(0);
  });
});

test("a commit with more labels than its prompt can have is refused whole", async () => {
  const { id } = await create("label-full");
  await commit("label-full", {
    files: filesOf("two"),
    labels: Array.from({ length: 50 }, (_, i) => `l${i}`),
  });
  const answer = await commit("label-full", { files: filesOf("three"), labels: ["l0", "one-more"] });
  expect([answer.status, answer.json.error.code]).toEqual([409, "quota_exceeded"]);
  expect(await revisionOf(id)).toMatchObject({ last_version: 2 });
  expect((await eventsOf(id)).length).toBe(52);
});

describe("a pinned version", () => {
  test("has its files, text as text and others as base64", async () => {
    await create("binary", {
      files: [
        ...filesOf("Hi\r\n\ufeff{{a}}"),
        { path: "scripts/run.sh", content: "#!/bin/sh\n", mode: "100755" },
        { path: "dot.png", content: "iVBORw0KGgo=", encoding: "base64" },
      ],
    });
    const { json } = await server.anonymous("GET /prompts/alice/binary/versions/1");
    expect(json.files).toMatchObject([
      { path: "PROMPT.md", content: "Hi\r\n\ufeff{{a}}", encoding: "utf8" },
      { path: "dot.png", content: "iVBORw0KGgo=", encoding: "base64", mediaType: "image/png", size: 8 },
      { path: "scripts/run.sh", mode: "100755", encoding: "utf8" },
    ]);
  });

  test("has them without content for files=meta", async () => {
    await create("meta");
    const { json } = await server.anonymous("GET /prompts/alice/meta/versions/1?files=meta");
    expect(json.files[0]).toMatchObject({ path: "PROMPT.md", size: 3 });
    expect(json.files[0]).not.toHaveProperty("content");
  });

  test("never changes, also after a rename, a label move, a yank or a commit", async () => {
    const { id } = await create("frozen");
    const before = await server.anonymous("GET /prompts/alice/frozen/versions/1");
    await commit("frozen", { files: filesOf("two"), labels: ["production"] });
    await alice.request("PUT /prompts/alice/frozen/labels/old", { body: { versionNumber: 1 } });
    await server.sql`update versions set yanked_at = clock() where prompt_id = ${id} and n = 1`;
    await server.sql`update users set name = 'Alice the Great' where handle = 'alice'`;
    const after = await server.anonymous("GET /prompts/alice/frozen/versions/1");
    expect(after.text).toBe(before.text);
    expect(after.headers.get("etag")).toBe(before.headers.get("etag"));
  });

  test.for([
    ["public", "public, max-age=31536000, s-maxage=60, immutable"],
    ["unlisted", "private, max-age=31536000, immutable"],
    ["private", "private, max-age=31536000, immutable"],
  ])("of a %s prompt is cached for a year: %s", async ([visibility = "", cacheControl]) => {
    await create(`cached-${visibility}`, { visibility });
    const { headers } = await alice.request(`GET /prompts/alice/cached-${visibility}/versions/1`);
    expect(headers.get("cache-control")).toBe(cacheControl);
    expect(headers.get("vary")).toBe("Authorization, Accept");
  });

  test("answers 304 without a body to its ETag, which is different for each form", async () => {
    await create("tagged");
    const full = await server.anonymous("GET /prompts/alice/tagged/versions/1");
    const etag = full.headers.get("etag") ?? "";
    expect(etag).toMatch(/^"/);
    const held = (value: string, query = "") =>
      server.anonymous(`GET /prompts/alice/tagged/versions/1${query}`, {
        headers: { "if-none-match": value },
      });
    const again = await held(`"other", ${etag}`);
    expect([again.status, again.text, again.headers.get("etag")]).toEqual([304, "", etag]);
    expect(again.headers.get("cache-control")).toBe(full.headers.get("cache-control"));
    expect((await held("*")).status).toBe(304);
    expect((await held(etag, "?files=meta")).status).toBe(200);
  });

  beforeAll(() => create("sparse"));
  test.for(["2", "0", "01", "-1", "1.0", "1e0", "99999999999999999999", "latest", "%00", "1%2F2"])(
    "that does not exist (%s) is a 404",
    async (n) => {
      const answer = await alice.request(`GET /prompts/alice/sparse/versions/${n}`);
      expect([answer.status, answer.json.error.code]).toEqual([404, "not_found"]);
      expect(answer.headers.get("cache-control")).toBe("no-store");
    },
  );

  test.for(["files=all", "files=full&files=meta", "n=1", "__proto__=1", "constructor=1"])(
    "refuses the query %s",
    async (query) => {
      const answer = await alice.request(`GET /prompts/alice/next/versions/1?${query}`);
      expect([answer.status, answer.json.error.code]).toEqual([422, "validation_failed"]);
    },
  );
});
