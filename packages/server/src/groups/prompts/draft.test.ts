import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { filesOf, publish } from "../../../test/prompts.ts";

let server: TestServer;
let alice: Person;

beforeAll(async () => {
  server = await startTestServer({ connections: 9 });
  alice = await server.join("alice");
});
afterAll(() => server.stop());

/** A new prompt at version 1, or with only a draft. */
const create = (slug: string, fields: object = {}) => publish(alice, slug, fields);
const read = (slug: string, who = alice) => who.request(`GET /prompts/alice/${slug}/draft`);
const save = (slug: string, body: object, headers = {}) =>
  alice.request(`PUT /prompts/alice/${slug}/draft`, { body, headers });
const discard = (slug: string, headers = {}) =>
  alice.request(`DELETE /prompts/alice/${slug}/draft`, { headers });
const commit = (slug: string, body: object = {}) =>
  alice.request(`POST /prompts/alice/${slug}/versions`, { body });
const tagOf = async (slug: string) => (await read(slug)).headers.get("etag") ?? "";

describe("a draft", () => {
  test("is null until there is one", async () => {
    await create("none");
    expect((await read("none")).json).toEqual({ draft: null });
  });

  test("stores what was sent, with defaults, and shows its size", async () => {
    await create("kept");
    const files = [
      { path: "PROMPT.md", content: "Grüße {{name}}\r\n" },
      { path: "scripts/run", content: "x", mode: "100755" },
      { path: "dot.png", content: "iVBORw0KGgo=", encoding: "base64" },
    ];
    const answer = await save("kept", { files, message: "On its way", baseVersionNumber: 1 });
    expect([answer.status, answer.json]).toEqual([
      200,
      {
        draft: {
          files: files.map((file) => ({ encoding: "utf8", mode: "100644", ...file })),
          message: "On its way",
          baseVersionNumber: 1,
          updatedAt: expect.any(String),
          size: Buffer.byteLength("Grüße {{name}}\r\n") + 1 + 8,
          problems: [],
        },
      },
    ]);
    expect((await read("kept")).text).toBe(answer.text);
  });

  test("is replaced whole", async () => {
    await create("replaced");
    await save("replaced", { files: filesOf("One"), message: "One", baseVersionNumber: 1 });
    const { json } = await save("replaced", { files: filesOf("Two") });
    expect(json.draft).toMatchObject({ files: [{ content: "Two" }], message: null, baseVersionNumber: null });
  });

  test("shows the errors that its commit would have", async () => {
    await create("unready");
    const files = [{ path: "notes.md", content: "…" }];
    const { json } = await save("unready", { files });
    expect(json.draft.problems).toMatchObject([{ code: "invalid_entry", path: "/files" }]);
    expect((await commit("unready")).json.error.details).toEqual(json.draft.problems);
  });

  test("may have no files at all", async () => {
    await create("empty");
    const { status, json } = await save("empty", { files: [] });
    expect([status, json.draft.size]).toEqual([200, 0]);
    expect(json.draft.problems).toHaveLength(1);
    expect((await commit("empty")).json.error.code).toBe("invalid_entry");
  });

  test.for<[string, object, number, string]>([
    ["a path that leaves the prompt", { files: [{ path: "../x", content: "" }] }, 422, "invalid_file"],
    ["two files at one path", { files: [...filesOf("a"), ...filesOf("b")] }, 422, "invalid_file"],
    ["NUL in a text", { files: filesOf("a\0b") }, 422, "invalid_file"],
    ["invalid base64", { files: [{ path: "a", content: "?", encoding: "base64" }] }, 422, "invalid_file"],
    ["a text over 1 MiB", { files: filesOf("x".repeat(2 ** 20 + 1)) }, 413, "payload_too_large"],
    [
      "201 files",
      { files: Array.from({ length: 201 }, (_, i) => ({ path: `${i}`, content: "" })) },
      422,
      "validation_failed",
    ],
    ["no list of files", {}, 422, "validation_failed"],
    ["a version 0", { files: [], baseVersionNumber: 0 }, 422, "validation_failed"],
  ])("refuses %s", async ([, body, status, code]) => {
    const answer = await save("none", body);
    expect([answer.status, answer.json.error.code]).toEqual([status, code]);
    expect((await read("none")).json).toEqual({ draft: null });
  });

  test("changes nothing that others see of the prompt", async () => {
    await create("still");
    const seen = async () => {
      const { text, headers } = await server.anonymous("GET /prompts/alice/still");
      return [text, headers.get("etag")];
    };
    const before = await seen();
    await save("still", { files: filesOf("Secret") });
    expect(await seen()).toEqual(before);
    await discard("still");
    expect(await seen()).toEqual(before);
    expect((await server.sql`select from events where name <> 'prompt.version.created'`).count).toBe(0);
  });

  test("is only for its owner", async () => {
    await create("own");
    const others = [await server.join("mallory"), await server.join("mod", { role: "admin" })];
    for (const who of others) {
      for (const method of ["GET", "DELETE"]) {
        const answer = await who.request(`${method} /prompts/alice/own/draft`);
        expect([answer.status, answer.json.error.code]).toEqual([403, "forbidden"]);
      }
    }
  });
});

describe("a draft made with its prompt", () => {
  test("shows its size and problems like any other", async () => {
    await create("unfinished", {
      publish: false,
      message: "Soon",
      files: [{ path: "notes.md", content: "…" }],
    });
    expect((await read("unfinished")).json.draft).toMatchObject({
      files: [{ path: "notes.md", content: "…", encoding: "utf8", mode: "100644" }],
      message: "Soon",
      baseVersionNumber: null,
      size: 3,
      problems: [{ code: "invalid_entry" }],
    });
    expect(await tagOf("unfinished")).toMatch(/^W\/"1\./);
  });

  test("cannot be discarded, because nothing would be left, but it can be replaced and committed", async () => {
    await create("only", { publish: false });
    const refused = await discard("only");
    expect([refused.status, refused.json.error.code]).toEqual([409, "draft_required"]);
    expect((await save("only", { files: filesOf("Better") })).status).toBe(200);
    expect((await commit("only")).json).toMatchObject({ n: 1, origin: { type: "draft" } });
    expect((await discard("only")).status).toBe(204);
  });
});

describe("discarding a draft", () => {
  test("leaves none, and repeating it changes nothing", async () => {
    await create("discarded");
    await save("discarded", { files: filesOf("Two") });
    expect((await discard("discarded")).status).toBe(204);
    expect((await read("discarded")).json).toEqual({ draft: null });
    const tag = await tagOf("discarded");
    expect((await discard("discarded")).status).toBe(204);
    expect(await tagOf("discarded")).toBe(tag);
  });
});

describe("a saved draft that is committed", () => {
  test("gives the version its content, and is deleted", async () => {
    await create("spoken");
    await save("spoken", { files: filesOf("Two"), message: "From the draft", baseVersionNumber: 1 });
    expect((await commit("spoken")).json).toMatchObject({ n: 2, message: "From the draft" });
    expect((await read("spoken")).json).toEqual({ draft: null });
  });

  test("is refused if there is a version after its base, and stays", async () => {
    await create("stale");
    const { text } = await save("stale", { files: filesOf("Mine"), baseVersionNumber: 1 });
    await commit("stale", { files: filesOf("Theirs") });
    const refused = await commit("stale");
    expect([refused.status, refused.json.error.code]).toEqual([409, "version_conflict"]);
    expect((await read("stale")).text).toBe(text);
  });
});

describe("the ETag of a draft", () => {
  test("begins with the draft's own revision, new after every change of it", async () => {
    await create("tagged");
    const tags = [await tagOf("tagged")];
    for (const change of [
      () => save("tagged", { files: filesOf("Two") }),
      () => save("tagged", { files: filesOf("Two") }),
      () => discard("tagged"),
      () => save("tagged", { files: filesOf("Two") }),
      () => commit("tagged"),
    ]) {
      await change();
      tags.push(await tagOf("tagged"));
    }
    expect(tags.map((tag) => tag.split(".")[0])).toEqual(
      ["0", "1", "2", "3", "4", "5"].map((n) => `W/"${n}`),
    );
  });

  test("comes with the response to a save, so that the next save needs no read", async () => {
    await create("chained");
    let tag = await tagOf("chained");
    for (const content of ["One", "Two", "Three"]) {
      const answer = await save("chained", { files: filesOf(content) }, { "if-match": tag });
      expect(answer.status).toBe(200);
      tag = answer.headers.get("etag") ?? "";
    }
    expect(tag).toBe(await tagOf("chained"));
  });

  test("is what If-Match compares, not the prompt's", async () => {
    await create("compared");
    const ofPrompt = (await alice.request("GET /prompts/alice/compared")).headers.get("etag") ?? "";
    const tag = await tagOf("compared");
    await alice.request("PUT /prompts/alice/compared/labels/production", { body: { versionNumber: 1 } });
    expect((await save("compared", { files: [] }, { "if-match": ofPrompt })).status).toBe(412);
    expect((await save("compared", { files: [] }, { "if-match": tag })).status).toBe(200);
    const late = await discard("compared", { "if-match": tag });
    expect([late.status, late.json.error.code]).toEqual([412, "precondition_failed"]);
    expect((await discard("compared", { "if-match": await tagOf("compared") })).status).toBe(204);
  });

  test.for(["with a draft", "without one"])("allows one of two saves at once (%s)", async (how) => {
    const slug = how.replaceAll(" ", "-");
    const { id } = await create(slug);
    if (how === "with a draft") await save(slug, { files: filesOf("Before") });
    const headers = { "if-match": await tagOf(slug) };
    const texts = ["A", "B", "C", "D"];
    const answers = await server.atOnce(
      (sql) => sql`select from prompts where id = ${id} for update`,
      texts.map((text) => () => save(slug, { files: filesOf(text) }, headers)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
    const winner = answers.findIndex(({ status }) => status === 200);
    expect((await read(slug)).json.draft.files[0].content).toBe(texts[winner]);
  });

  test("gives 304 if the caller has it already", async () => {
    await create("held");
    await save("held", { files: filesOf("Two") });
    const headers = { "if-none-match": await tagOf("held") };
    const held = await alice.request("GET /prompts/alice/held/draft", { headers });
    expect([held.status, held.text, held.headers.get("cache-control")]).toEqual([
      304,
      "",
      "private, no-cache",
    ]);
  });
});

test("a draft of 10 MiB is stored and read", { tags: "long" }, async () => {
  await create("large");
  const content = "é".repeat(2 ** 19);
  const files = [
    ...filesOf("Hello"),
    ...Array.from({ length: 9 }, (_, i) => ({ path: `${i}.txt`, content })),
  ];
  expect((await save("large", { files })).status).toBe(200);
  const { draft } = (await read("large")).json;
  expect([draft.size, draft.files[9].content === content]).toEqual([5 + 9 * 2 ** 20, true]);
});
