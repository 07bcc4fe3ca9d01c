import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { contentHash } from "./content-hash.ts";
import { checkFiles, type FileInput } from "./files.ts";
import { codePoint } from "../testing/code-point.ts";

const mebibyte = 1024 * 1024;
const base64 = (bytes: Uint8Array | string) => Buffer.from(bytes).toString("base64");
const checkOne = async (fields: Partial<FileInput>) => {
  const { files, problems } = await checkFiles([{ path: "a.bin", content: "", ...fields }]);
  return { file: files[0], problem: problems[0] };
};

describe("content", () => {
  test("text is kept byte for byte, with size, digest and media type", async () => {
    const content = "\uFEFFüñ\r\n";
    const { file } = await checkOne({ path: "docs/A.MD", content });
    expect(file).toMatchObject({
      path: "docs/A.MD",
      mode: "100644",
      size: 9,
      sha256: createHash("sha256").update(content).digest("hex"),
      mediaType: "text/markdown",
      encoding: "utf8",
    });
    expect(Buffer.from(file?.bytes ?? []).toString()).toBe(content);
  });

  test("any bytes survive base64", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 50 }), async (bytes) => {
        const { file } = await checkOne({ content: base64(bytes), encoding: "base64" });
        expect(file?.bytes).toEqual(bytes);
      }),
    );
  });

  test("text sent as base64 is text, so that equal bytes are answered in one way", async () => {
    expect((await checkOne({ content: base64("Grüße"), encoding: "base64" })).file?.encoding).toBe("utf8");
    for (const binary of [Uint8Array.of(0x41, 0), Uint8Array.of(0x89, 0x50)])
      expect((await checkOne({ content: base64(binary), encoding: "base64" })).file).toMatchObject({
        encoding: "base64",
        mediaType: "application/octet-stream",
      });
  });

  test.each([
    ["half a surrogate pair", { content: "a\ud83d" }],
    ["NUL", { content: "a\0" }],
    ["an alphabet for URLs", { content: "-_8=", encoding: "base64" }],
    ["no padding", { content: "AA", encoding: "base64" }],
    ["a line break", { content: "AAAA\nAA=", encoding: "base64" }],
    ["padding inside", { content: "AA==AAAA", encoding: "base64" }],
    ["padding alone", { content: "====", encoding: "base64" }],
    ["bits after the end", { content: "AB==", encoding: "base64" }],
  ] as const)("%s is refused", async (_, input) => {
    const { file, problem } = await checkOne(input);
    expect(file).toBeUndefined();
    expect(problem).toMatchObject({ code: "invalid_file", path: "/files/0/content" });
  });

  test.each([
    ["text of 1 MiB", { content: "x".repeat(mebibyte) }, undefined],
    ["text over 1 MiB", { content: "x".repeat(mebibyte + 1) }, "payload_too_large"],
    ["text of 1 MiB as base64", { content: base64("x".repeat(mebibyte)), encoding: "base64" }, undefined],
    ["text over 1 MiB in bytes alone", { content: "é".repeat(mebibyte / 2 + 1) }, "payload_too_large"],
    [
      "text over 1 MiB as base64",
      { content: base64("x".repeat(mebibyte + 1)), encoding: "base64" },
      "payload_too_large",
    ],
    ["5 MiB of bytes", { content: base64(new Uint8Array(5 * mebibyte)), encoding: "base64" }, undefined],
    [
      "more than 5 MiB",
      { content: base64(new Uint8Array(5 * mebibyte + 1)), encoding: "base64" },
      "payload_too_large",
    ],
    ["12 MiB of padding", { content: "=".repeat(12 * mebibyte), encoding: "base64" }, "payload_too_large"],
  ] as const)("%s: %#", async (_, input, code) => {
    expect((await checkOne(input)).problem?.code).toBe(code);
  });
});

test.each([
  [{ path: "run", content: "#!/bin/sh\n" }, undefined],
  [{ path: "scripts/run", content: "echo" }, undefined],
  [{ path: "docs/scripts.md", content: "echo" }, "/files/0/mode"],
  [{ path: "run", content: "" }, "/files/0/mode"],
  [{ path: "run", content: "# A title" }, "/files/0/mode"],
  [{ path: "run", content: "!!" }, "/files/0/mode"],
])("executable: %j", async (input, path) => {
  expect((await checkOne({ ...input, mode: "100755" })).problem?.path).toBe(path);
});

test.each([
  ["CHAT.json", "application/json"],
  ["a/b.tar.YML", "application/yaml"],
  ["LICENSE", "text/plain"],
  ["a.json/LICENSE", "text/plain"],
  ["x.constructor", "text/plain"],
])("%s is %s", async (path, mediaType) => {
  expect((await checkOne({ path, content: "x" })).file?.mediaType).toBe(mediaType);
});

describe("files together", () => {
  test("one with a problem is left out, the others keep their order", async () => {
    const inputs = ["b", "../a", "a"].map((path) => ({ path, content: path }));
    const { files, problems } = await checkFiles(inputs);
    expect(files.map(({ path }) => path)).toEqual(["b", "a"]);
    expect(problems).toMatchObject([{ code: "invalid_file", path: "/files/1/path" }]);
  });

  test("200 are taken, 201 are not", async () => {
    const inputs = Array.from({ length: 201 }, (_, i) => ({ path: `f${i}`, content: "" }));
    expect((await checkFiles(inputs.slice(1))).problems).toEqual([]);
    expect((await checkFiles(inputs)).problems).toMatchObject([
      { code: "payload_too_large", path: "/files" },
    ]);
  });

  test("more than 10 MiB are refused", async () => {
    const inputs = Array.from({ length: 11 }, (_, i) => ({ path: `f${i}`, content: "x".repeat(mebibyte) }));
    expect((await checkFiles(inputs.slice(1))).problems).toEqual([]);
    expect((await checkFiles(inputs)).problems).toMatchObject([
      { code: "payload_too_large", path: "/files" },
    ]);
  });

  test("whatever is sent gets an answer", async () => {
    const input = fc.record({
      path: fc.string({ unit: codePoint }),
      content: fc.string({ unit: codePoint }),
      encoding: fc.constantFrom("utf8", "base64"),
      mode: fc.constantFrom("100644", "100755"),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(input as fc.Arbitrary<FileInput>, { maxLength: 3 }), async (inputs) => {
        const { files, problems } = await checkFiles(inputs);
        expect(files.length + problems.length).toBe(inputs.length);
      }),
    );
  });
});

describe("the content hash", () => {
  const file = (path: string) => ({ path, mode: "100644", sha256: "0".repeat(64) });

  test("covers path, mode and digest of every file", async () => {
    const expected = createHash("sha256")
      .update(`a\x00100644\0${"0".repeat(64)}\n`)
      .digest("hex");
    expect(await contentHash([file("a")])).toBe(`sha256:${expected}`);
    expect(await contentHash([{ ...file("a"), mode: "100755" }])).not.toBe(`sha256:${expected}`);
  });

  test("sorts by bytes, not by UTF-16 units", async () => {
    // U+FF5E is below U+1F600 in UTF-8, and above its surrogates in UTF-16.
    const lines = ["\uff5e", "😀"].map((path) => `${path}\x00100644\0${"0".repeat(64)}\n`).join("");
    const expected = createHash("sha256").update(lines).digest("hex");
    expect(await contentHash([file("😀"), file("\uff5e")])).toBe(`sha256:${expected}`);
  });

  test("does not depend on the order of the files", async () => {
    const paths = fc.uniqueArray(fc.string({ unit: codePoint }), { minLength: 2, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(paths, async (names) => {
        const files = names.filter((name) => name.isWellFormed()).map(file);
        expect(await contentHash(files.toReversed())).toBe(await contentHash(files));
      }),
    );
  });
});
