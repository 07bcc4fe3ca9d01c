import { describe, expect, test } from "vitest";
import { readLenient } from "./frontmatter.ts";

/** Frontmatter that is no YAML, so that it is read line by line. */
const noYaml = "description: Use when: x";
const read = (...lines: string[]) => readLenient(`---\n${[noYaml, ...lines].join("\n")}\n---\nBody\n`);

describe("frontmatter that is no YAML", () => {
  test.each<[string, unknown]>([
    ["x:", null],
    ["x: true", true],
    ["x: false", false],
    ["x: [a, 'b c', , \"d\"]", ["a", "b c", "d"]],
    ["x: [a] b", "[a] b"],
    ["x: a [b]", "a [b]"],
    ["x: 'a b'", "a b"],
    ["x: say 'a'", "say 'a'"],
    ["x: 'a' b", "'a' b"],
    ["x: 'a\"", "'a\""],
    ["x : a\u2028b", "a\u2028b"],
    ["x:\n  - a\n- 'b'\n\t-\tc - d", ["a", "b", "c - d"]],
  ])("has a value in %j", (line, x) => {
    expect(read(line)).toEqual({ data: { description: "Use when: x", x }, body: "Body\n", warnings: [] });
  });

  test.each(["  x: a", ": a", "- a", "x\n", "x: a\n- b", "x: [a]\nb - c"])(
    "has a line that cannot be read in %j",
    (line) => {
      const at = line.includes("\n") && line !== "x\n" ? 4 : 3;
      expect(read(line).warnings).toEqual([
        expect.stringMatching(new RegExp(` Line ${at} of it could not be read\\.$`)),
      ]);
    },
  );

  test("may have comments and empty lines, and of its lines that cannot be read twenty are named", () => {
    expect(read("", "  # a", "\t", "#b").warnings).toEqual([]);
    const numbers = Array.from({ length: 20 }, (_, nth) => nth + 3).join(", ");
    expect(read(...Array.from({ length: 21 }, () => "odd")).warnings).toEqual([
      expect.stringMatching(new RegExp(` Lines ${numbers} of it could not be read\\.$`)),
    ]);
  });

  test("has 64 KiB at most, as nobody writes more", () => {
    const filling = 64 * 1024 - noYaml.length - "\nx: ".length;
    expect(read(`x: ${"a".repeat(filling)}`).data).toMatchObject({ x: "a".repeat(filling) });
    expect(() => read(`x: ${"a".repeat(filling + 1)}`)).toThrow(/^The frontmatter is not valid YAML/);
  });
});

test.each([
  ["---\nx: 1\n", ["The frontmatter has no closing ---. It stays in the text."]],
  ["\ufeff--- \r\nx: 1\n", ["The frontmatter has no closing ---. It stays in the text."]],
  ["A line.\n---\nAnother.\n", []],
  ["----\nx: 1\n", []],
])("%j has no frontmatter, and a warning if it begins like one", (text, warnings) => {
  expect(readLenient(text)).toEqual({ data: {}, body: text.replace("\ufeff", ""), warnings });
});
