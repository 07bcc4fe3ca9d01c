import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pathProblems } from "./paths.ts";
import { codePoint } from "../testing/code-point.ts";

const problemOf = (path: string) => pathProblems([path]).get(0);

test.each([
  "PROMPT.md",
  "a/b/c/d/e/f/g/h",
  "scripts/run.sh",
  ".gitignore",
  "a b.md",
  "é.md",
  "…",
  "console.md",
  "😀",
  "👩\u200d💻/❤\ufe0f.md",
  "می\u200cخواهم.md",
  ".github/a",
  ".gitmodules",
  "gi7eba",
  "git~",
  "gi7eba~",
  "repo.git",
  "falcon",
  "x".repeat(255),
  `${"é".repeat(127)}x`,
])("%j is a fine path", (path) => {
  expect(problemOf(path)).toBeUndefined();
});

test.each([
  ["", "is empty"],
  ["/a", "slash"],
  ["a/", "slash"],
  ["a//b", "slash"],
  ["./a", ". or .."],
  ["a/../b", ". or .."],
  ["a\\b", "backslash"],
  ["a\0b", "control"],
  ["a\u0085b", "control"],
  ["a:b", "< >"],
  ["what?", "< >"],
  ["a./b", "dot or a space"],
  ["a ", "dot or a space"],
  ["NUL", "device"],
  ["docs/con.tar.gz", "device"],
  ["com1.md", "device"],
  ["LPT³", "device"],
  ["aux .md", "device"],
  [".git/hooks/x", ".git"],
  ["a/.GIT", ".git"],
  ["git~1/config", ".git"],
  ["GIT~12", ".git"],
  ["GI7EBA~1", ".git"],
  ["gi7d29~2/a", ".git"],
  [".g\u200cit/hooks/x", ".git"],
  ["a/\u200d.gIt\u200d", ".git"],
  ["gi\u200ct~1", ".git"],
  [".gıt", ".git"],
  [".git.", "dot or a space"],
  [".git ", "dot or a space"],
  [".git::$INDEX_ALLOCATION", "< >"],
  ["a\u2028b", "nobody sees"],
  ["a\u2029b", "nobody sees"],
  ["a/b/c/d/e/f/g/h/i", "levels"],
  ["x".repeat(256), "255 bytes"],
  ["é".repeat(128), "255 bytes"],
  ["e\u0301.md", "normal form C"],
  ["a\ud800.md", "Unicode"],
])("%o is refused", (path, reason) => {
  expect(problemOf(path)).toContain(reason);
});

test.each(
  Array.from(
    "\u00ad\u034f\u061c\u115f\u180e\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\u206a\u206f\u3164\ufeff\uffa0\u{e0041}",
  ),
)("%j, which nobody sees, is refused", (char) => {
  expect(problemOf(`a${char}.md`)).toContain("nobody sees");
});

test("a path of five million characters is refused by its length", () => {
  expect(problemOf("x".repeat(5_000_000))).toContain("255 bytes");
});

describe("paths beside each other", () => {
  test.each([
    ["README.md", "readme.MD"],
    ["straße", "STRASSE"],
    ["ſun.md", "SUN.md"],
    ["a", "a"],
    ["a\u200cb/c", "AB/C"],
  ])("%j and %j are one file where case does not count", (first, second) => {
    expect([...pathProblems([first, second]).keys()]).toEqual([1]);
  });

  test.each([
    [["a", "a/b"], 1],
    [["a/b/c", "A"], 0],
    [["x/y/z", "x/Y"], 0],
  ])("in %j one is a file and a folder", (paths, index) => {
    expect([...pathProblems(paths).keys()]).toEqual([index]);
  });

  test.each([
    [["HEAD", "config", "objects/a", "refs/b"], 0],
    [["a/objects/b", "a/Refs/b", "a/he\u200dad"], 2],
    [["a/HEAD", "a/CommonDir"], 0],
  ])("%j are a git repository", (paths, index) => {
    expect([...pathProblems(paths).keys()]).toEqual([index]);
  });

  test.each([[["HEAD", "objects/a", "other/refs/b"]], [["HEAD/a", "objects/a", "refs/b"]]])(
    "%j are none",
    (paths) => {
      expect(pathProblems(paths).size).toBe(0);
    },
  );

  test("a folder may hold many files, and a name may begin like another", () => {
    expect(pathProblems(["a/b", "a/c", "A/d", "ab", "a.md"]).size).toBe(0);
  });
});

test("whatever is accepted stays accepted in normal form C, and any text gets an answer", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: codePoint }), { maxLength: 4 }), (paths) => {
      const problems = pathProblems(paths);
      const accepted = paths.filter((_, index) => !problems.has(index));
      expect(pathProblems(accepted.map((path) => path.normalize("NFC"))).size).toBe(0);
    }),
  );
});
