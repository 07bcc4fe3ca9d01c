import { createClient } from "@promptreg/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startReal } from "./real.ts";

const registry = await startReal();
const { baseUrl, token, fetch } = registry;
afterAll(() => registry.close());

const search = (...words: string[]) => registry.cli(["search", ...words]);

beforeAll(async () => {
  const client = createClient({ baseUrl, token, fetch });
  const make = (slug: string, fields: { title: string; tags?: string[]; content: string }) => {
    const { content, ...about } = fields;
    const files = [{ path: "PROMPT.md", content }];
    return client.prompts.create({ body: { kind: "text", visibility: "public", slug, files, ...about } });
  };
  await make("walrus", { title: "Walrus", tags: ["sea"], content: "Feed it.\n\u001b[31mThe walrus is red." });
  await make("zoo", { title: "The zoo", content: "A walrus and a lion." });
});

test("search shows what was found, the best first, and where it matches", async () => {
  const { stdout } = await search("walrus");
  expect(stdout.split("\n").slice(0, 2)).toEqual([
    "ada/walrus\tWalrus\t0\tFeed it. [31mThe walrus is red.",
    "ada/zoo\tThe zoo\t0\tA walrus and a lion.",
  ]);
});

test("search takes several words, phrases, exclusions and filters", async () => {
  expect((await search("walrus", "lion")).stdout).toMatch(/^ada\/zoo\t/);
  expect((await search("walrus -lion")).stdout).toMatch(/^ada\/walrus\t[^\n]*\n$/);
  expect((await search('"red walrus"')).stderr).toMatch(/^No public prompts found\./);
  expect((await search("walrus", "--tag", "sea", "--kind", "text", "--owner", "ada")).stdout).toMatch(
    /^ada\/walrus\t[^\n]*\n$/,
  );
  expect((await search("walrus", "--kind", "skill")).stderr).toBe(
    "No public prompts found. `promptreg list --query` finds your own.\n",
  );
});

test("search needs a word, and refuses a kind that does not exist", async () => {
  expect(await search(" ")).toMatchObject({ exitCode: 2, stderr: "error: Write what to search for.\n" });
  for (const command of [["search", "walrus"], ["list"]])
    expect(await registry.cli([...command, "--kind", "nokind"])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/'nokind' is invalid\. Allowed choices are text, chat, .*, command\./),
    });
});

test("search names what a misspelt word may have meant", async () => {
  expect((await search("walrsu")).stderr).toBe(
    "No public prompts found. Did you mean Walrus (ada/walrus)? `promptreg list --query` finds your own.\n",
  );
});

test("search says that there is more, and gives JSON", async () => {
  const { stdout, stderr } = await search("walrus", "--limit", "1", "--sort", "stars");
  expect([stdout.trim().split("\n").length, stderr]).toEqual([
    1,
    "There are more: use --limit, up to 1000.\n",
  ]);
  const { items } = JSON.parse((await search("walrus", "--json")).stdout);
  expect(items[0]).toMatchObject({
    type: "prompt",
    highlights: { title: [{ text: "Walrus", match: true }] },
    entity: { ref: "ada/walrus" },
  });
});
