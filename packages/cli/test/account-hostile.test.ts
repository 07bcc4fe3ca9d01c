import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";
import { pax, tarEnd, type TarEntry, tarOf } from "../../core/src/archives/testing/tar.ts";
import { at, collectionEntry, end, file, head, promptOf, record, version } from "./account-entries.ts";
import { refusal, startRegistry } from "./registry.ts";

// It answers who is asking, and refuses everything else: what is wrong is found before anything is sent.
const registry = await startRegistry();
const root = await mkdtemp(join(tmpdir(), "promptreg-hostile-"));
// Other tests import at the same time.
const temporary = await mkdtemp(join(root, "tmp-"));
vi.stubEnv("TMPDIR", temporary);
vi.stubEnv("TEMP", temporary);
afterAll(async () => {
  vi.unstubAllEnvs();
  await registry.close();
  await rm(root, { recursive: true });
});
beforeEach(() => {
  registry.reset();
  registry.answer("GET /me", {
    json: { handle: "eve", name: null, bio: null, website: null, token: { scopes: ["read", "write"] } },
  });
});

const archives: [what: string, entries: TarEntry[], message: string | RegExp][] = [
  [
    "a path that leads out",
    [head(), file("prompts/x/versions/1/../../../../evil", "x")],
    /"prompts\/x\/versions\/1\/.*evil" has a \. or \.\. segment/,
  ],
  ["a path of the system", [head(), file("/etc/passwd", "x")], '"/etc/passwd" is no part of an export'],
  ["a path below nothing", [head(), file("../x", "x")], '"../x" is no part of an export'],
  [
    "a link",
    [head(), { name: "prompts/x/record.json", type: "2" }],
    '"prompts/x/record.json" is no ordinary file',
  ],
  [
    "a hard link",
    [head(), { name: "makes/x/make.json", type: "1" }],
    '"makes/x/make.json" is no ordinary file',
  ],
  ["a device", [head(), { name: "makes/x/make.json", type: "3" }], "is no ordinary file"],
  [
    "control characters in a name",
    [head(), file("makes/x/a\u001b[2Jb", "x")],
    String.raw`"makes/x/a\u001b[2Jb" holds a control character`,
  ],
  [
    "a name that turns the text",
    [head(), pax({ path: "makes/x/a\u202eb" }), file("y", "x")],
    "holds a character that nobody sees",
  ],
  ["something else", [file("README.md", "x")], '"README.md" is no part of an export of an account'],
  ["another first file", [file("series.json", "[]")], "does not begin with promptreg-account.json"],
  ["JSON that is none", [file("promptreg-account.json", "{")], "promptreg-account.json is not valid JSON"],
  [
    "JSON of the wrong shape",
    [file("promptreg-account.json", [])],
    "promptreg-account.json has another form",
  ],
  ["a newer format", [head({ formatVersion: 2 })], "has version 2 of its format"],
  ["a manifest of another owner", [head(), ...promptOf("bob/x")], 'prompts/x/promptreg.json names "bob/x"'],
  ["a manifest of another prompt", [head(), ...promptOf("ada/y")], 'names "ada/y"'],
  ["no manifest", [head(), file("prompts/x/record.json", record()), end], '"promptreg.json" is missing'],
  [
    "other files than the hash says",
    [head(), ...promptOf("ada/x", { versions: [version] }), file("prompts/x/versions/1/PROMPT.md", "x"), end],
    "prompts/x/versions/1/ has other files",
  ],
  [
    "a version that is missing",
    [head(), ...promptOf("ada/x", { versions: [version] }), end],
    "has 0 of the 1 versions",
  ],
  [
    "versions with a gap",
    [head(), ...promptOf(), file("prompts/x/versions/2/PROMPT.md", "x")],
    "stands at another place",
  ],
  [
    "a version of another prompt",
    [head(), ...promptOf(), file("prompts/y/versions/1/PROMPT.md", "x")],
    "stands at another place",
  ],
  [
    "a prompt twice",
    [head(), ...promptOf(), file("prompts/y/record.json"), ...promptOf()],
    /prompts\/y\/|stands at another place/,
  ],
  ["a file twice", [head(), file("prompts/x/record.json"), file("prompts/x/record.json")], "is there twice"],
  [
    "a file that is a folder",
    [head(), file("makes/x/a", "x"), file("makes/x/a/b", "x")],
    '"makes/x/a/b" is there twice, or is a file and a folder',
  ],
  [
    "two names of one file",
    [head(), file("makes/x/a", "x"), file("makes/x/A", "x"), end],
    "where case or joiners do not count",
  ],
  [
    "a file that says it has 10 GB",
    [head(), { name: "comments.jsonl", size: "77777777777" }],
    '"comments.jsonl" is larger than it may be',
  ],
  [
    "a cover that is elsewhere",
    [
      head(),
      file("collections/1/collection.json", {
        id: "col_1",
        title: "T",
        description: null,
        visibility: "private",
        cover: "../../../../etc/passwd",
        createdAt: at,
        updatedAt: at,
        items: [],
      }),
      end,
    ],
    "is missing in the archive",
  ],
  [
    "a picture that is elsewhere",
    [
      head(),
      file("makes/x/record.json", { ...record(), remixOf: null, status: "draft" }),
      file("makes/x/make.json", { slug: "x", title: "X", gallery: [{ path: "../../a.png" }] }),
      end,
    ],
    "must be a path below the folder",
  ],
  [
    "a post with a picture that is elsewhere",
    [
      head(),
      file("posts/x/record.json", { ...record(), status: "draft" }),
      file("posts/x/post.md", "---\ntitle: X\nslug: x\n---\n![a](../../../a.png)\n"),
      end,
    ],
    "must be a path below the folder",
  ],
  [
    "a name of a megabyte",
    [head(), pax({ path: `prompts/${"a-".repeat(400_000)}a/record.json` }), file("y", "x")],
    "is no part of an export",
  ],
  [
    "JSON that is longer than any",
    [head(), { name: "makes/x/record.json", content: Buffer.alloc(9 * 1024 * 1024, " ") }, end],
    "makes/x/record.json is larger than 8 MiB",
  ],
  [
    "JSON that nobody could read to its end",
    [head(), { name: "series.json", content: Buffer.alloc(7 * 1024 * 1024, "[") }, end],
    "series.json has more values, or deeper ones",
  ],
  [
    "an item that is at no address",
    [
      head(),
      file("collections/1/collection.json", {
        id: "col_1",
        title: "T",
        description: null,
        visibility: "private",
        cover: null,
        createdAt: at,
        updatedAt: at,
        items: [{ type: "make", id: "..", note: null }],
      }),
      end,
    ],
    "collections/1/collection.json has another form",
  ],
  [
    "a line that is no comment",
    [head(), file("comments.jsonl", "{}\n"), end],
    "Line 1 of comments.jsonl has another form",
  ],
  [
    "a draft that its record has not",
    [head(), ...promptOf(), file("prompts/x/draft/PROMPT.md", "x"), end],
    "prompts/x/draft/ is not in the record.json of its prompt.",
  ],
  [
    "a version that its record has not",
    [head(), ...promptOf(), file("prompts/x/versions/1/PROMPT.md", "x"), end],
    "prompts/x/versions/1/ is not in the record.json of its prompt.",
  ],
  [
    "a post of another name",
    [
      head(),
      file("posts/x/record.json", { ...record(), status: "draft" }),
      file("posts/x/post.md", "---\ntitle: X\nslug: y\n---\nX\n"),
      end,
    ],
    "posts/x/post.md names another slug than its folder.",
  ],
  [
    "a published text that is none",
    [
      head(),
      file("posts/x/record.json", { ...record(), status: "draft" }),
      file("posts/x/post.md", "---\ntitle: X\nslug: x\n---\nX\n"),
      file("posts/x/published.md", "X\n"),
      end,
    ],
    "posts/x/published.md",
  ],
  [
    "a make of another name",
    [
      head(),
      file("makes/x/record.json", { ...record(), remixOf: null, status: "draft" }),
      file("makes/x/make.json", { slug: "y", title: "Y" }),
      end,
    ],
    "makes/x/make.json names another slug than its folder.",
  ],
  [
    "a line that is no UTF-8",
    [head(), { name: "stars.jsonl", content: Buffer.from([0xff, 10]) }, end],
    "stars.jsonl is not UTF-8.",
  ],
  [
    "a last line without an end that is no watch",
    [head(), file("watches.jsonl", "{}"), end],
    "Line 1 of watches.jsonl has another form",
  ],
  [
    "collections that no account can have",
    [head(), ...Array.from({ length: 201 }, (_, nth) => collectionEntry(nth + 1)), end],
    "has more than 200 collections, which no account can have.",
  ],
  [
    "as many collections as an account can have, and no end",
    [head(), ...Array.from({ length: 200 }, (_, nth) => collectionEntry(nth + 1))],
    "is not whole",
  ],
  ["no end", [head(), file("series.json", "[]")], "is not whole"],
];

const importOf = async (bytes: Uint8Array) => {
  const name = join(root, "hostile.tar.gz");
  await writeFile(name, bytes);
  const done = await registry.cli(["account", "import", name, "--yes"]);
  // Nothing stays, and nothing was sent.
  expect(tmpdir()).toBe(temporary);
  expect(await readdir(temporary)).toEqual([]);
  expect(registry.seen.map(({ method, path }) => `${method} ${path}`)).toEqual(["GET /me"]);
  return done;
};

describe("account import refuses an archive with", () => {
  test.each(archives)("%s", async (_, entries, message) => {
    const { exitCode, stderr } = await importOf(gzipSync(Buffer.concat([tarOf(...entries), tarEnd])));
    expect(stderr).toMatch(
      message instanceof RegExp
        ? message
        : expect.stringContaining(message) && new RegExp(message.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")),
    );
    expect(exitCode).toBe(6);
    expect(stderr).not.toContain("\u001b");
  });

  test("a hundred thousand files, of which it unpacks no more than may be", { tags: "long" }, async () => {
    const many = Array.from({ length: 100_000 }, (_, nth) => file(`makes/x/${nth}`));
    const { exitCode, stderr } = await importOf(gzipSync(Buffer.concat([tarOf(head(), ...many), tarEnd])));
    expect(stderr).toContain('"makes/x/500" is one file too many. There may be 500.');
    expect(exitCode).toBe(6);
  });

  test("zeros without end", { tags: "long" }, async () => {
    const zeros: TarEntry = { name: "comments.jsonl", content: Buffer.alloc(40 * 1024 * 1024) };
    const { exitCode, stderr } = await importOf(gzipSync(Buffer.concat([tarOf(head(), zeros, end), tarEnd])));
    expect(stderr).toContain("comments.jsonl has a line of over 2 MiB");
    expect(exitCode).toBe(6);
  });

  test("less than it had", async () => {
    const whole = gzipSync(Buffer.concat([tarOf(head(), ...promptOf(), end), tarEnd]));
    const { exitCode, stderr } = await importOf(whole.subarray(0, whole.length - 20));
    expect(stderr).toContain("It is no tar.gz that can be read: unexpected end of file");
    expect(exitCode).toBe(6);
  });

  test("no file", async () => {
    const { exitCode, stderr } = await registry.cli(["account", "import", root]);
    expect(stderr).toContain("is no file. Name the archive itself.");
    expect(exitCode).toBe(6);
  });

  test("nothing of an archive", async () => {
    expect(await importOf(Buffer.from("Hello"))).toMatchObject({
      exitCode: 6,
      stderr: expect.stringContaining("is no archive (tar.gz)"),
    });
  });
});

test("an import ends where the registry fails, and goes on when it runs again", async () => {
  const name = join(root, "fails.tar.gz");
  const account = { handle: "ada", name: "Ada", bio: null, website: null };
  await writeFile(name, gzipSync(Buffer.concat([tarOf(head({ account }), end), tarEnd])));
  const bring = () => registry.cli(["account", "import", name, "--publish", "--yes", "--json"]);
  registry.answer("PATCH /me", refusal(500, "internal"));
  expect(await bring()).toMatchObject({
    exitCode: expect.not.toBeOneOf([0, 5]),
    stdout: expect.stringContaining(`"leftOut": []`),
    stderr: expect.stringContaining("Run it again to go on."),
  });
  registry.answer("PATCH /me", { json: {} });
  expect(await bring()).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("profiles") });
});

test("an import leaves out what is refused and goes on, unless all that follows would be refused", async () => {
  const name = join(root, "refused.tar.gz");
  const series = (slug: string) => ({ id: `ser_${slug}`, slug, title: slug, description: null, posts: [] });
  const entries = [head(), file("series.json", [series("a"), series("b")]), end];
  await writeFile(name, gzipSync(Buffer.concat([tarOf(...entries), tarEnd])));
  registry.answer("GET /posts/series?limit=100", { json: { items: [], nextCursor: null } });
  registry.answer("GET /posts/series/ser_b", { json: { ...series("b"), posts: [] } });
  const bring = (answer: object) => {
    registry.seen.length = 0;
    registry.answer("POST /posts/series", ({ body }) =>
      (body as { slug: string }).slug === "a" ? answer : { json: series("b"), status: 201 },
    );
    return registry.cli(["account", "import", name, "--json"]);
  };
  const created = () => registry.seen.filter(({ method }) => method === "POST").length;
  const brought = { series: { created: 1, there: 0, opened: 0 } };

  const wrong = await bring(
    refusal(422, "validation_failed", [{ path: "/title", code: "c", message: "too long" }]),
  );
  expect([wrong.exitCode, JSON.parse(wrong.stdout), created()]).toEqual([
    0,
    {
      file: name,
      dryRun: false,
      things: brought,
      leftOut: [{ what: "the series a", why: "Refused with validation_failed (too long)" }],
    },
    2,
  ]);
  const taken = await bring(refusal(409, "slug_taken"));
  expect([taken.exitCode, JSON.parse(taken.stdout).leftOut, created()]).toEqual([
    5,
    [{ what: "the series a", why: "Refused with slug_taken" }],
    2,
  ]);
  for (const [status, code, exitCode] of [
    [401, "invalid_token", 3],
    [403, "token_scope", 3],
    [403, "account_suspended", 3],
  ] as const) {
    const ended = await bring(refusal(status, code));
    expect([code, ended.exitCode, created()]).toEqual([code, exitCode, expect.any(Number)]);
    expect(registry.seen.some(({ body }) => (body as { slug?: string } | undefined)?.slug === "b")).toBe(
      false,
    );
    expect(ended.stderr).toContain("Run it again to go on.");
  }
});

test("an import of what does not exist, and an export to standard output, are refused with what to do", async () => {
  const missing = join(root, "nofile.gz");
  const { exitCode, stderr } = await registry.cli(["account", "import", missing]);
  expect([exitCode, stderr]).toEqual([6, `error: ${missing} does not exist.\n`]);
  expect(await registry.cli(["account", "export", "-"])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("Name a file, such as ada.tar.gz."),
  });
});

describe("account import --publish", () => {
  const comment = {
    id: "cmt_1",
    target: { type: "prompt", id: "ada/x" },
    parentId: null,
    body: "Hi",
    status: "visible",
    createdAt: at,
    editedAt: null,
  };
  const bio = { account: { handle: "ada", name: null, bio: "B", website: null } };
  const many = (count: number) => Array.from({ length: count }, (_, nth) => collectionEntry(nth + 1));
  const named = Array.from({ length: 20 }, (_, nth) => `T${nth + 1}`).join(", ");
  const becomes = "Becomes readable to others, unless it is already:";

  test.each([
    ["nothing for nothing", [head(), collectionEntry(1, { visibility: "private" }), end], undefined, ""],
    [
      "twenty by their names",
      [head(), ...many(20), end],
      "Make 20 collections readable to others?",
      `${becomes} 20 collections: ${named}.\n`,
    ],
    [
      "of more, how many there are",
      [head(), ...many(21), end],
      "Make 21 collections readable to others?",
      `${becomes} 21 collections: ${named} and 1 more.\n`,
    ],
    [
      "what comments are on",
      [head(), file("comments.jsonl", `${JSON.stringify(comment)}\n`), end],
      "Make 1 comment readable to others?",
      "Among it: 1 comment, which may mention others.\n",
    ],
    [
      "the profile",
      [head(bio), end],
      "Make the profile readable to others?",
      "The profile of ada fills what yours does not say.\n",
    ],
  ])("asks about %s", async (_, entries, question, said) => {
    const name = join(root, "publish.tar.gz");
    await writeFile(name, gzipSync(Buffer.concat([tarOf(...entries), tarEnd])));
    const bring = (...options: string[]) =>
      registry.cli(["account", "import", name, "--publish", ...options], { answers: [false] });
    const done = await bring();
    expect(done.asked).toEqual(question === undefined ? [] : [question]);
    expect(done.stderr.startsWith(said)).toBe(true);
    if (question !== undefined) expect([done.exitCode, registry.seen.length]).toEqual([130, 1]);
    const dry = await bring("--dry-run");
    expect(dry.asked).toEqual([]);
    expect(dry.stderr.startsWith(said)).toBe(true);
  });
});
