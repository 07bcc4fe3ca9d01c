import { describe, expect, test, vi } from "vitest";
import { compareConfig } from "./compare-config.ts";
import { type ComparableFile, diffFiles, findChangedFiles } from "./diff.ts";

const texts = new Map<string, string>();
/** A file whose digest is its text: equal texts have equal ones. */
function file(path: string, text: string, about: Partial<ComparableFile> = {}): ComparableFile {
  texts.set(text, text);
  return { path, mode: "100644", sha256: text, encoding: "utf8", ...about };
}
const compare = (before: ComparableFile[], after: ComparableFile[], context?: number) =>
  diffFiles(findChangedFiles(before, after), { texts, ...(context !== undefined && { context }) });
const binary = { encoding: "base64" } as const;

describe("the files of two versions", () => {
  test("are told apart as added, removed, modified and renamed, in the order of their paths", async () => {
    const { stats, files } = await compare(
      [file("same", "1"), file("c", "old\n"), file("z", "moved\n"), file("b", "gone\n")],
      [file("d", "new\n"), file("a", "moved\n"), file("c", "now\n"), file("same", "1")],
    );
    expect(files.map(({ path, oldPath, status }) => [path, oldPath, status])).toEqual([
      ["a", "z", "renamed"],
      ["b", null, "removed"],
      ["c", null, "modified"],
      ["d", null, "added"],
    ]);
    expect(stats).toEqual({ files: 4, additions: 2, deletions: 2 });
  });

  test("that are equal have no difference", async () => {
    const same = [file("a", "1"), file("b", "2", binary)];
    expect(await compare(same, same)).toEqual({
      stats: { files: 0, additions: 0, deletions: 0 },
      files: [],
    });
  });

  test("are paired in the order of their paths where several have the same bytes", () => {
    const places = (files: ComparableFile[]) => files.map(({ path }) => path);
    const before = ["x", "w", "y"].map((path) => file(path, "same"));
    const after = ["c", "b"].map((path) => file(path, "same"));
    for (const [old, now] of [
      [before, after],
      [before.toReversed(), after.toReversed()],
    ] as const) {
      const changed = findChangedFiles(old, now);
      expect(changed.map(({ path, oldPath }) => [path, oldPath])).toEqual([
        ["b", "w"],
        ["c", "x"],
        ["y", null],
      ]);
    }
    expect(places(before)).toEqual(["x", "w", "y"]);
  });

  test("are not renamed into a place that was taken: two that changed places were both modified", async () => {
    const { files } = await compare(
      [file("a", "1\n"), file("b", "2\n")],
      [file("a", "2\n"), file("b", "1\n")],
    );
    expect(files.map(({ path, status }) => [path, status])).toEqual([
      ["a", "modified"],
      ["b", "modified"],
    ]);
  });

  test("can differ in their mode alone, and have no hunks then", async () => {
    const { files } = await compare(
      [file("run", "x"), file("old", "y")],
      [file("run", "x", { mode: "100755" }), file("new", "y", { mode: "100755" })],
    );
    expect(files).toMatchObject([
      { path: "new", status: "renamed", modeChanged: true, additions: 0, hunks: [] },
      { path: "run", status: "modified", modeChanged: true, additions: 0, hunks: [] },
    ]);
  });

  test("have no lines where either side is binary", async () => {
    const { files } = await compare(
      [file("a", "1\n"), file("b", "2", binary)],
      [file("a", "3", binary), file("b", "4\n")],
    );
    for (const one of files) {
      expect(one).toMatchObject({ binary: true, additions: 0, deletions: 0, truncated: false, hunks: [] });
    }
  });

  test("need their text only where the bytes differ", async () => {
    const unread = (path: string): ComparableFile => ({
      path,
      mode: "100644",
      sha256: "unread",
      encoding: "utf8",
    });
    expect((await compare([unread("a")], [unread("b")])).files).toMatchObject([{ status: "renamed" }]);
    await expect(compare([unread("a")], [])).rejects.toThrow("The text of a is needed");
  });
});

describe("a comparison that would take too long", () => {
  const manyLines = (count: number, line = "x") => `${line}\n`.repeat(count);

  test("leaves a file of over 5,000 lines out, and counts all of it as replaced", async () => {
    const { stats, files } = await compare(
      [file("at", manyLines(5000)), file("over", manyLines(5000, "y"))],
      [file("at", manyLines(4999)), file("over", manyLines(5001, "y"))],
    );
    expect(files).toMatchObject([
      { path: "at", truncated: false, additions: 0, deletions: 1 },
      { path: "over", truncated: true, additions: 5001, deletions: 5000, hunks: [] },
    ]);
    expect(stats).toEqual({ files: 2, additions: 5001, deletions: 5001 });
  });

  test("leaves every file out after 20,000 lines over all of them", async () => {
    const paths = ["a", "b", "c", "d", "e", "f"];
    const { files } = await compare(
      paths.map((path) => file(path, manyLines(path > "d" ? 1 : 5000, path))),
      paths.map((path) => file(path, manyLines(1))),
    );
    expect(files.map(({ truncated }) => truncated)).toEqual([false, false, false, false, true, true]);
  });

  test("leaves every file out after two million characters", async () => {
    const paths = ["a", "b"];
    const half = 512 * 1024;
    const { files } = await compare(
      [...paths.map((path) => file(path, path.repeat(half))), file("c", "c")],
      paths.map((path) => file(path, path.toUpperCase().repeat(half))),
    );
    expect(files.map(({ truncated }) => truncated)).toEqual([false, false, true]);
  });

  test("leaves every file out after half a second", async () => {
    let ms = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (ms += 100));
    const files = ["a", "b", "c", "d", "e", "f", "g"].map((path) => file(path, path));
    const compared = await compare(files, []);
    clock.mockRestore();
    expect(compared.files.filter(({ truncated }) => truncated).map(({ path }) => path)).toEqual(["g"]);
  });

  test("counts no large file against those that can be compared", async () => {
    const { files } = await compare(
      ["a", "b", "c", "d", "e"].map((path) => file(path, manyLines(50_000, path))).concat(file("f", "1\n")),
      [file("f", "2\n")],
    );
    expect(files.map(({ truncated }) => truncated)).toEqual([true, true, true, true, true, false]);
  });
});

test("settings differ by value, whatever the order of their keys or the names of the keys", () => {
  expect(compareConfig({ b: { x: 1, y: [2] }, a: 1 }, { a: 1, b: { y: [2], x: 1 } })).toEqual([]);
  const before = { model: "m", stop: ["a"], gone: null, toString: 1 };
  expect(compareConfig(before, { model: "n", stop: ["a", "b"], constructor: 2 })).toEqual([
    "constructor",
    "gone",
    "model",
    "stop",
    "toString",
  ]);
});
