import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type ComparableFile, diffFiles, findChangedFiles } from "@promptreg/core/content";
import { checkFiles } from "@promptreg/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isThorough } from "../../../../core/src/testing/growth.ts";
import { base85Lines } from "./base85.ts";
import { printPatch } from "./patch.ts";

/** A version as a test writes it: content by path, with `*` in front of an executable one. */
type Files = Record<string, string | Uint8Array>;
interface Stored extends ComparableFile {
  bytes: Buffer;
}

const isBinary = (bytes: Buffer) => bytes.includes(0) || !Buffer.from(bytes.toString()).equals(bytes);
const stored = (files: Files): Stored[] =>
  Object.entries(files).map(([name, content]) => {
    const bytes = Buffer.from(content);
    return {
      path: name.replace(/^\*/, ""),
      mode: name.startsWith("*") ? "100755" : "100644",
      sha256: createHash("sha256").update(bytes).digest("hex"),
      encoding: isBinary(bytes) ? "base64" : "utf8",
      bytes,
    };
  });

async function patchOf(before: Stored[], after: Stored[], context = 3): Promise<string> {
  const all = [...before, ...after];
  const bytes = new Map(all.map((file) => [file.sha256, file.bytes]));
  const texts = new Map(
    all.filter((file) => file.encoding === "utf8").map((file) => [file.sha256, file.bytes.toString()]),
  );
  const changed = findChangedFiles(before, after);
  const { files } = await diffFiles(changed, { texts, context });
  return printPatch(changed, files, { texts, bytes });
}

/** The content of a folder, in the form of these tests. */
const contentsOf = (folder: string): Files =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const place = join(entry.parentPath, entry.name);
        const path = place.slice(folder.length + 1);
        const isExecutable = (statSync(place).mode & 0o100) !== 0;
        return [(isExecutable ? "*" : "") + path, readFileSync(place).toString("latin1")];
      }),
  );

/** Applies the patch to the old files with Git, in a folder that is no repository, and gives the new files. */
async function applied(before: Files, after: Files, { context = 3, args = [] as string[] } = {}) {
  const patch = await patchOf(stored(before), stored(after), context);
  const folder = mkdtempSync(join(tmpdir(), "promptreg-patch-"));
  try {
    for (const { path, mode, bytes } of stored(before)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), bytes);
      chmodSync(join(folder, path), Number.parseInt(mode.slice(-3), 8));
    }
    const env = {
      ...process.env,
      GIT_CEILING_DIRECTORIES: tmpdir(),
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_CONFIG_NOSYSTEM: "1",
    };
    if (patch !== "")
      execFileSync("git", ["apply", ...args], { cwd: folder, input: patch, env, stdio: "pipe" });
    return contentsOf(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const asRead = (files: Files): Files =>
  Object.fromEntries(
    Object.entries(files).map(([path, content]) => [path, Buffer.from(content).toString("latin1")]),
  );

const numbered = (count: number, change: (n: number) => string = String) =>
  Array.from({ length: count }, (_, n) => `${change(n)}\n`).join("");
const noise = (length: number) =>
  Buffer.from(Array.from({ length }, (_, n) => createHash("sha256").update(`${n}`).digest()[0] ?? 0));

describe("git apply makes the new files from the old ones and the patch:", () => {
  test.each<[string, Files, Files]>([
    ["added", { a: "1\n" }, { a: "1\n", "b/c/d": "2\n" }],
    ["removed", { a: "1\n", "b/c": "2\n" }, { a: "1\n" }],
    ["modified in places", { a: numbered(99) }, { a: numbered(99, (n) => (n % 30 ? `${n}` : "x")) }],
    ["renamed", { a: "1\n", b: "2\n" }, { a: "1\n", "c/d": "2\n" }],
    ["renamed and made executable", { "scripts/a": "1\n" }, { "*scripts/b": "1\n" }],
    ["made executable", { a: "1\n" }, { "*a": "1\n" }],
    ["modified and no longer executable", { "*a": "1\n" }, { a: "2\n" }],
    ["added executable, with and without content", {}, { "*a": "", "*b": "#!/bin/sh\n" }],
    ["without a line feed at the end, old", { a: "1\n2" }, { a: "1\n2\n" }],
    ["without a line feed at the end, new", { a: "1\n2\n" }, { a: "1\n2" }],
    ["without a line feed at the end, both", { a: "1\n2" }, { a: "x\n2" }],
    ["without a line feed at all", { a: "1" }, { a: "2" }],
    ["with CRLF, old and new", { a: "1\r\n2\r\n3\r\n" }, { a: "1\r\n2\r\n4\r\n" }],
    ["with CRLF instead of LF", { a: "1\n2\n" }, { a: "1\r\n2\r\n" }],
    ["with lone carriage returns", { a: "1\r2\n3" }, { a: "1\r2\r\n3\r" }],
    ["with trailing spaces and a byte order mark", { a: "1\n" }, { a: "\ufeff1 \t\n\n \n\n" }],
    ["empty, added", {}, { a: "" }],
    ["empty, removed", { a: "" }, {}],
    ["empty, renamed", { a: "" }, { b: "" }],
    ["emptied", { a: "1\n" }, { a: "" }],
    ["filled", { a: "" }, { a: "1\n" }],
    ["binary, added", {}, { a: noise(1000) }],
    ["binary, removed", { a: noise(1000) }, {}],
    ["binary, modified", { a: noise(1000) }, { a: noise(999) }],
    ["binary, renamed", { a: noise(100) }, { "b c": noise(100) }],
    ["binary, made executable and modified", { a: noise(10) }, { "*a": noise(11) }],
    ["binary, emptied", { a: noise(10) }, { a: "" }],
    ["binary instead of text", { a: "1\n" }, { a: noise(53) }],
    ["text instead of binary", { a: noise(52) }, { a: "1\n" }],
    ["binary and large", { a: "" }, { a: noise(300_000) }],
    ["with spaces in the path", { "a b": "1\n", "c d": "2", "e f": "" }, { "a b": "2\n", " g h": "2" }],
    ["with a path that looks like two paths", { "x b/x": "" }, { "*x b/x": "" }],
    [
      "with UTF-8 in path and text",
      { "größe/日本 語.md": "ä\n" },
      { "größe/日本 語.md": "ä\n🌍\n", "é.md": "" },
    ],
    [
      "with lines that look like a patch",
      { a: "-- a\n++ b\n" },
      { a: "++ b\ndiff --git a/x b/x\n@@ -1 +1 @@\n" },
    ],
    ["a folder where a file was", { a: "1\n", c: "2\n" }, { "a/b": "1\n", "c/d": "3\n" }],
    ["a file where a folder was", { "a/b": "1\n", "c/d": "2\n" }, { a: "1\n", c: "3\n" }],
    ["too long to compare", { a: numbered(5001) }, { a: `x\n${numbered(5001)}y` }],
    ["too long to compare, added and removed", { a: numbered(5001) }, { b: numbered(5001, (n) => `${n}!`) }],
    ["over the whole budget", many("old"), many("new")],
  ])("%s", async (_what, before, after) => {
    expect(await applied(before, after)).toEqual(asRead(after));
    expect(await applied(after, before)).toEqual(asRead(before));
  });

  test("any two versions", async () => {
    await fc.assert(
      fc.asyncProperty(pairs, fc.integer({ min: 1, max: 5 }), async ([before, after], context) => {
        expect(await applied(before, after, { context })).toEqual(asRead(after));
      }),
      { numRuns: isThorough ? 600 : 20 },
    );
  });

  test("without context lines, with the option for that", async () => {
    await fc.assert(
      fc.asyncProperty(pairs, async ([before, after]) => {
        const args = ["--unidiff-zero"];
        expect(await applied(before, after, { context: 0, args })).toEqual(asRead(after));
      }),
      { numRuns: isThorough ? 250 : 10 },
    );
  });
});

function many(what: string): Files {
  return Object.fromEntries(
    ["a", "b", "c", "d", "e", "f"].map((path) => [path, numbered(4000, (n) => (n === 7 ? what : `${n}`))]),
  );
}

const texts = fc
  .array(fc.constantFrom("a\n", "b\n", "c\r\n", "\n", "ä 🌍\n", "\r", "\\ No newline\n", "d"), {
    maxLength: 25,
  })
  .map((lines) => lines.join(""));
const contents = fc.oneof(
  { weight: 4, arbitrary: texts },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from([0, ...bytes])) },
);
const names = fc.constantFrom(
  "a",
  "b",
  "a/b",
  "a/b/c",
  "b/c",
  "c d",
  "größe",
  "c d/e",
  "scripts/run",
  "x b/x",
);
/** A version whose paths do not conflict. */
const versions = fc
  .uniqueArray(fc.tuple(names, contents, fc.boolean()), { selector: ([name]) => name, maxLength: 5 })
  .map((files) =>
    files.filter(([name]) => files.every(([other]) => other === name || !other.startsWith(`${name}/`))),
  );
const asFiles = (version: [string, string | Uint8Array, boolean][]): Files =>
  Object.fromEntries(
    version.map(([name, content, isExecutable]) => [(isExecutable ? "*" : "") + name, content]),
  );
/** Two versions, the second often with much of the first under the same or other names. */
const pairs = fc
  .tuple(versions, versions, fc.array(fc.nat(), { maxLength: 5 }))
  .map(([before, after, kept]): [Files, Files] => {
    const mixed = after.map(([name, content, mode], index): [string, string | Uint8Array, boolean] => {
      const source = before[(kept[index] ?? 99) % 7];
      return [name, source && index % 2 === 0 ? source[1] : content, mode];
    });
    return [asFiles(before), asFiles(mixed)];
  });

test("these tests distinguish text and binary like the registry", async () => {
  await fc.assert(
    fc.asyncProperty(contents, async (content) => {
      const bytes = Buffer.from(content);
      const { files } = await checkFiles([
        { path: "a", content: bytes.toString("base64"), encoding: "base64" },
      ]);
      expect(files[0]?.encoding).toBe(isBinary(bytes) ? "base64" : "utf8");
    }),
  );
});

test("a patch looks like Git's own", async () => {
  const before = stored({ "a b": "1\n2", c: "old\n", d: "x" });
  const after = stored({ "a b": "1\n3", "*e": "x", f: "" });
  expect(await patchOf(before, after)).toBe(
    [
      'diff --git "a/a b" "b/a b"',
      '--- "a/a b"',
      '+++ "b/a b"',
      "@@ -1,2 +1,2 @@",
      " 1",
      "-2",
      "\\ No newline at end of file",
      "+3",
      "\\ No newline at end of file",
      "diff --git a/c b/c",
      "deleted file mode 100644",
      "--- a/c",
      "+++ /dev/null",
      "@@ -1,1 +0,0 @@",
      "-old",
      "diff --git a/d b/e",
      "old mode 100644",
      "new mode 100755",
      "similarity index 100%",
      "rename from d",
      "rename to e",
      "diff --git a/f b/f",
      "new file mode 100644",
      "",
    ].join("\n"),
  );
});

test("a patch that is too long to compare puts the new lines in place of the old ones", async () => {
  const before = stored({ a: "x\n".repeat(30_000), b: "" });
  const after = stored({ a: "y\n", b: "z\n".repeat(30_000) });
  const patch = await patchOf(before, after);
  expect(patch.match(/^@@.*$/gm)).toEqual(["@@ -1,30000 +1,1 @@", "@@ -0,0 +1,30000 @@"]);
});

test.each([
  [1, "A"],
  [26, "Z"],
  [27, "a"],
  [52, "z"],
])("a line of %i bytes of a binary patch begins with %s", (bytes, letter) => {
  expect(base85Lines(new Uint8Array(bytes)).at(0)).toBe(letter);
});
