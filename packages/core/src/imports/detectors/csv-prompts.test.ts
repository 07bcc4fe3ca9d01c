import { expect, test } from "vitest";
import { piecesOf, promptIn, promptsIn, said, versionOf } from "../testing.ts";
import { csvPrompts } from "./csv-prompts.ts";

const table = (...rows: string[]) => rows.join("\r\n");

test("each row is a prompt under its title, and other columns are told once", async () => {
  const found = await promptsIn(
    "prompts.csv",
    table(
      "\uFEFFact,prompt,for_devs,type",
      'Terminal,"Act as a ""terminal"",\nplease.",TRUE,TEXT',
      "",
      "Poet,Write.,FALSE,TEXT",
    ),
  );
  expect(found).toMatchObject([
    {
      kind: "text",
      part: "Terminal",
      name: "Terminal",
      title: "Terminal",
      entry: 'Act as a "terminal",\nplease.\n',
      warnings: ["Of all rows these columns are left out: for_devs, type."],
    },
    { part: "Poet", name: "Poet", warnings: [] },
  ]);
});

test("a variable with a default keeps it", async () => {
  const draft = await promptIn(
    "a.csv",
    'Title,Prompt\nA,"Write in ${language:English} to ${First name}, in ${language} for ${team name:Core}."',
  );
  expect(said(draft, { First_name: "Ada" })).toEqual([
    { role: "user", text: "Write in English to Ada, in English for Core.\n" },
  ]);
  expect(versionOf(draft).variables).toMatchObject([
    { name: "language", default: "English" },
    { name: "team_name", default: "Core" },
    { name: "First_name", default: null },
  ]);
  expect(draft.warnings).toEqual([
    "Variables are renamed, since names have letters, digits and _ alone: First name to First_name, team name to team_name.",
  ]);
});

test("code in it stays as it is, whatever looks like a variable there", async () => {
  const code =
    "```js\nfetch(`${baseUrl}?since=${since}`)\n```\nRun `echo ${var} {{x}}`, ${error.message} or ${HOME:-/root}";
  const draft = await promptIn("a.csv", `act,prompt\nA,"Explain to \${who}:\n${code}"`);
  expect(said(draft, { who: "Ada" })).toEqual([{ role: "user", text: `Explain to Ada:\n${code}\n` }]);
  expect(versionOf(draft).variables.map(({ name }) => name)).toEqual(["who"]);
});

test("a variable may stand in braces, as other tools write it", async () => {
  const draft = await promptIn("a.csv", "label,prompt\nA,Say {{ text }} as \\{{text}} for ${1+1}.");
  expect(said(draft, { text: "hello" })).toEqual([
    { role: "user", text: "Say hello as {{text}} for ${1+1}.\n" },
  ]);
});

test("a row without its title or prompt is refused alone", async () => {
  expect(await promptsIn("a.csv", "name,prompt\nA,\n,Hello\nB\nC,Hi")).toMatchObject([
    "row 2: It has no prompt.",
    "row 3: It has no title.",
    "row 4: It has no prompt.",
    { part: "C" },
  ]);
});

test.for(["prompt,answer\na,b", "name,text\na,b", "", "act\nprompt", '"act', "a;prompt\na;b"])(
  "%j is no table of prompts",
  async (text) => expect(await promptsIn("a.csv", text)).toEqual([]),
);

test("a table with other marks between its cells says so", async () => {
  await expect(promptsIn("a.csv", "act;prompt\na;b")).rejects.toThrow("Separate them by commas.");
});

test("a table that breaks off is refused after the rows that it has", async () => {
  const found: unknown[] = [];
  const read = async () => {
    for await (const one of csvPrompts.stream(piecesOf('act,prompt\nA,Hi\nB,"Hello'), "a.csv"))
      found.push(one);
  };
  await expect(read()).rejects.toThrow("Line 3: A quote opens here and never closes.");
  expect(found).toHaveLength(1);
});

test("other tables are not read to their ends", async () => {
  let pieces = 0;
  async function* endless() {
    for (;;) {
      pieces++;
      yield new TextEncoder().encode("a,b\n".repeat(1000));
    }
  }
  for await (const _ of csvPrompts.stream(endless(), "a.csv")) expect.unreachable();
  expect(pieces).toBe(1);
});

async function read(...pieces: Uint8Array[]) {
  async function* chunks() {
    yield* pieces;
  }
  const found: unknown[] = [];
  for await (const one of csvPrompts.stream(chunks(), "a.csv")) found.push(one);
  return found;
}
const bytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

test("a row that is not UTF-8 is refused alone, and another table of that kind is none", async () => {
  expect(await read(bytes("act,prompt\nCaf\xe9,Hi\nB,Hi"))).toMatchObject([
    { part: "row 2", message: "It is not UTF-8. Save the file as UTF-8." },
    { name: "B" },
  ]);
  expect(await read(bytes("caf\xe9,prompt\nA,Hi"))).toEqual([]);
});

test("a row without an end is refused", async () => {
  const pieces = Array.from({ length: 40 }, () => new Uint8Array(1024 * 1024).fill(0x61));
  await expect(read(bytes('act,prompt\nA,"'), ...pieces)).rejects.toThrow(
    "Line 2: A row can take 1 MiB of a file.",
  );
});
