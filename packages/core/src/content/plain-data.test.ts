import { isThorough } from "../testing/growth.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readJson, readYaml, readYamlFile } from "./plain-data.ts";

const problemOf = (text: string) => {
  const read = readYaml(text, 2);
  return "problem" in read ? read.problem : undefined;
};

describe("YAML", () => {
  test("is 1.2 of the core schema: yes is a word, 010 is ten, dates are text", () => {
    const text = "a: yes\nb: 010\nc: 0x1F\nd: 2026-11-20\ne: ~\nf: true\n1: .5\n<<: {z: 1}\ng:\n- |\n  x\n";
    expect(readYaml(text, 1)).toEqual({
      value: {
        a: "yes",
        b: 10,
        c: 31,
        d: "2026-11-20",
        e: null,
        f: true,
        1: 0.5,
        "<<": { z: 1 },
        g: ["x\n"],
      },
    });
  });

  test.each([
    ["a: &x 1", "an anchor or alias on line 2"],
    ["a: &x {}", "an anchor or alias on line 2"],
    ["b: 1\na: *x", "line 3"],
    ["a: !!str 1", "a tag on line 2"],
    ["a: !thing {}", "a tag on line 2"],
    ["? [1]\n: 2", "a key that is not a word"],
    ["a: 1\na: 2", "a key twice on line 3"],
    ["1: a\n'1': b", "a key twice on line 3"],
    ["a: .inf", "not finite"],
    ["a: .nan", "not finite"],
    ['a: "\\0"', "NUL"],
    ['a: "\\uD800"', "surrogate"],
    ['"\\0": a', "NUL"],
    ["__proto__: 1", "__proto__"],
    ["a:\n  - {__proto__: 1}", "__proto__"],
    ["a: [1", "not valid YAML on line 2"],
    ["b: 1\na: b: c", "not valid YAML on line 3"],
    ["b: 1\na: b: c", "put quotes around a value that holds a colon"],
    ["a: 1\n...\n---\nb: 1", "not valid YAML"],
    [`a: ${"[".repeat(40)}${"]".repeat(40)}`, "32 levels"],
  ])("%j is refused", (text, reason) => {
    expect(problemOf(text)).toContain(reason);
  });

  test("stays 1.2 when a directive asks for 1.1", () => {
    expect(readYaml("%YAML 1.1\n--- {a: yes}", 2)).toEqual({ value: { a: "yes" } });
  });

  test("an alias bomb is refused at its first anchor", () => {
    const lines = [
      "a: &a [x, x]",
      ..."bcdefghij".split("").map((c, i) => `${c}: &${c} [*${"abcdefghi"[i]}, *a]`),
    ];
    expect(problemOf(lines.join("\n"))).toContain("an anchor or alias on line 2");
  });

  test("more of it than an entry file may hold is not read", { tags: "long" }, () => {
    expect(readYamlFile(`a: [${"word, ".repeat(43_000)}1]`)).toHaveProperty("value");
    for (const read of [readYaml, readYamlFile])
      expect(read(`a: [${"word, ".repeat(44_000)}1]`, 1)).toEqual({ problem: "is longer than 256 KiB" });
  });

  test("a file has 256 KiB at most", () => {
    const most = "a".repeat(256 * 1024);
    expect(readYamlFile(most)).toEqual({ value: most });
    expect(readYamlFile(`${most}a`)).toEqual({ problem: "is longer than 256 KiB" });
  });

  test("frontmatter with more words, marks and line breaks than anybody writes is not read, for what it costs", () => {
    for (const text of [
      "- word\n".repeat(2_340),
      `a: [${"word, ".repeat(2_730)}1]`,
      Array.from({ length: 1_200 }, (_, n) => `k${n}: value\n`).join(""),
    ])
      expect(readYaml(text, 1)).toHaveProperty("value");
    const problem = "has more than 12,000 words, marks and line breaks";
    for (const text of [
      "a:\n".repeat(5_300),
      `a: [${"1,".repeat(5_000)}1]`,
      `a: [${"1,".repeat(8_000)}1]`,
      "a: ]\n".repeat(12_000),
      `a: [${"1,".repeat(131_069)} ]`,
    ])
      expect(readYaml(text, 1)).toEqual({ problem });
  });

  test("sixteen kibibytes of anything get an answer", () => {
    const pieces = [
      "[",
      "{",
      "- ",
      "? ",
      "{a: ",
      "a: ",
      "[{",
      "&a ",
      "!t[",
      "*a ",
      "a:\n",
      "- - ",
      '"',
      "%A\n",
      "|\n ",
    ];
    for (const piece of pieces) {
      const read = readYaml(piece.repeat(16_384 / piece.length), 2);
      expect(Object.keys(read)).toHaveLength(1);
    }
  });

  test("any text gets an answer", () => {
    const unit = fc.constantFrom(
      ..."[]{}:,-?&*!|>'\"%@`#~ \n\tab01.\\/<=\0\ud800é".split(""),
      "---",
      "__proto__",
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 60 }), (text) => {
        const read = readYaml(text, 2);
        expect(Object.keys(read)).toHaveLength(1);
      }),
      { numRuns: isThorough ? 2000 : 300 },
    );
  });
});

describe("JSON", () => {
  test("is read, also after a byte order mark", () => {
    expect(readJson('\uFEFF{"a": [1]}')).toEqual({ value: { a: [1] } });
  });

  test.each([
    ["", "not valid JSON"],
    ["{", "not valid JSON"],
    ["1e999", "not finite"],
    ['"\\u0000"', "NUL"],
    ['"\\ud800"', "surrogate"],
    ['{"__proto__": {}}', "__proto__"],
    ["[".repeat(100_000) + "]".repeat(100_000), "32 levels"],
  ])("%# is refused", (text, reason) => {
    expect(readJson(text)).toEqual({ problem: expect.stringContaining(reason) });
  });
});
