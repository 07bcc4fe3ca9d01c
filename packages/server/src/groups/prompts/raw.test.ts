import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { filesOf, moveLabel, publish } from "../../../test/prompts.ts";

let server: TestServer;
let alice: Person;

beforeAll(async () => {
  server = await startTestServer();
  alice = await server.join("alice");
  const files = (text: string) => [
    { path: "PROMPT.md", content: text },
    { path: "docs/größe & so.md", content: "<script>alert(1)</script>" },
    { path: "dot.png", content: "iVBORw0KGgo=", encoding: "base64" },
  ];
  await publish(alice, "hello", { files: files("Hello {{name}}\r\n") });
  await alice.request("POST /prompts/alice/hello/versions", {
    body: { files: files("Hi {{name}}"), labels: ["staging"] },
  });
  await moveLabel(alice, "hello", "production");
});
afterAll(() => server.stop());

const raw = (query = "", headers: Record<string, string> = {}) =>
  server.anonymous(`GET /prompts/alice/hello/raw${query}`, { headers });

describe("the raw text", () => {
  test.for([
    ["", "Hi {{name}}"],
    ["?version=1", "Hello {{name}}\r\n"],
    ["?label=production", "Hello {{name}}\r\n"],
    ["?label=staging", "Hi {{name}}"],
    ["?label=latest", "Hi {{name}}"],
    ["?path=PROMPT.md&version=1", "Hello {{name}}\r\n"],
    ["?utm_source=letter", "Hi {{name}}"],
  ])("of /raw%s is %j", async ([query, text]) => {
    const answer = await raw(query);
    expect([answer.status, answer.text]).toEqual([200, text]);
  });

  test("is plain text for a browser, whatever it contains", async () => {
    const answer = await raw(`?path=${encodeURIComponent("docs/größe & so.md")}`);
    expect(answer.text).toBe("<script>alert(1)</script>");
    expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("is cached for a year only if its version is pinned", async () => {
    expect((await raw("?version=1")).headers.get("cache-control")).toContain("immutable");
    for (const query of ["", "?label=production"]) {
      expect((await raw(query)).headers.get("cache-control")).toBe("public, max-age=0, must-revalidate");
    }
  });

  test.for([
    ["public", "public, max-age=31536000, s-maxage=60, immutable"],
    ["unlisted", "private, max-age=31536000, immutable"],
    ["private", "private, max-age=31536000, immutable"],
  ])("of a pinned version of what is %s is kept as `%s`, and so is its 304", async ([visibility, rule]) => {
    const slug = `kept-${visibility}`;
    await publish(alice, slug, { visibility });
    for (const path of ["raw?version=1", "raw/PROMPT.md?version=1", "versions/1"]) {
      const first = await alice.request(`GET /prompts/alice/${slug}/${path}`);
      const held = { "if-none-match": first.headers.get("etag") ?? "" };
      const again = await alice.request(`GET /prompts/alice/${slug}/${path}`, { headers: held });
      const rules = [first, again].map(({ status, headers }) => [status, headers.get("cache-control")]);
      expect([path, rules]).toEqual([
        path,
        [
          [200, rule],
          [304, rule],
        ],
      ]);
    }
  });

  test("has an ETag of its bytes: the same text has the same ETag at every address", async () => {
    const etag = (await raw("?version=1")).headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[0-9a-f]{64}"$/);
    const again = await raw("?label=production", { "if-none-match": etag });
    expect([again.status, again.text]).toEqual([304, ""]);
    expect((await raw("", { "if-none-match": etag })).status).toBe(200);
  });

  test("of a binary file is refused", async () => {
    const answer = await raw("?path=dot.png");
    expect([answer.status, answer.json.error.code]).toEqual([415, "not_text"]);
    expect(answer.json.error.message).toContain("dot.png");
  });

  test.for(["?version=3", "?version=0", "?label=nobody", "?path=absent.md", "?path=prompt.md", "?path=docs"])(
    "of something that does not exist (%s) is not found",
    async (query) => {
      const answer = await raw(query);
      // An impossible number is a validation error instead.
      const expected = query === "?version=0" ? [422, "validation_failed"] : [404, "not_found"];
      expect([answer.status, answer.json.error.code]).toEqual(expected);
    },
  );

  test.for([
    "?version=1&label=production",
    "?version=1&version=2",
    "?path=a&path=b",
    "?path=",
    "?path=%00",
    `?path=${"x".repeat(256)}`,
    "?label=Production",
    "?version=1e1",
    "?download=1",
  ])("refuses the query %s", async (query) => {
    const answer = await raw(query);
    expect([answer.status, answer.json.error.code]).toEqual([422, "validation_failed"]);
  });

  test("is never of a file outside its version", async () => {
    for (const path of ["../hello/PROMPT.md", "/etc/passwd", "..%2f..%2fPROMPT.md", "%"]) {
      expect((await raw(`?path=${encodeURIComponent(path)}`)).status).toBe(404);
    }
  });

  test("of a draft is a conflict for its owner, who can see that there is no version", async () => {
    await publish(alice, "draft", { publish: false });
    const answer = await alice.request("GET /prompts/alice/draft/raw");
    expect([answer.status, answer.json.error.code]).toEqual([409, "prompt_not_published"]);
  });

  test("is served for a yanked version if it is pinned, and not found without a pin if all are yanked", async () => {
    const { id } = await publish(alice, "yanked", { files: filesOf("regretted") });
    await server.sql`update versions set yanked_at = clock() where prompt_id = ${id}`;
    await server.sql`update prompts set latest_version = null where id = ${id}`;
    expect((await server.anonymous("GET /prompts/alice/yanked/raw?version=1")).text).toBe("regretted");
    expect((await server.anonymous("GET /prompts/alice/yanked/raw")).status).toBe(404);
    expect((await server.anonymous("GET /prompts/alice/yanked/raw?label=latest")).status).toBe(404);
  });

  test("has a HEAD", async () => {
    const answer = await server.anonymous("HEAD /prompts/alice/hello/raw");
    expect([answer.status, answer.text]).toEqual([200, ""]);
    expect(answer.headers.get("etag")).toBe((await raw()).headers.get("etag"));
  });
});

const rawFile = (path: string, headers: Record<string, string> = {}) =>
  server.anonymous(`GET /prompts/alice/hello/raw/${path}`, { headers });

describe("the raw text at an address with the file's path", () => {
  const doc = "docs/größe & so.md";

  test("is the same as with the path in the query, also its ETag and caching", async () => {
    for (const query of ["", "version=1", "label=production"]) {
      const one = await rawFile(`${doc.split("/").map(encodeURIComponent).join("/")}?${query}`);
      const other = await raw(`?path=${encodeURIComponent(doc)}&${query}`);
      expect([one.status, one.text]).toEqual([200, other.text]);
      for (const name of ["etag", "cache-control", "content-type", "x-content-type-options"]) {
        expect([name, one.headers.get(name)]).toEqual([name, other.headers.get(name)]);
      }
    }
  });

  test("is of the requested version, and plain text for a browser", async () => {
    const [newest, first] = [await rawFile("PROMPT.md"), await rawFile("PROMPT.md?version=1")];
    expect([newest.text, first.text]).toEqual(["Hi {{name}}", "Hello {{name}}\r\n"]);
    expect(first.headers.get("cache-control")).toContain("immutable");
    expect(first.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(first.headers.get("x-content-type-options")).toBe("nosniff");
    const held = await rawFile("PROMPT.md", { "if-none-match": newest.headers.get("etag") ?? "" });
    expect([held.status, held.text]).toEqual([304, ""]);
  });

  test("is found if a client encodes the path's slashes", async () => {
    expect((await rawFile(encodeURIComponent(doc))).status).toBe(200);
  });

  test("of a binary file is refused", async () => {
    const answer = await rawFile("dot.png");
    expect([answer.status, answer.json.error.code]).toEqual([415, "not_text"]);
  });

  test.for([
    "",
    "docs",
    "docs/",
    "/PROMPT.md",
    "docs//PROMPT.md",
    "docs/absent.md",
    "..%2fPROMPT.md",
    "docs%2f..%2fPROMPT.md",
    "%2fetc%2fpasswd",
    "%2e%2e%5cPROMPT.md",
    "PROMPT.md%00",
    "%00",
    "%ff",
    "%",
    "PROMPT.md%ed%a0%80",
    "x".repeat(300),
    "é".repeat(150),
    `${"a/".repeat(120)}b`,
  ])("is not found at %j", async (path) => {
    const answer = await rawFile(path);
    expect([answer.status, answer.json.error.code]).toEqual([404, "not_found"]);
  });

  test.for(["?path=PROMPT.md", "?version=1&label=production", "?version=0"])(
    "refuses the query %s",
    async (query) => {
      const answer = await rawFile(`PROMPT.md${query}`);
      expect([answer.status, answer.json.error.code]).toEqual([422, "validation_failed"]);
    },
  );

  test("of a draft is a conflict for its owner", async () => {
    const answer = await alice.request("GET /prompts/alice/draft/raw/PROMPT.md");
    expect([answer.status, answer.json.error.code]).toEqual([409, "prompt_not_published"]);
  });
});
