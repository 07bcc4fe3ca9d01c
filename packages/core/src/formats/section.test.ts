import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { putSection, readSection, removeSection, SectionError } from "./index.ts";

const ref = "alice/pr-review";
const other = "alice/pr";
const section = (name: string, text: string) =>
  `<!-- promptreg:begin ${name} -->\n${text}<!-- promptreg:end ${name} -->\n`;

describe("the section of a prompt in a shared file", () => {
  test("is appended below an empty line, and is the whole of an empty file", () => {
    expect(putSection("", ref, "Be kind.\n")).toBe(section(ref, "Be kind.\n"));
    expect(putSection("# Us\n", ref, "Be kind.\n")).toBe(`# Us\n\n${section(ref, "Be kind.\n")}`);
  });

  test("is replaced where it is", () => {
    const before = `# Us\n${section(other, "A\n")}mid\n${section(ref, "Old\ntext\n")}end`;
    const after = `# Us\n${section(other, "A\n")}mid\n${section(ref, "New\n")}end`;
    expect(putSection(before, ref, "New\n")).toBe(after);
    expect([readSection(after, ref), readSection(after, other)]).toEqual(["New\n", "A\n"]);
    expect(readSection(after, "alice/none")).toBeUndefined();
  });

  test("has the line breaks of the file", () => {
    const text = putSection("# Us\r\n", ref, "a\nb\n");
    expect(text).toBe(`# Us\r\n\r\n${section(ref, "a\nb\n").replaceAll("\n", "\r\n")}`);
    expect(readSection(text, ref)).toBe("a\nb\n");
    expect(putSection(text, ref, "a\nb\n")).toBe(text);
    expect(removeSection(text, ref)).toBe("# Us\r\n");
  });

  test("leaves every byte outside it as it was, in any file", () => {
    const line = fc.constantFrom(
      "",
      "a",
      "# b",
      "\uFEFF",
      " <!-- promptreg:begin alice/pr-review -->",
      "---",
      "\r",
    );
    const file = fc
      .array(fc.tuple(line, fc.constantFrom("\n", "\r\n", "")))
      .map((all) => all.flat().join(""));
    const content = fc.constantFrom("", "x\n", "```\n", "---\na: b\n---\n");
    fc.assert(
      fc.property(file, content, content, (text, first, second) => {
        const one = putSection(text, ref, first);
        expect(one.startsWith(text)).toBe(true);
        expect(readSection(one, ref)).toBe(first);
        expect(removeSection(one, ref)).toBe(text);
        const two = putSection(one, other, second);
        expect(removeSection(two, other)).toBe(one);
        expect(removeSection(removeSection(two, ref), other)).toBe(text);
        expect(putSection(putSection(two, ref, second), ref, first)).toBe(two);
      }),
    );
  });

  test("does not join lines when it goes from between them", () => {
    const text = putSection("above", ref, "x\n");
    expect(removeSection(`${text}below`, ref)).toBe("above\nbelow");
    expect(removeSection(`${text}below\n`, ref)).toBe("above\nbelow\n");
    expect(removeSection(`${text}\nbelow`, ref)).toBe("above\nbelow");
    expect(removeSection("as it is", ref)).toBe("as it is");
    const windows = section(ref, "x\n").replaceAll("\n", "\r\n");
    expect(removeSection(`above\n${windows}`, ref)).toBe("above\n");
  });

  test("is found by whole lines alone", () => {
    const text = `See ${section(ref, "x\n").replaceAll("\n", " ")}\n`;
    expect(readSection(text, ref)).toBeUndefined();
    expect(putSection(text, ref, "y\n")).toBe(`${text}\n${section(ref, "y\n")}`);
  });

  test.for([
    ["no end", section(ref, "x\n").replace(/<!-- promptreg:end.*/, "")],
    ["no begin", section(ref, "x\n").replace(/<!-- promptreg:begin.*/, "")],
    ["the end first", section(ref, "x\n").split("\n").toReversed().join("\n")],
    ["two sections", section(ref, "x\n") + section(ref, "y\n")],
    ["two begins", section(ref, "x\n").replace(/.*\n/, "$&$&")],
    ["two ends", section(ref, "x\n").replace(/.*end.*\n/, "$&$&")],
  ] as const)("is not guessed: %s", ([, text]) => {
    for (const work of [
      () => putSection(text, ref, "z\n"),
      () => removeSection(text, ref),
      () => readSection(text, ref),
    ])
      expect(work).toThrow(SectionError);
  });

  test("cannot hold marks, its own or those of others", () => {
    for (const content of [
      section(ref, "x\n"),
      `a <!--  PROMPTREG:end ${other}`,
      "<!--\npromptreg:begin x/y -->\n",
    ])
      expect(() => putSection("", ref, content)).toThrow(expect.objectContaining({ code: "format_unsafe" }));
  });

  test("cannot open a comment that hides its end", () => {
    for (const content of ["a <!-- b\n", "<!-- a -->\n<!--\nb\n", "--> <!--\n"])
      expect(() => putSection("", ref, content)).toThrow(expect.objectContaining({ code: "format_unsafe" }));
    expect(putSection("", ref, "<!-- a --> b\n")).toBe(section(ref, "<!-- a --> b\n"));
  });
});
