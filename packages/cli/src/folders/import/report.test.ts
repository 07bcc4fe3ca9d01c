import { expect, test } from "vitest";
import type { Output } from "../../terminal/output.ts";
import type { FoundPrompt } from "./find.ts";
import type { LocalSource } from "./folder-source.ts";
import type { Imported, PlannedImport } from "./plan.ts";
import { sayAlike, sayGone, sayLeftOut, sayLicenses, sayWarnings, sayWhatElse } from "./report.ts";
import type { NamedSource } from "./with-source.ts";

const notesOf = (say: (output: Output) => void, isJson = false) => {
  const notes: string[] = [];
  say({ note: (text: string) => void notes.push(text), isJson } as unknown as Output);
  return notes;
};
const many = <One>(count: number, one: (nth: number) => One) =>
  Array.from({ length: count }, (_, n) => one(n));
const prompt = (nth: number, more: object = {}) =>
  ({
    from: `${nth}.md`,
    sourcePath: `${nth}.md`,
    name: `p${nth}`,
    title: "T",
    summary: null,
    tags: [],
    license: null,
    licenseFrom: null,
    files: [],
    warnings: [],
    ...more,
  }) as unknown as FoundPrompt;
const planned = (nth: number, more: object) =>
  ({ prompt: prompt(nth), secrets: [], status: "copy", ...more }) as unknown as PlannedImport;

const gone = (count: number) => (output: Output) =>
  sayGone(
    { isGone: (from: string) => from !== "there" } as unknown as NamedSource,
    {
      folders: new Map([["there", "there"], ...many(count, (nth) => [`${nth}.md`, `p${nth}`] as const)]),
    } as unknown as Imported,
    output,
  );
const ways: [what: string, most: number, say: (count: number) => (output: Output) => void, rest: string][] = [
  [
    "left out",
    20,
    (count) => (output) =>
      sayLeftOut(
        {
          leftOut: many(count, (nth) => ({ path: `${nth}`, reason: "is a link" })),
        } as unknown as LocalSource,
        output,
      ),
    "1 more were left out.",
  ],
  [
    "copies",
    20,
    (count) => (output) =>
      sayWhatElse(
        many(count, (nth) => planned(nth, { copyOf: "x.md" })),
        [],
        output,
      ),
    "1 more are copies. --json shows all.",
  ],
  [
    "refused",
    20,
    (count) => (output) =>
      sayWhatElse(
        [],
        many(count, (nth) => ({ sourcePath: `${nth}`, part: null, format: "f", reason: "r" })),
        output,
      ),
    "1 more were refused. --json shows all.",
  ],
  ["gone", 5, gone, "1 more stay, though what they were imported from is gone."],
  [
    "alike",
    20,
    (count) => (output) =>
      sayAlike(
        many(count, (nth) => [prompt(nth), prompt(99)]),
        output,
      ),
    "1 more have the text of another one, and are taken. --json shows all.",
  ],
  [
    "warned of",
    5,
    (count) => (output) => sayWarnings([["a.md", many(count, (nth) => `warning ${nth}`)]], output),
    "a.md: 1 more warning. --json shows all.",
  ],
  [
    "licensed elsewhere",
    5,
    (count) => (output) =>
      sayLicenses(
        many(count, (nth) => prompt(nth, { license: "MIT", licenseFrom: `LICENSE${nth}` })),
        output,
      ),
    "1 more file says licenses. --json shows all.",
  ],
];

test.each(ways)(
  "an import names what is %s one by one up to %i, then how many more",
  (_, most, say, rest) => {
    expect(notesOf(say(most))).toHaveLength(most);
    expect(notesOf(say(most))).not.toContain(rest);
    const notes = notesOf(say(most + 1));
    expect([notes.length, notes.at(-1)]).toEqual([most + 1, rest]);
  },
);

test("an import says in JSON alone what is gone, and that of which the license is known", () => {
  expect(notesOf(gone(1), true)).toEqual([]);
  expect(notesOf(gone(1))).toEqual(["p0 stays, though 0.md is gone."]);
  const licensed = [
    prompt(1),
    prompt(2, { license: "MIT" }),
    prompt(3, { license: "MIT", licenseFrom: "L" }),
  ];
  expect(notesOf((output) => sayLicenses(licensed, output), true)).toEqual([]);
  expect(notesOf((output) => sayLicenses(licensed, output))).toEqual([
    "L says the license of 1 prompt: MIT.",
    "No license is known for 1 prompt: all rights are reserved until a manifest says one.",
  ]);
  expect(notesOf((output) => sayLicenses(licensed.slice(1, 2), output))).toEqual([]);
});
