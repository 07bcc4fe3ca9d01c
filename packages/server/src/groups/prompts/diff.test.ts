import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { filesOf, moveLabel, publish } from "../../../test/prompts.ts";

let server: TestServer;
let alice: Person;

const png = { path: "dot.png", content: "iVBORw0KGgo=", encoding: "base64" };
const entry = (body: string, config = "model: m") => ({
  path: "PROMPT.md",
  content: `---\nconfig:\n  ${config}\n---\n${body}`,
});

beforeAll(async () => {
  server = await startTestServer();
  alice = await server.join("alice");
  await publish(alice, "reply", {
    files: [entry("Dear {{name}},\n\nBye\n"), { path: "notes/a b.md", content: "same" }, png],
  });
  await alice.request("POST /prompts/alice/reply/versions", {
    body: {
      files: [
        entry("Hello {{name}}, {{tone}}\n\nBye", "model: n"),
        { path: "notes/c.md", content: "same" },
        { path: "scripts/run", content: "#!/bin/sh\r\n", mode: "100755" },
      ],
      labels: ["staging"],
    },
  });
  await moveLabel(alice, "reply", "production");
});
afterAll(() => server.stop());

const diff = (range: string, query = "", headers: Record<string, string> = {}) =>
  server.anonymous(`GET /prompts/alice/reply/diff/${encodeURIComponent(range)}${query}`, { headers });
const pathsOf = ({ json }: Answer) => json.files.map(({ path }: { path: string }) => path);

describe("the difference of two versions", () => {
  test("has files, variables and settings", async () => {
    const { status, json } = await diff("1..2");
    const about = { binary: false, modeChanged: false, truncated: false, oldPath: null };
    expect(status).toBe(200);
    expect(json).toEqual({
      from: { n: 1 },
      to: { n: 2 },
      stats: { files: 4, additions: 4, deletions: 3 },
      files: [
        {
          ...about,
          path: "PROMPT.md",
          status: "modified",
          additions: 3,
          deletions: 3,
          hunks: [
            {
              oldStart: 1,
              oldLines: 7,
              newStart: 1,
              newLines: 7,
              lines: [
                { type: "context", text: "---" },
                { type: "context", text: "config:" },
                { type: "del", text: "  model: m" },
                { type: "add", text: "  model: n" },
                { type: "context", text: "---" },
                { type: "del", text: "Dear {{name}}," },
                { type: "add", text: "Hello {{name}}, {{tone}}" },
                { type: "context", text: "" },
                { type: "del", text: "Bye" },
                { type: "add", text: "Bye", noNewline: true },
              ],
            },
          ],
        },
        { ...about, path: "dot.png", status: "removed", binary: true, additions: 0, deletions: 0, hunks: [] },
        {
          ...about,
          path: "notes/c.md",
          oldPath: "notes/a b.md",
          status: "renamed",
          additions: 0,
          deletions: 0,
          hunks: [],
        },
        {
          ...about,
          path: "scripts/run",
          status: "added",
          additions: 1,
          deletions: 0,
          hunks: [
            {
              oldStart: 0,
              oldLines: 0,
              newStart: 1,
              newLines: 1,
              lines: [{ type: "add", text: "#!/bin/sh\r" }],
            },
          ],
        },
      ],
      variables: { added: ["tone"], removed: [], changed: [], breaking: true },
      config: { changed: ["model"] },
    });
  });

  test.for([
    ["production..latest", 1, 2],
    ["staging..1", 2, 1],
    ["2..production", 2, 1],
  ] as const)("can be asked for by number and label: %s", async ([range, from, to]) => {
    const { status, json } = await diff(range);
    expect([status, json.from, json.to]).toEqual([200, { n: from }, { n: to }]);
  });

  test("is empty between a version and itself", async () => {
    expect((await diff("2..staging")).json).toEqual({
      from: { n: 2 },
      to: { n: 2 },
      stats: { files: 0, additions: 0, deletions: 0 },
      files: [],
      variables: { added: [], removed: [], changed: [], breaking: false },
      config: { changed: [] },
    });
    expect((await diff("2..2", "", { accept: "text/x-diff" })).text).toBe("");
  });

  test("can be of one file, by its old or new path", async () => {
    expect(pathsOf(await diff("1..2", "?path=dot.png"))).toEqual(["dot.png"]);
    expect(pathsOf(await diff("1..2", "?path=notes/c.md"))).toEqual(["notes/c.md"]);
    expect(pathsOf(await diff("1..2", "?path=notes/a%20b.md"))).toEqual(["notes/c.md"]);
    const { json } = await diff("1..2", "?path=absent");
    expect([json.files, json.stats.files, json.variables.added]).toEqual([[], 0, ["tone"]]);
  });

  test("shows as many context lines as requested", async () => {
    const linesOf = async (query: string) => {
      const { json } = await diff("1..2", `?path=PROMPT.md${query}`);
      return json.files[0].hunks.map(({ lines }: { lines: object[] }) => lines.length);
    };
    expect(await linesOf("&context=0")).toEqual([2, 2, 2]);
    expect(await linesOf("&context=1")).toEqual([9]);
    expect(await linesOf("&context=20")).toEqual(await linesOf(""));
  });

  test("shows three context lines if none are requested", async () => {
    const text = (line: string) => filesOf(`${"before\n".repeat(9)}${line}\n${"after\n".repeat(9)}`);
    await publish(alice, "long", { files: text("one") });
    await alice.request("POST /prompts/alice/long/versions", { body: { files: text("two") } });
    const { json } = await alice.request("GET /prompts/alice/long/diff/1..2");
    expect(json.files[0].hunks[0].lines).toHaveLength(3 + 2 + 3);
  });

  test("is a patch if Accept names that type", async () => {
    const { status, headers, text } = await diff("1..2", "?context=0", { accept: "text/x-diff" });
    expect([status, headers.get("content-type")]).toEqual([200, "text/x-diff; charset=utf-8"]);
    expect(text).toBe(
      [
        "diff --git a/PROMPT.md b/PROMPT.md",
        "--- a/PROMPT.md",
        "+++ b/PROMPT.md",
        "@@ -3,1 +3,1 @@",
        "-  model: m",
        "+  model: n",
        "@@ -5,1 +5,1 @@",
        "-Dear {{name}},",
        "+Hello {{name}}, {{tone}}",
        "@@ -7,1 +7,1 @@",
        "-Bye",
        "+Bye",
        "\\ No newline at end of file",
        "diff --git a/dot.png b/dot.png",
        "deleted file mode 100644",
        "index 0dd1608e45a9c4d35bfc1e6f266a796364aa8754..0000000000000000000000000000000000000000",
        "GIT binary patch",
        "literal 0",
        "Hc$@<O00001",
        "",
        'diff --git "a/notes/a b.md" b/notes/c.md',
        "similarity index 100%",
        'rename from "notes/a b.md"',
        "rename to notes/c.md",
        "diff --git a/scripts/run b/scripts/run",
        "new file mode 100755",
        "--- /dev/null",
        "+++ b/scripts/run",
        "@@ -0,0 +1,1 @@",
        "+#!/bin/sh\r",
        "",
      ].join("\n"),
    );
  });

  test("has its own weak ETag for every pair, file, context and media type", async () => {
    const asked = [
      ["1..2", "", "application/json"],
      ["2..1", "", "application/json"],
      ["1..2", "?context=4", "application/json"],
      ["1..2", "?path=dot.png", "application/json"],
      ["1..2", "", "text/x-diff"],
    ] as const;
    const tags = await Promise.all(
      asked.map(async ([range, query, accept]) => (await diff(range, query, { accept })).headers.get("etag")),
    );
    expect(new Set(tags).size).toBe(tags.length);
    for (const tag of tags) expect(tag).toMatch(/^W\/"[\x21\x23-\x7e]+"$/);
    expect((await diff("1..2")).headers.get("etag")).toBe(tags[0]);
  });

  test("reads no file for a 304", async () => {
    const files = [entry("held")];
    await alice.request("POST /prompts", {
      body: { kind: "text", visibility: "public", slug: "held", title: "H", files },
    });
    await alice.request("POST /prompts/alice/held/versions", { body: { files: [entry("withheld")] } });
    const ask = (headers: Record<string, string> = {}) =>
      alice.request("GET /prompts/alice/held/diff/1..2", { headers });
    const etag = (await ask()).headers.get("etag") ?? "";
    await server.sql.begin(async (sql) => {
      // From now on, reading a file would wait until the response below has come.
      await sql`lock table blobs in access exclusive mode`;
      const held = await ask({ "if-none-match": etag });
      expect([held.status, held.text, held.headers.get("etag")]).toEqual([304, "", etag]);
    });
  });

  test.for(["1..3", "3..1", "nobody..1", "1..nobody"])(
    "is not found if one version is missing: %s",
    async (range) => {
      const answer = await diff(range);
      expect([answer.status, answer.json.error.code]).toEqual([404, "not_found"]);
      const missing = range.includes("3") ? "version 3" : "label nobody";
      expect(answer.json.error.message).toBe(`alice/reply has no ${missing}.`);
    },
  );

  test.for(["1", "1..", "..2", "1...2", "1..2..3", "0..1", "A..b", "1-2", "x".repeat(3000)])(
    "refuses %.20s, which is no range",
    async (range) => {
      const { status, json } = await diff(range);
      expect([status, json.error.code]).toEqual([422, "validation_failed"]);
      expect(json.error.details).toMatchObject([{ path: "/range", code: "invalid_format" }]);
      expect(json.error.message).toContain("such as 1..2 or production..latest");
    },
  );

  test("finds nothing at .. alone: in a URL it is the path above", async () => {
    for (const range of ["..", "%2E%2E"]) {
      const { status, json } = await server.anonymous(`GET /prompts/alice/reply/diff/${range}`);
      expect([status, json.error.code]).toEqual([404, "not_found"]);
    }
  });

  test.for(["?context=21", "?context=-1", "?context=03", "?context=1.5", "?context=", "?path=", "?path=%00"])(
    "refuses %s",
    async (query) => {
      const answer = await diff("1..2", query);
      expect([answer.status, answer.json.error.code]).toEqual([422, "validation_failed"]);
    },
  );

  test("works for yanked versions by number, but not for latest if all are yanked", async () => {
    await alice.request("POST /prompts", {
      body: { kind: "text", visibility: "public", slug: "yanked", title: "Y", files: [entry("1")] },
    });
    await alice.request("POST /prompts/alice/yanked/versions", { body: { files: [entry("2")] } });
    await server.sql`
      update versions set yanked_at = clock()
      where prompt_id = (select id from prompts where slug = 'yanked')`;
    await server.sql`update prompts set latest_version = null where slug = 'yanked'`;
    expect((await server.anonymous("GET /prompts/alice/yanked/diff/1..2")).status).toBe(200);
    const latest = await server.anonymous("GET /prompts/alice/yanked/diff/1..latest");
    expect([latest.status, latest.json.error.message]).toEqual([404, "alice/yanked has no latest version."]);
  });

  test("of a draft is not found, because it has no versions", async () => {
    const body = { kind: "text", slug: "draft", title: "D", publish: false, files: [entry("soon")] };
    await alice.request("POST /prompts", { body });
    const answer = await alice.request("GET /prompts/alice/draft/diff/1..latest");
    expect([answer.status, answer.json.error.message]).toEqual([404, "alice/draft has no version 1."]);
  });
});
