import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mergeText } from "./merge-text.ts";

const marks = { open: "<<< here", middle: "===", close: ">>> there" };
const merge = (base: string, ours: string, theirs: string) => mergeText({ base, ours, theirs }, marks);

describe("lines that were changed", () => {
  const base = "a\nb\nc\nd\ne\n";

  test.each([
    ["on one side are taken", base, "a\nB\nc\nd\ne\n", base, "a\nB\nc\nd\ne\n"],
    ["on both sides apart are both taken", base, "A\nb\nc\nd\ne\n", "a\nb\nc\nE\n", "A\nb\nc\nE\n"],
    ["alike are taken once", base, "a\nX\nd\ne\nf\n", "a\nX\nd\ne\nf\n", "a\nX\nd\ne\nf\n"],
    [
      "keep their CRLF and their byte order mark",
      "\uFEFFa\r\nb\r\nc\r\n",
      "\uFEFFa\r\nb\r\nC\r\n",
      "\uFEFFA\r\nb\r\nc\r\n",
      "\uFEFFA\r\nb\r\nC\r\n",
    ],
    ["keep a last line without its end", "a\nb\nc", "A\nb\nc", "a\nb\nC", "A\nb\nC"],
    ["with a last line that got its end", "a\nb\nc", "a\nb\nc\n", "A\nb\nc", "A\nb\nc\n"],
  ])("%s", (_, base, ours, theirs, text) => {
    expect(merge(base, ours, theirs)).toEqual({ text, hasConflicts: false });
  });

  test.each([
    ["differently", "a\nX\nc\n", "a\nY\nc\n", "a\n<<< here\nX\n===\nY\n>>> there\nc\n"],
    ["side by side", "a\nB\nc\n", "a\nb\nC\n", "a\n<<< here\nB\nc\n===\nb\nC\n>>> there\n"],
    ["here and removed there", "a\nX\nc\n", "a\nc\n", "a\n<<< here\nX\n===\n>>> there\nc\n"],
    ["in part alike", "a\n1\nX\n2\nc\n", "a\n1\nY\n2\nc\n", "a\n1\n<<< here\nX\n===\nY\n>>> there\n2\nc\n"],
    ["without an end", "a\nb\nX", "a\nb\nY", "a\nb\n<<< here\nX\n===\nY\n>>> there\n"],
    ["with CRLF", "a\r\nX\r\n", "a\r\nY\r\n", "a\r\n<<< here\r\nX\r\n===\r\nY\r\n>>> there\r\n"],
  ])("%s stand between marks", (_, ours, theirs, text) => {
    const merged = merge("a\nb\nc\n", ours, theirs);
    expect(merged.hasConflicts).toBe(true);
    expect(merged.text).toBe(text);
  });
});

const text = fc
  .array(fc.constantFrom("a\n", "b\n", "c\n", "\n"), { maxLength: 12 })
  .map((lines) => lines.join(""));

test("a merge with a side that changed nothing is the other side, and order does not count", () => {
  fc.assert(
    fc.property(text, text, text, (base, ours, theirs) => {
      expect(merge(base, ours, base)).toEqual({ text: ours, hasConflicts: false });
      expect(merge(base, base, theirs)).toEqual({ text: theirs, hasConflicts: false });
      expect(merge(base, ours, ours)).toEqual({ text: ours, hasConflicts: false });
      const [one, other] = [merge(base, ours, theirs), merge(base, theirs, ours)];
      expect(one.hasConflicts).toBe(other.hasConflicts);
      if (!one.hasConflicts) expect(one.text).toBe(other.text);
    }),
  );
});

test("what either side added is in the outcome, conflict or not", () => {
  const side = (line: string) => fc.array(fc.constantFrom("a\n", "b\n", line), { maxLength: 12 });
  fc.assert(
    fc.property(text, side("ours\n"), side("theirs\n"), (base, ours, theirs) => {
      const lines = merge(base, ours.join(""), theirs.join("")).text.split(/(?<=\n)/);
      for (const added of ["ours\n", "theirs\n"]) {
        const isAdded = (line: string) => line === added;
        expect(lines.filter(isAdded)).toEqual([...ours, ...theirs].filter(isAdded));
      }
    }),
  );
});

test.each([
  ["a mebibyte of empty lines", "\n", "\n".repeat(1 << 20)],
  ["a mebibyte of one line", "a", "a".repeat(1 << 20)],
  ["half a million lines that hardly differ", "a\nb\n", "a\nb\n".repeat(1 << 18)],
])("%s is merged, in bounded time", (_, part, base) => {
  const ours = `first\n${base.slice(part.length)}`;
  const theirs = `${base.slice(0, -part.length)}\nlast\n`;
  expect(merge(base, ours, theirs).text.length).toBeGreaterThan(1000);
});
