import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@promptreg/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startReal } from "./real.ts";

const registry = await startReal();
const { baseUrl, token, fetch } = registry;
const folder = await mkdtemp(join(tmpdir(), "promptreg-"));
afterAll(async () => {
  await registry.close();
  await rm(folder, { recursive: true });
});

const collection = (...args: string[]) => registry.cli(["collection", ...args]);
const jsonOf = async (...args: string[]) => JSON.parse((await collection(...args, "--json")).stdout);
const create = async (title: string, ...refs: string[]): Promise<string> => {
  const { id } = await jsonOf("create", title);
  if (refs.length > 0) await collection("add", id, ...refs);
  return id;
};
const refsOf = async (id: string) =>
  (await jsonOf("show", id)).items.map(({ target }: { target: { ref: string } }) => target.ref);

beforeAll(async () => {
  const client = createClient({ baseUrl, token, fetch });
  const files = [{ path: "PROMPT.md", content: "Hello" }];
  for (const slug of ["one", "two", "three"])
    await client.prompts.create({ body: { kind: "text", visibility: "public", slug, title: slug, files } });
  await client.prompts.create({
    body: { kind: "text", slug: "draft", title: "Draft", files, publish: false },
  });
});

describe("collection", () => {
  test("create makes a public one, edit changes it, and delete asks before it is gone", async () => {
    const { stdout } = await collection("create", "Support", "--description", "What we say");
    expect(stdout).toMatch(/^col_\w{26} "Support" is created, and public\n$/);
    const id = stdout.slice(0, 30);
    expect(await collection("edit", id)).toMatchObject({ exitCode: 2, stdout: "" });
    const edited = await collection(
      "edit",
      id,
      "--title",
      "Help",
      "--no-description",
      "--visibility",
      "private",
    );
    expect(edited.stdout).toBe(`${id} "Help" is edited\n`);
    expect(await jsonOf("show", id)).toMatchObject({
      title: "Help",
      description: null,
      visibility: "private",
    });
    const opened = await registry.cli(["collection", "edit", id, "--visibility", "public"], {
      answers: [false],
    });
    expect(opened.asked).toEqual([`Make the collection ${id} "Help" public?`]);
    const open = await create("Open");
    const same = await registry.cli(["collection", "edit", open, "--visibility", "public"], { answers: [] });
    expect([same.asked, same.exitCode]).toEqual([[], 0]);
    const { asked } = await registry.cli(["collection", "delete", id], { answers: [true] });
    expect(asked).toEqual([`Delete the collection ${id} "Help"? The prompts in it stay.`]);
    expect((await collection("show", id)).stderr).toContain("Not found.");
    expect(await jsonOf("delete", open, "--yes")).toEqual({ id: open, deleted: true });
  });

  test("edit and delete leave one that changed while they asked", async () => {
    const { id } = await jsonOf("create", "Asked", "--visibility", "private");
    for (const command of [
      ["edit", id, "--visibility", "public"],
      ["delete", id],
    ]) {
      const confirm = async () => {
        await collection("edit", id, "--title", `Before ${command[0]}`);
        return true;
      };
      const { exitCode } = await registry.cli(["collection", ...command], { confirm });
      expect([command, exitCode]).toEqual([command, 5]);
    }
    expect(await jsonOf("show", id)).toMatchObject({ title: "Before delete", visibility: "private" });
  });

  test("list has one's own, or public ones, by words and by what they contain", async () => {
    const id = await create("Walrus", "ada/one");
    await collection("create", "Hidden walrus", "--visibility", "private");
    const titles = async (...args: string[]) =>
      (await jsonOf("list", ...args)).items.map(({ title }: { title: string }) => title);
    expect(await titles("--query", "walrus")).toEqual(["Hidden walrus", "Walrus"]);
    expect(await titles("--public", "--query", "walrus")).toEqual(["Walrus"]);
    expect(await titles("--owner", "ada", "--contains", "ada/one")).toEqual(["Walrus"]);
    expect((await collection("list", "--query", "walrus")).stdout).toContain(`${id}\tWalrus\t1\tpublic\tada`);
    expect((await collection("list", "--contains", "ada/three")).stderr).toBe("There are no collections.\n");
  });

  test("add, remove and reorder change its prompts", async () => {
    const id = await create("Changing");
    expect((await collection("add", id, "ada/one", "ada/two", "--note", "Read it")).stdout).toBe(
      `${id} has ada/one, ada/two\n`,
    );
    await collection("add", id, "ada/three", "ada/one");
    expect(await refsOf(id)).toEqual(["ada/one", "ada/two", "ada/three"]);
    const { stdout: shown } = await collection("show", id);
    expect(shown).toContain("2\tada/two\ttwo\tRead it");
    for (const name of ["title", "description", "visibility", "owner", "cover"])
      expect(shown).toMatch(new RegExp(`^${name}\\s+\\S`, "m"));
    expect((await collection("reorder", id, "ada/three")).stdout).toBe(
      `${id} begins with ada/three, before 2 other items\n`,
    );
    expect(await refsOf(id)).toEqual(["ada/three", "ada/one", "ada/two"]);
    expect(await collection("reorder", id, "ada/draft")).toMatchObject({
      stdout: "",
      stderr: expect.stringContaining(`The collection ${id} does not contain ada/draft.`),
    });
    expect((await collection("remove", id, "ada/one", "ada/never")).stdout).toBe(
      `${id} has ada/one, ada/never no more\n`,
    );
    expect(await refsOf(id)).toEqual(["ada/three", "ada/two"]);
  });

  test("add says what it added before it failed", async () => {
    const id = await create("Half");
    const add = async (...refs: string[]) => (await collection("add", id, ...refs, "ada/missing")).stderr;
    expect(await add()).toContain("ada/missing: ");
    expect(await add("ada/one")).toContain("ada/one is added, but ada/missing: ");
    expect(await add("ada/one", "ada/two")).toContain("ada/one, ada/two are added, but ada/missing: ");
    expect(await refsOf(id)).toEqual(["ada/one", "ada/two"]);
  });

  test("its id is completed with its title, and refused if it is none", async () => {
    const id = await create("Completed");
    const { stdout } = await registry.cli(["__complete", "--", "collection", "show", id.slice(0, 6)]);
    expect(stdout).toContain(`${id}\tCompleted`);
    const { exitCode, stderr } = await collection("show", "support");
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("Write the id of a collection")]);
  });
});

describe("a whole collection", () => {
  test("is pulled into folders, without what has no version", async () => {
    const id = await create("Pulled", "ada/two", "ada/draft", "ada/one");
    const into = join(folder, "prompts");
    const { exitCode, stderr } = await registry.cli([
      "pull",
      `collection:${id}`,
      "ada/three",
      "--into",
      into,
    ]);
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining("no version: ada/draft.")]);
    expect((await readdir(into)).sort()).toEqual(["one", "three", "two"]);
    const again = await registry.cli(["pull", `collection:${id}`, "--into", into, "--json"]);
    expect(JSON.parse(again.stdout).results.map((one: any) => [one.ref, one.status])).toEqual([
      ["ada/two", "unchanged"],
      ["ada/one", "unchanged"],
    ]);
  });

  test("is installed, recorded, and pinned where one of it is named too", async () => {
    const id = await create("Installed", "ada/one", "ada/two");
    const project = join(folder, "project");
    await mkdir(project);
    const tool = ["--for", "claude", "--project", project];
    const { exitCode } = await registry.cli(["install", `collection:${id}`, "ada/two@1", ...tool]);
    const record = JSON.parse(await readFile(join(project, "promptreg.installed.json"), "utf8"));
    const asked = Object.entries(record.prompts).map(([ref, one]: any) => [ref, one.for.claude.asked]);
    expect([exitCode, asked]).toEqual([
      0,
      [
        ["ada/one", "latest"],
        ["ada/two", "1"],
      ],
    ]);
  });

  test("is locked at the latest versions", async () => {
    const id = await create("Locked", "ada/one", "ada/two");
    const file = join(folder, "promptreg.lock");
    await registry.cli(["lock", `collection:${id}`, "--file", file]);
    expect(Object.keys(JSON.parse(await readFile(file, "utf8")).prompts)).toEqual([
      "ada/one@latest",
      "ada/two@latest",
    ]);
  });

  test("is refused if there is nothing in it, or if it is not there", async () => {
    const id = await create("Empty");
    for (const command of [
      ["pull", "--into", folder],
      ["install", "--for", "claude", "--project", folder],
    ]) {
      const [verb = "", ...options] = command;
      expect((await registry.cli([verb, `collection:${id}`, ...options])).stderr).toContain(
        `The collection ${id} has no prompt with a version that you can see.`,
      );
      const missing = `collection:col_${"0".repeat(26)}`;
      expect((await registry.cli([verb, missing, ...options])).stderr).toContain("Not found.");
      expect((await registry.cli([verb, "collection:x", ...options])).exitCode).toBe(2);
    }
  });
});
