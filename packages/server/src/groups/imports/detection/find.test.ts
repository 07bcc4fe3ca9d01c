import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NearIndex } from "@promptreg/core/imports";
import { afterAll, beforeAll, expect, test } from "vitest";
import { find } from "./find.ts";
import { withFolder } from "../folders.ts";
import { findItems, short } from "./items.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "promptreg-find-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** How many items come together of rules with so many characters each, and what is said of the others. */
async function found(sizes: readonly number[], most = 500) {
  const [file, own] = [join(folder, "texts.json"), join(folder, "own.jsonl")];
  const rules = sizes.map((size, nth) => ({
    path: `.cursor/rules/rule-${nth}.mdc`,
    content: `---\nalwaysApply: true\n---\n\nRule ${nth}: ${"be brief ".repeat(size / 9)}\n`,
  }));
  await writeFile(file, JSON.stringify(rules));
  await writeFile(own, "");
  const [batches, positions]: [number[], number[]] = [[], []];
  const { warnings } = await find(
    { material: { type: "texts", file }, isPaste: false, own, most },
    {
      async onItems(items) {
        batches.push(items.length);
        positions.push(...items.map(({ slug }) => Number(slug.replace("rule-", ""))));
      },
      rest: async () => {},
    },
  );
  return { batches, rules: positions, warnings };
}

test("items go on fifty at a time, each once", async () => {
  const { batches, rules } = await found(Array.from({ length: 101 }, () => 0));
  expect([batches, new Set(rules).size]).toEqual([[50, 50, 1], 101]);
  expect((await found(Array.from({ length: 50 }, () => 0))).batches).toEqual([50]);
});

test("items go on as soon as they are a megabyte", async () => {
  const sizes = [9, 240_000, 240_000, 240_000, 240_000, 240_000, 9];
  expect((await found(sizes)).batches).toEqual([6, 1]);
});

test("what cannot be a draft, or is one too many, is named, and the others are found", async () => {
  const { rules, warnings } = await found([9, 300_000, 9, 9], 2);
  expect(rules).toEqual([0, 2]);
  expect(warnings).toEqual([
    "There are more prompts than 2. Import the others by themselves.",
    expect.stringContaining("rule-1.mdc: "),
  ]);
});

test("a prompt has 10 MiB at most, with the files that it takes along", async () => {
  const skill = "---\nname: sums\ndescription: Sums up.\n---\n\nSum up.\n";
  const leftOut = async (bytes: number) => {
    const contents = new Map([
      ["sums/SKILL.md", skill],
      ["sums/a.txt", "a"],
      ["sums/b.txt", "b"],
    ]);
    const files = [...contents.keys()].map((path, nth) => ({ path, size: nth === 0 ? 99 : bytes / 2, mode }));
    const read = async (path: string) => Buffer.from(contents.get(path) ?? "");
    const source = { files, read, stream: () => [] as never };
    const options = { isPaste: false, isNamed: false, near: new NearIndex(), most: 9, rest: async () => {} };
    const items = findItems(source, options);
    const first = await items.next();
    return first.done ? first.value : (await items.next()).value;
  };
  const mode = "100644" as const;
  expect(await leftOut(10 * 1024 * 1024)).toEqual([]);
  expect(await leftOut(10 * 1024 * 1024 + 2)).toEqual([expect.stringContaining("It has over 10 MiB.")]);
});

test("a folder that was deleted meanwhile is no failure of the work in it", async () => {
  const work = (lent: string) => rm(lent, { recursive: true });
  await expect(withFolder(work)).resolves.toBeUndefined();
});

test("of many sentences the first are shown, and how many more there are", () => {
  expect(short(["x".repeat(501)], 1)).toEqual(["x".repeat(500)]);
  expect([short(["a", "b"], 2), short(["a", "b", "c", "d"], 2)]).toEqual([
    ["a", "b"],
    ["a", "b", "2 more."],
  ]);
});
