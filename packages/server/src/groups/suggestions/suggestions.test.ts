import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { commit, filesOf, publish } from "../../../test/prompts.ts";
import { codeOf } from "../../../test/requests.ts";
import { addUpTags } from "../tags/tags.sql.ts";

let server: TestServer;
let alice: Person;
let bob: Person;

beforeAll(async () => {
  server = await startTestServer();
  alice = await server.join("alice");
  bob = await server.join("bob");
});
afterAll(() => server.stop());

const all = ["title", "summary", "tags", "slug", "message"];
const suggest = (body: object, who = alice) =>
  who.request("POST /ai/suggestions", { body: { fields: all, ...body } });

const text = `# Polite replies

You answer {{customer}} in the name of a workshop that repairs old clocks. Be brief.

- Clocks are dear to people: be polite about clocks.
- Say what a repair of clocks costs.
`;

describe("without a model", () => {
  test("files are described by rules, and the answer says so", async () => {
    const { status, json } = await suggest({ kind: "text", files: filesOf(text) });
    expect(status).toBe(200);
    expect(json).toEqual({
      suggestions: {
        title: "Polite replies",
        summary: "You answer customer in the name of a workshop that repairs old clocks.",
        tags: expect.arrayContaining(["clocks"]),
        slug: "polite-replies",
        message: "First version",
      },
      provider: "heuristic",
      model: null,
      usage: null,
    });
  });

  test("nothing is stored and no event is written", async () => {
    const count = () => server.sql`
      select (select count(*) from prompts) as prompts, (select count(*) from events) as events,
        (select count(*) from audit_log) as audited, (select count(*) from outbox) as notices`;
    const before = await count();
    await suggest({ kind: "text", files: filesOf(text) });
    expect(await count()).toEqual(before);
  });

  test("of a prompt its draft is described, then its latest version, and a slug is free", async () => {
    await publish(alice, "polite-replies", { files: filesOf(text), visibility: "private" });
    const prompt = "alice/polite-replies";
    expect((await suggest({ prompt })).json.suggestions).toMatchObject({
      title: "Polite replies",
      slug: "polite-replies",
    });
    expect((await suggest({ kind: "text", files: filesOf(text) })).json.suggestions.slug).toBe(
      "polite-replies-2",
    );
    const draft = filesOf(`${text}- Sign as {{agent}}.\n`);
    await alice.request(`PUT /prompts/${prompt}/draft`, { body: { files: draft } });
    expect((await suggest({ prompt, fields: ["message"] })).json.suggestions).toEqual({
      message: "Change PROMPT.md: add variable agent",
    });
    const files = [...filesOf(text), { path: "examples/a.md", content: "Hi" }];
    expect((await suggest({ prompt, files, fields: ["message"] })).json.suggestions).toEqual({
      message: "Add examples/a.md",
    });
    const more = [{ path: "A.md", content: "# Another title" }, ...filesOf(text)];
    await publish(alice, "with-more", { files: more });
    const ofMore = await suggest({ prompt: "alice/with-more", fields: ["title"] });
    expect(ofMore.json.suggestions.title).toBe("Polite replies");
    await alice.request(`PATCH /prompts/${prompt}`, { body: { slug: "replies" } });
    expect((await suggest({ prompt, fields: ["title"] })).json.suggestions.title).toBe("Polite replies");
  });

  test("a tag that public prompts have comes first, in their spelling, and none of private prompts is told", async () => {
    await publish(bob, "repairs", { tags: ["clock"] });
    await publish(bob, "secret", { tags: ["workshop-secrets", "costs"], visibility: "private" });
    await addUpTags(server.sql);
    const tagsNow = async () =>
      (await suggest({ kind: "text", files: filesOf(text), fields: ["tags"] })).json.suggestions.tags;
    const tags = await tagsNow();
    expect(tags[0]).toBe("clock");
    expect(tags).not.toContain("clocks");
    await bob.request("PATCH /prompts/bob/repairs", { body: { visibility: "private" } });
    await addUpTags(server.sql);
    expect(await tagsNow()).toContain("clocks");
  });

  test("what is no prompt of the caller's is described to nobody", async () => {
    await publish(bob, "open", {});
    await publish(bob, "hidden", { visibility: "private" });
    const errors = ["bob/open", "bob/hidden", "bob/none"].map(async (prompt) =>
      codeOf(await suggest({ prompt })),
    );
    expect(await Promise.all(errors)).toEqual([
      [403, "forbidden"],
      [404, "not_found"],
      [404, "not_found"],
    ]);
    await publish(alice, "gone", {});
    await alice.request("DELETE /prompts/alice/gone");
    expect(codeOf(await suggest({ prompt: "alice/gone" }))).toEqual([410, "gone"]);
  });

  test.each([
    [{ fields: [] }, "/fields"],
    [{ fields: ["title", "title"], kind: "text", files: filesOf("a") }, "/fields"],
    [{ fields: ["license"], kind: "text", files: filesOf("a") }, "/fields/0"],
    [{ kind: "text" }, "/prompt"],
    [{ files: filesOf("a") }, "/kind"],
    [{ prompt: "alice/polite-replies", kind: "text" }, "/kind"],
  ])("%j is refused", async (body, path) => {
    const { status, json } = await suggest(body);
    expect([status, json.error.details.map((one: { path: string }) => one.path)]).toEqual([
      422,
      expect.arrayContaining([path]),
    ]);
  });

  test("a token that cannot read gets nothing of what is stored, and files of its own described", async () => {
    const writer = await server.join("alice", { scopes: ["write"] });
    expect(codeOf(await suggest({ prompt: "alice/replies" }, writer))).toEqual([403, "token_scope"]);
    expect((await suggest({ kind: "text", files: filesOf(text) }, writer)).status).toBe(200);
  });

  test("files break the rules of files here too", async () => {
    expect(codeOf(await suggest({ kind: "text", files: [{ path: "../a", content: "" }] }))).toEqual([
      422,
      "invalid_file",
    ]);
  });

  test.each([
    ["Chinese", "# 客服回复\n\n你是一位专业的客服。请礼貌地回复客户。", "客服回复"],
    ["Arabic", "# رد مهذب\n\nأنت موظف خدمة عملاء. أجب بأدب.", "رد مهذب"],
    ["code alone", "```js\nlet a = 1;\n```", undefined],
    ["no letters", "1234 !!! ---", undefined],
    ["one word of 256 KB", "a".repeat(256 * 1024), expect.stringMatching(/^Aa/)],
    ["marks that turn text", "# A \u202etitle\u202c\u2066\n\nText.", "A title"],
    ["what is no text", Buffer.from([0xff, 0xfe, 0x00]).toString("base64"), undefined],
  ])("%s gets what can be said, within the rules of the fields", async (what, content, title) => {
    const encoding = what === "what is no text" ? { encoding: "base64" } : {};
    const { status, json } = await suggest({
      kind: "text",
      files: [{ path: "PROMPT.md", content, ...encoding }],
    });
    expect([status, json.suggestions?.title]).toEqual([200, title]);
    if (title === "客服回复") expect(json.suggestions).not.toHaveProperty("slug");
  });

  test("a text of which nothing can be said gets an empty answer", async () => {
    const { status, json } = await suggest({
      kind: "text",
      files: filesOf("1234 !!! ---"),
      fields: ["title"],
    });
    expect([status, json.suggestions]).toEqual([200, {}]);
  });

  test("a change is announced to nobody: what is read stays as it is", async () => {
    await publish(alice, "quiet", {});
    const etag = async () => (await alice.request("GET /prompts/alice/quiet")).headers.get("etag");
    const before = await etag();
    await suggest({ prompt: "alice/quiet" });
    expect(await etag()).toBe(before);
    await commit(alice, "quiet", "other");
  });
});

test("a server without suggestions says so, also of itself", async () => {
  const { suggestions } = server.context;
  const asked = { kind: "text", files: filesOf("a"), fields: ["title"] };
  const features = async () => (await alice.request("GET /me")).json.features.suggestions;
  expect(await features()).toBe(true);
  server.context.suggestions = [];
  try {
    expect(codeOf(await suggest({ kind: "text", files: filesOf("a") }))).toEqual([
      503,
      "suggestions_unavailable",
    ]);
    expect(await features()).toBe(false);
    const away = { provider: "heuristic" as const, model: null, suggest: () => Promise.reject(new Error()) };
    server.context.suggestions = [away];
    expect(codeOf(await alice.request("POST /ai/suggestions", { body: asked }))).toEqual([
      503,
      "suggestions_unavailable",
    ]);
  } finally {
    server.context.suggestions = suggestions;
  }
});
