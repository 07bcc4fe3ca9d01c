import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { filesOf, publish } from "../../../test/prompts.ts";
import { codeOf, type Sender } from "../../../test/requests.ts";

let server: TestServer;
let alice: Person;
let bob: Person;

beforeAll(async () => {
  server = await startTestServer();
  alice = await server.join("alice");
  bob = await server.join("bob");
  await publish(alice, "greeting", { files: filesOf("Hello {{name}}, {{what}} & more+") });
});
afterAll(() => server.stop());

const open = (slug: string, target: string, query: Record<string, string> = {}, who: Sender = bob) =>
  who.request(`GET /prompts/alice/${slug}/open-in/${target}?${new URLSearchParams(query)}`);
const rule = {
  kind: "rule",
  files: [{ path: "RULE.md", content: "---\ndescription: A rule\n---\nBe kind." }],
};
const chat = (...messages: unknown[]) => ({
  kind: "chat",
  files: [{ path: "CHAT.json", content: JSON.stringify({ messages }) }],
});

describe("the list of tools", () => {
  test("has all at once, with what their links do", async () => {
    const { status, json } = await server.anonymous("GET /open-in");
    expect([status, json.nextCursor, json.items.length]).toEqual([200, null, 20]);
    expect(json.items.find(({ id }: { id: string }) => id === "vscode")).toEqual({
      id: "vscode",
      name: "VS Code, as a file",
      mode: "install",
      kinds: ["text", "skill", "agent", "rule", "command"],
      maxUrlLength: 8000,
      platform: "editor",
    });
    expect(json.items.find(({ id }: { id: string }) => id === "gemini")).toMatchObject({
      mode: "copy",
      maxUrlLength: null,
    });
  });

  test("can be of those that take a kind", async () => {
    const idsFor = async (kind: string): Promise<string[]> =>
      (await server.anonymous(`GET /open-in?kind=${kind}`)).json.items.map(({ id }: { id: string }) => id);
    expect(await idsFor("chat")).not.toContain("vscode");
    expect(await idsFor("rule")).toContain("vscode");
    expect((await server.anonymous("GET /open-in?kind=poem")).status).toBe(422);
  });
});

describe("a link", () => {
  test("carries the text with the values that were given, and names what is missing", async () => {
    const vars = JSON.stringify({ name: "Ada", unknown: 1 });
    const { status, json } = await open("greeting", "claude", { vars });
    expect([status, json]).toEqual([
      200,
      {
        target: "claude",
        mode: "prefill",
        url: "https://claude.ai/new?q=Hello%20Ada%2C%20%7B%7Bwhat%7D%7D%20%26%20more%2B",
        text: "Hello Ada, {{what}} & more+",
        truncated: false,
        missing: ["what"],
      },
    ]);
  });

  test("is refused for a text that is longer than any link takes by far", async () => {
    await publish(alice, "repeated", { files: filesOf(`${"{{a}}".repeat(32_767)}{{b}}`) });
    const vars = (last: number) => ({
      vars: JSON.stringify({ a: "€".repeat(32), b: "€".repeat(last) }),
    });
    expect((await open("repeated", "claude", vars(32))).json.text).toHaveLength(1024 * 1024);
    expect((await open("repeated", "claude", vars(33))).json.error).toMatchObject({
      code: "payload_too_large",
      message: "The filled prompt is longer than 1 Mi characters.",
    });
  });

  test("takes values of every type, and none by another name than its own", async () => {
    await publish(alice, "typed", { files: filesOf("{{a}} {{b}} {{c}} {{constructor}}") });
    const { json } = await open("typed", "claude", {
      vars: '{"a":1,"b":{"x":[true]},"c":null,"__proto__":{}}',
    });
    expect(json).toMatchObject({
      text: '1 {"x":[true]} {{c}} {{constructor}}',
      missing: ["c", "constructor"],
    });
  });

  test("leads to the version that is asked for, and the file to that which was shown", async () => {
    await publish(alice, "versioned", { versions: 2, files: filesOf("text 1") });
    await alice.request("PUT /prompts/alice/versioned/labels/production", { body: { versionNumber: 1 } });
    expect((await open("versioned", "claude")).json.text).toBe("text 2");
    expect((await open("versioned", "claude", { version: "1" })).json.text).toBe("text 1");
    expect((await open("versioned", "claude", { label: "production" })).json.text).toBe("text 1");
    const { url } = (await open("versioned", "vscode", { label: "production" })).json;
    const file = `${server.url}/api/v1/prompts/alice/versioned/download?format=copilot-prompt&unwrap=true&version=1`;
    expect(url).toBe(`vscode:chat-prompt/install?url=${encodeURIComponent(file)}`);
    expect((await fetch(file)).status).toBe(200);
  });

  test("has the text of each kind as the tool takes it", async () => {
    await publish(alice, "the-rule", rule);
    expect((await open("the-rule", "cursor")).json).toMatchObject({
      text: "Be kind.",
      url: "cursor://anysphere.cursor-deeplink/rule?name=the-rule&text=Be%20kind.",
    });
    const messages = [
      { role: "system", content: "Be {{manner}}." },
      { type: "placeholder", name: "history" },
      { role: "user", content: "Hi" },
    ];
    await publish(alice, "the-chat", chat(...messages));
    const { json } = await open("the-chat", "chatgpt", { vars: '{"manner":"brief"}' });
    expect(json).toMatchObject({ text: "Be brief.\n\nHi", missing: ["history"] });
  });

  test.each([
    ["text", "PROMPT.md", "Hi"],
    ["command", "COMMAND.md", "Hi"],
    ["rule", "RULE.md", "Be kind."],
    ["agent", "AGENT.md", "---\nname: helper\ndescription: Helps\n---\nHelp."],
    ["skill", "SKILL.md", "---\nname: file-skill\ndescription: Helps\n---\nHelp."],
  ])("to VS Code leads a %s to a file that anybody can download", async (kind, path, content) => {
    await publish(alice, `file-${kind}`, { kind, files: [{ path, content }] });
    const { json } = await open(`file-${kind}`, "vscode", {}, server.nobody);
    expect(json.mode).toBe("install");
    const file = decodeURIComponent(json.url.split("?url=")[1]);
    expect((await fetch(file)).status).toBe(200);
  });

  test("gives way to the page and the whole text if it would be too long", async () => {
    const content = "é".repeat(2000);
    await publish(alice, "long", { files: filesOf(content) });
    expect((await open("long", "chatgpt")).json).toEqual({
      target: "chatgpt",
      mode: "copy",
      url: "https://chatgpt.com/",
      text: content,
      truncated: false,
      missing: [],
    });
  });

  test("is revalidated by its content, and is not withheld from whoever knows the file's digest", async () => {
    const { headers } = await open("greeting", "claude");
    const etag = headers.get("etag") ?? "";
    const again = (ifNoneMatch: string) =>
      bob.request("GET /prompts/alice/greeting/open-in/claude", {
        headers: { "if-none-match": ifNoneMatch },
      });
    expect((await again(etag)).status).toBe(304);
    const { headers: raw } = await bob.request("GET /prompts/alice/greeting/raw");
    expect((await again(raw.get("etag") ?? "")).json.missing).toEqual(["name", "what"]);
  });

  test("redirects to https, without an ETag, and nowhere else", async () => {
    const { status, headers } = await open("greeting", "claude", { redirect: "true" });
    expect(status).toBe(302);
    expect(headers.get("location")).toMatch(/^https:\/\/claude\.ai\/new\?q=Hello%20/);
    expect([headers.get("etag"), headers.get("cache-control")]).toEqual([null, "no-store"]);
    const refused = await open("greeting", "zed", { redirect: "true" });
    const { url } = (await open("greeting", "zed")).json;
    expect(codeOf(refused)).toEqual([422, "redirect_refused"]);
    expect(refused.json.error.details).toEqual([{ path: "url", code: "custom", message: url }]);
    expect((await open("greeting", "claude", { redirect: "false" })).status).toBe(200);
  });
});

describe("what cannot be opened", () => {
  test.each([
    ["greeting", "nothing", {}, 404, "not_found"],
    ["none", "claude", {}, 404, "not_found"],
    ["greeting", "claude", { version: "2" }, 404, "not_found"],
    ["greeting", "claude", { label: "none" }, 404, "not_found"],
    ["greeting", "claude", { version: "1", label: "latest" }, 422, "validation_failed"],
    ["greeting", "claude", { vars: "{" }, 422, "validation_failed"],
    ["greeting", "claude", { vars: "[]" }, 422, "validation_failed"],
    ["greeting", "claude", { vars: "null" }, 422, "validation_failed"],
    ["greeting", "claude", { vars: '{"name":"\\ud800"}' }, 422, "validation_failed"],
    ["greeting", "claude", { vars: `{"name":${"[".repeat(40)}${"]".repeat(40)}}` }, 422, "validation_failed"],
    ["greeting", "claude", { vars: `{"name":"${"x".repeat(8192)}"}` }, 422, "validation_failed"],
    ["greeting", "claude", { redirect: "yes" }, 422, "validation_failed"],
  ])("%s in %s with %o: %i %s", async (slug, target, query, ...refusal) => {
    expect(codeOf(await open(slug, target, query))).toEqual(refusal);
  });

  test("is a draft, and without a number what is yanked", async () => {
    await publish(alice, "draft", { publish: false });
    expect(codeOf(await open("draft", "claude", {}, alice))).toEqual([409, "prompt_not_published"]);
    await publish(alice, "yanked");
    await alice.request("POST /prompts/alice/yanked/versions/1/yank", { body: { reason: "Bad" } });
    expect(codeOf(await open("yanked", "claude"))).toEqual([404, "not_found"]);
    expect((await open("yanked", "claude", { version: "1" })).status).toBe(200);
  });

  test("is a kind that the tool does not take", async () => {
    await publish(alice, "another-chat", chat({ role: "user", content: "Hi" }));
    expect(codeOf(await open("another-chat", "vscode"))).toEqual([422, "format_not_supported"]);
  });

  test("is what others cannot read, and by tools that download it what is not public", async () => {
    for (const visibility of ["private", "unlisted"]) {
      await publish(alice, visibility, { visibility });
      expect((await open(visibility, "claude", {}, alice)).status).toBe(200);
      expect(codeOf(await open(visibility, "vscode", {}, alice))).toEqual([409, "prompt_not_public"]);
    }
    expect(codeOf(await open("private", "claude"))).toEqual([404, "not_found"]);
    expect(codeOf(await open("private", "vscode"))).toEqual([404, "not_found"]);
  });

  test("is a text that its values would make too large", async () => {
    await publish(alice, "bomb", { files: filesOf("{{a}}".repeat(50_000)) });
    const vars = JSON.stringify({ a: "x".repeat(8000) });
    expect(codeOf(await open("bomb", "claude", { vars }))).toEqual([413, "payload_too_large"]);
  });
});

test("each viewer counts as one open of a tool a day, and the owner as none", async () => {
  await server.setClock("2030-03-01T12:00:00Z");
  await publish(alice, "counted");
  for (const who of [alice, bob, bob, server.nobody]) await open("counted", "claude", {}, who);
  await open("counted", "zed", { redirect: "true" }, await server.join("carol"));
  await server.context.activity.flush();
  const rows = await server.sql`
    select key, opens from daily_figures f join prompts p on p.id = f.subject_id where slug = 'counted' and part = 'target'`;
  expect([...rows]).toEqual([{ key: "claude", opens: 2 }]);
});
