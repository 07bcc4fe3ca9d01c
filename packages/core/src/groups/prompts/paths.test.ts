import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pathProblems } from "./paths.ts";

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
  ["a/b/c/d/e/f/g/h/i", "levels"],
  [`${"é".repeat(127)}.md`, "255 bytes"],
  ["e\u0301.md", "normal form C"],
  ["a\ud800.md", "Unicode"],
])("%o is refused", (path, reason) => {
  expect(problemOf(path)).toContain(reason);
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

  test("a folder may hold many files, and a name may begin like another", () => {
    expect(pathProblems(["a/b", "a/c", "A/d", "ab", "a.md"]).size).toBe(0);
  });
});

test("whatever is accepted stays accepted in normal form C, and any text gets an answer", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary" }), { maxLength: 4 }), (paths) => {
      const problems = pathProblems(paths);
      const accepted = paths.filter((_, index) => !problems.has(index));
      expect(pathProblems(accepted.map((path) => path.normalize("NFC"))).size).toBe(0);
    }),
  );
});
