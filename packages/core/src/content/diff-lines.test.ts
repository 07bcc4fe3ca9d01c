import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countLines, type DiffHunk, diffLines } from "./diff-lines.ts";

const lines = (...texts: string[]) => texts.map((text) => `${text}\n`).join("");
const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `${from + index}`);

/** Hunks as `git diff` prints them. */
const printed = ({ hunks }: { hunks: DiffHunk[] }) =>
  hunks.map(
    ({ oldStart, oldLines, newStart, newLines, lines }) =>
      `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@ ${lines
        .map(
          ({ type, text, noNewline }) =>
            ({ context: " ", add: "+", del: "-" })[type] + text + (noNewline ? "\\" : ""),
        )
        .join("|")}`,
  );

/** The new text, made from the old one and the hunks; fails where a hunk does not fit. */
function apply(text: string, hunks: readonly DiffHunk[]): string {
  const old = text.split(/(?<=\n)/).filter((line) => line !== "");
  const made: string[] = [];
  let place = 0;
  for (const { oldStart, oldLines, newStart, newLines, lines } of hunks) {
    const start = oldLines === 0 ? oldStart : oldStart - 1;
    made.push(...old.slice(place, start));
    expect(newLines === 0 ? newStart : newStart - 1).toBe(made.length);
    place = start;
    const before = made.length;
    for (const { type, text: line, noNewline } of lines) {
      const whole = noNewline ? line : `${line}\n`;
      if (type !== "add") expect(old[place++]).toBe(whole);
      if (type !== "del") made.push(whole);
    }
    expect([place - start, made.length - before]).toEqual([oldLines, newLines]);
  }
  return [...made, ...old.slice(place)].join("");
}

/** The length of a shortest edit, by the textbook's table. */
function shortestEdit(before: string, after: string): number {
  const split = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+/g) ?? [];
  const [old, now] = [split(before), split(after)];
  let row = Array.from({ length: now.length + 1 }, (_, index) => index);
  for (const line of old) {
    const next = [(row[0] ?? 0) + 1];
    for (const [index, other] of now.entries()) {
      const [corner = 0, above = 0] = row.slice(index, index + 2);
      next.push(line === other ? corner : Math.min(above, next[index] ?? 0) + 1);
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

describe("lines", () => {
  test("that changed are shown where they stand, with what surrounds them", () => {
    const diff = diffLines(lines(...numbers(1, 9)), lines(...numbers(1, 4), "five", ...numbers(6, 9)), 2);
    expect(printed(diff)).toEqual(["@@ -3,5 +3,5 @@  3| 4|-5|+five| 6| 7"]);
    expect(diff).toMatchObject({ additions: 1, deletions: 1 });
  });

  test.each([
    ["a", "", ["@@ -1,1 +0,0 @@ -a"]],
    ["", "a", ["@@ -0,0 +1,1 @@ +a"]],
    ["a", "", ["@@ -1,1 +0,0 @@ -a"]],
    ["a b", "a x b", ["@@ -1,0 +2,1 @@ +x"]],
    ["a x b", "a b", ["@@ -2,1 +1,0 @@ -x"]],
    ["a b", "a b", []],
  ])("without context: from %j to %j", (before, after, expected) => {
    const text = (words: string) => lines(...words.split(" ").filter(Boolean));
    expect(printed(diffLines(text(before), text(after), 0))).toEqual(expected);
  });

  test("far apart stand in hunks of their own, and near ones share one", () => {
    const before = lines(...numbers(1, 20));
    const after = (...changed: string[]) => numbers(1, 20).map((n) => (changed.includes(n) ? `${n}!` : n));
    const hunks = (...changed: string[]) =>
      printed(diffLines(before, lines(...after(...changed)), 3)).map((hunk) => hunk.split(" @@ ")[0]);
    expect(hunks("5", "12")).toEqual(["@@ -2,14 +2,14"]);
    expect(hunks("5", "13")).toEqual(["@@ -2,7 +2,7", "@@ -10,7 +10,7"]);
    expect(hunks("1", "20")).toEqual(["@@ -1,4 +1,4", "@@ -17,4 +17,4"]);
  });

  test("at the end of a file tell whether a line feed follows", () => {
    expect(printed(diffLines("a\nb", "a\nb\n", 3))).toEqual(["@@ -1,2 +1,2 @@  a|-b\\|+b"]);
    expect(printed(diffLines("a\nb", "x\nb", 3))).toEqual(["@@ -1,2 +1,2 @@ -a|+x| b\\"]);
    expect(printed(diffLines("", "\n", 3))).toEqual(["@@ -0,0 +1,1 @@ +"]);
  });

  test("end in a line feed alone: other characters that break lines are text", () => {
    expect(printed(diffLines("a\r\nb\u2028c\rd\n", "a\nb\u2028c\rd\n", 0))).toEqual([
      "@@ -1,1 +1,1 @@ -a\r|+a",
    ]);
    expect(["", "\n", "a", "a\n", "a\r\nb", "\n\n"].map(countLines)).toEqual([0, 1, 1, 1, 2, 2]);
  });

  test("are compared by a shortest edit, from which the new text can be made again", () => {
    const line = fc.constantFrom("a\n", "b\n", "c\r\n", "\n");
    const text = fc
      .tuple(fc.array(line, { maxLength: 30 }), fc.constantFrom("", "a", "\r"))
      .map(([whole, rest]) => whole.join("") + rest);
    fc.assert(
      fc.property(text, text, fc.integer({ min: 0, max: 4 }), (before, after, context) => {
        const { additions, deletions, hunks } = diffLines(before, after, context);
        expect(apply(before, hunks)).toBe(after);
        expect(additions + deletions).toBe(shortestEdit(before, after));
        const ofType = (type: string) =>
          hunks.flatMap(({ lines }) => lines).filter((line) => line.type === type).length;
        expect([ofType("add"), ofType("del")]).toEqual([additions, deletions]);
      }),
      { numRuns: 500 },
    );
  });

  test("of which only one side has any do not make the search longer: what stays between them is found", () => {
    const mixed = (side: string) =>
      lines(...numbers(1, 2500).flatMap((n) => (Number(n) % 5 === 0 ? [`shared ${n}`] : [`${side} ${n}`])));
    expect(diffLines(mixed("old"), mixed("new"), 3)).toMatchObject({ additions: 2000, deletions: 2000 });
  });

  test("that have changed places by the thousand are replaced as a whole, and the rest is left alone", () => {
    const moved = numbers(1, 3000);
    const before = lines("first", ...moved, "last");
    const after = lines("first", ...moved.toReversed(), "last");
    const { additions, deletions, hunks } = diffLines(before, after, 3);
    expect([additions, deletions, hunks.length]).toEqual([3000, 3000, 1]);
    expect(apply(before, hunks)).toBe(after);
  });
});
