import { describe, expect, test } from "vitest";
import { type DivergedFile, type MergeableFile, mergeFiles, type ThreeVersions } from "./merge-files.ts";

/** A version as paths and contents. A content that ends with `!` is executable. */
type Version = Record<string, string>;

const fileOf = (content: string | undefined): MergeableFile | undefined =>
  content === undefined
    ? undefined
    : {
        mode: content.endsWith("!") ? "100755" : "100644",
        sha256: content.replace("!", ""),
        size: content.length,
      };

function compared(base: Version, target: Version, source: Version): ThreeVersions {
  const paths = [...new Set([base, target, source].flatMap(Object.keys))].sort();
  const files = paths.map(
    (path): DivergedFile => ({
      path,
      base: fileOf(base[path]),
      target: fileOf(target[path]),
      source: fileOf(source[path]),
    }),
  );
  const isSame = ({ path }: DivergedFile) => base[path] === target[path] && base[path] === source[path];
  const same = files.filter(isSame);
  return {
    diverged: files.filter((file) => !isSame(file)),
    same: {
      paths: same.map(({ path }) => path),
      bytes: same.reduce((sum, { base }) => sum + (base?.size ?? 0), 0),
    },
  };
}

/** The merged version, or the paths in conflict. */
function merge(base: Version, target: Version, source: Version, strategy?: "auto" | "theirs") {
  const { fromTarget, fromSource, conflicts } = mergeFiles(compared(base, target, source), strategy);
  if (conflicts.length > 0) return conflicts.map(({ path }) => path);
  return Object.fromEntries([
    ...fromTarget.map((path) => [path, target[path]]),
    ...fromSource.map((path) => [path, source[path]]),
  ]);
}

describe("each file is taken from the side that changed it:", () => {
  const base = { P: "p", a: "a", b: "b" };

  test.for<[what: string, target: Version, source: Version, merged: Version]>([
    ["nothing changed", base, base, base],
    ["edits of different files", { ...base, a: "a2" }, { ...base, b: "b2" }, { P: "p", a: "a2", b: "b2" }],
    ["the same edit", { ...base, a: "x" }, { ...base, a: "x" }, { ...base, a: "x" }],
    ["the same new file", { ...base, c: "c" }, { ...base, c: "c" }, { ...base, c: "c" }],
    ["different new files", { ...base, c: "c" }, { ...base, d: "d" }, { ...base, c: "c", d: "d" }],
    ["a deletion by one", { P: "p", a: "a" }, { ...base, a: "a2" }, { P: "p", a: "a2" }],
    ["a deletion by both", { P: "p", a: "a" }, { P: "p", a: "a" }, { P: "p", a: "a" }],
    ["a rename", base, { P: "p", moved: "a", b: "b" }, { P: "p", moved: "a", b: "b" }],
    [
      "a rename, and an edit of another file",
      { ...base, b: "b2" },
      { P: "p", moved: "a", b: "b" },
      { P: "p", moved: "a", b: "b2" },
    ],
    ["another mode", base, { ...base, a: "a!" }, { ...base, a: "a!" }],
    ["the same other mode", { ...base, a: "a!" }, { ...base, a: "a!" }, { ...base, a: "a!" }],
  ])("%s", ([, target, source, merged]) => {
    expect(merge(base, target, source)).toEqual(merged);
    expect(merge(base, source, target)).toEqual(merged);
    expect(merge(base, target, source, "theirs")).toEqual(merged);
  });
});

describe("in conflict is what both sides changed differently:", () => {
  const base = { P: "p", a: "a", b: "b" };

  test.for<[what: string, target: Version, source: Version, theirs: Version]>([
    ["two edits", { ...base, a: "1" }, { ...base, a: "2" }, { ...base, a: "2" }],
    ["an edit of what was deleted", { P: "p", b: "b" }, { ...base, a: "2" }, { ...base, a: "2" }],
    ["a deletion of what was edited", { ...base, a: "1" }, { P: "p", b: "b" }, { P: "p", b: "b" }],
    [
      "a rename of what was edited",
      { ...base, a: "1" },
      { P: "p", b: "b", z: "a" },
      { P: "p", b: "b", z: "a" },
    ],
    ["a mode and an edit", { ...base, a: "a!" }, { ...base, a: "2" }, { ...base, a: "2" }],
  ])("%s", ([, target, source, theirs]) => {
    expect(merge(base, target, source)).toEqual(["a"]);
    expect(merge(base, target, source, "theirs")).toEqual(theirs);
  });

  test("two new files, and `theirs` settles nothing else", () => {
    const target = { P: "p", n: "1", a: "ours", b: "b" };
    const source = { P: "p", n: "2", a: "a", b: "theirs" };
    expect(merge(base, target, source)).toEqual(["n"]);
    expect(merge(base, target, source, "theirs")).toEqual({ P: "p", n: "2", a: "ours", b: "theirs" });
  });

  test("each with a sentence about it", () => {
    const { conflicts } = mergeFiles(compared({ P: "p", a: "a" }, { P: "p" }, { P: "p", a: "2" }));
    expect(conflicts).toEqual([
      {
        path: "a",
        code: "changed_twice",
        message: "The prompt deleted a, and the proposal changed it differently.",
      },
    ]);
  });
});

describe("in conflict is what both sides can only have alone, with either strategy:", () => {
  const base = { P: "p" };

  test.for<[what: string, target: Version, source: Version, conflicts: string[]]>([
    ["paths that differ in case", { P: "p", "A.md": "1" }, { P: "p", "a.md": "2" }, ["a.md"]],
    ["a file and a folder", { P: "p", a: "1" }, { P: "p", "a/b": "2" }, ["a/b"]],
    ["a folder and a file", { P: "p", "a/b": "1" }, { P: "p", a: "2" }, ["a/b"]],
    [
      "what makes a repository of a folder",
      { P: "p", "x/HEAD": "1" },
      { P: "p", "x/objects/o": "2", "x/refs/r": "3" },
      ["x/HEAD"],
    ],
  ])("%s", ([, target, source, conflicts]) => {
    expect(merge(base, target, source)).toEqual(conflicts);
    expect(merge(base, target, source, "theirs")).toEqual(conflicts);
  });

  test("what only a file that nobody changed makes a repository", () => {
    const unchanged = { P: "p", "x/HEAD": "h" };
    const merged = merge(unchanged, { ...unchanged, "x/objects/o": "1" }, { ...unchanged, "x/refs/r": "2" });
    expect(merged).toEqual(["x/HEAD"]);
  });

  test("more files, or more bytes, than a version holds", () => {
    const many = (prefix: string) =>
      Object.fromEntries(Array.from({ length: 100 }, (_, nth) => [`${prefix}${nth}`, "x"]));
    expect(merge(base, { ...base, ...many("t") }, { ...base, ...many("s") })).toHaveLength(100);
    const most = { ...many("t"), ...many("s") };
    expect(merge({}, many("t"), many("s"))).toEqual(most);
    const large = (path: string) => ({ ...base, [path]: "x".repeat(6 * 1024 * 1024) });
    expect(merge(base, large("t"), large("s"))).toEqual(["s"]);
    expect(merge(base, large("t"), base)).toEqual(large("t"));
    // With the one byte of the base exactly what it holds.
    const half = 5 * 1024 * 1024;
    const full = { t: "x".repeat(half), s: "x".repeat(half - 1) };
    expect(merge(base, { ...base, t: full.t }, { ...base, s: full.s })).toEqual({ ...base, ...full });
  });
});
