import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createClient } from "@promptreg/client";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { makeHome } from "./folders.ts";
import { startReal } from "./real.ts";

const registry = await startReal();
const home = await makeHome();
const client = createClient(registry);
afterAll(() => registry.close());
beforeEach(() => void (registry.requests.length = 0));

const push = (...args: string[]) => registry.cli(["push", ...args]);
const get = (slug: string) => client.prompts.get({ owner: "ada", slug });
const update = (slug: string, body: object) => client.prompts.update({ owner: "ada", slug, body });
const writes = () =>
  registry.requests.flatMap(({ method, operation }) => (method === "GET" ? [] : [operation]));

/** Writes a manifest anew, beside files that stay. */
const say = (folder: string, slug: string, about: object) => home.prompt(folder, slug, {}, about);
const begin = async (slug: string, about: object = {}) => {
  const folder = await home.prompt(join(home.place(), slug), `ada/${slug}`, undefined, {
    title: "Begun",
    ...about,
  });
  await push(folder, "--yes");
  registry.requests.length = 0;
  return folder;
};

describe("what the manifest says of a prompt", () => {
  test("is pushed without its files, field by field, and cleared by null", async () => {
    const folder = await begin("said", { summary: "Old", license: "MIT" });
    const about = { title: "New", summary: null, tags: ["b", "a"], license: "mit", rating: "mature" };
    await say(folder, "ada/said", about);
    const plan = await push(folder, "--dry-run");
    expect(plan.stdout).toBe(
      "ada/said would be edited at version 1\ntitle: Begun → New\nsummary: Old → none\ntags: none → b, a\nrating: general → mature\n",
    );
    expect(writes()).toEqual([]);
    const { stdout } = await push(folder, "--json");
    expect(JSON.parse(stdout).results).toMatchObject([
      { status: "edited", versionNumber: 1, about: { title: { from: "Begun", to: "New" } } },
    ]);
    expect(await get("said")).toMatchObject({ ...about, license: "MIT", latestVersion: 1 });
    expect(writes()).toEqual(["prompts.update"]);
    expect((await push(folder)).stdout).toBe("ada/said unchanged at version 1\n");
  });

  test("stays in the registry where the manifest is silent", async () => {
    const folder = await begin("silent", { tags: ["a"], summary: "Kept" });
    await say(folder, "ada/silent", { title: "Begun" });
    expect((await push(folder)).stdout).toBe("ada/silent unchanged at version 1\n");
    expect(await get("silent")).toMatchObject({ tags: ["a"], summary: "Kept" });
  });

  test("goes after the files, but for a visibility that is narrowed", async () => {
    const folder = await begin("narrowed", { visibility: "public" });
    await writeFile(join(folder, "PROMPT.md"), "Not for everybody\n");
    await say(folder, "ada/narrowed", { title: "New", visibility: "private" });
    const { stdout } = await push(folder);
    expect(writes()).toEqual(["prompts.update", "prompts.versions.create", "prompts.update"]);
    expect(stdout).toBe(
      "ada/narrowed is now at version 2\ntitle: Begun → New\nvisibility: public → private\n",
    );
    expect(await get("narrowed")).toMatchObject({ title: "New", visibility: "private", latestVersion: 2 });
    const alone = await begin("narrowed-alone", { visibility: "public" });
    await say(alone, "ada/narrowed-alone", { title: "New", visibility: "private" });
    await push(alone);
    expect(writes()).toEqual(["prompts.update"]);
  });

  test("that could not follow the files is told of together with them", async () => {
    const folder = await begin("halfway");
    await writeFile(join(folder, "PROMPT.md"), "Other\n");
    await say(folder, "ada/halfway", { title: "New" });
    registry.fail({ code: "forbidden" }, { on: "prompts.update", times: 1 });
    const { stderr, exitCode } = await push(folder);
    expect(stderr).toContain(`${folder}: version 2 sent before the error.`);
    expect(exitCode).toBe(3);
    expect((await push(folder)).stdout).toBe("ada/halfway edited at version 2\ntitle: Begun → New\n");
  });

  test("does not undo what was changed in the registry alone, however often it is pushed", async () => {
    const folder = await begin("theirs", { tags: ["a"] });
    await update("theirs", { title: "Theirs" });
    await say(folder, "ada/theirs", { title: "Begun", tags: ["b"] });
    for (const stdout of [
      "ada/theirs edited at version 1\ntags: a → b\n",
      "ada/theirs unchanged at version 1\n",
    ]) {
      const pushed = await push(folder);
      expect(pushed.stdout).toBe(stdout);
      expect(pushed.stderr).toContain("the title changed in the registry only, and stays as it is there.");
    }
    expect(await get("theirs")).toMatchObject({ title: "Theirs", tags: ["b"] });
  });

  test("stops where it changed on both sides, and says how to go on", async () => {
    const folder = await begin("both");
    await update("both", { title: "Theirs" });
    await say(folder, "ada/both", { title: "Mine" });
    const { exitCode, stderr } = await push(folder);
    expect(stderr).toContain("The title of ada/both changed here and in the registry.");
    expect(exitCode).toBe(5);
    await say(folder, "ada/both", { title: "Theirs" });
    expect(await push(folder)).toMatchObject({ exitCode: 0, stdout: "ada/both unchanged at version 1\n" });
  });

  test("names its owner from the first push on, and keeps its layout and its other keys", async () => {
    const folder = await home.prompt(home.place(), "owned");
    const file = join(folder, "promptreg.json");
    const text =
      '{\r\n\t"kind": "text",\r\n\t"prompt": "owned",\r\n\t"tags": ["a", "b"],\r\n\t"title": "T"\r\n}';
    await writeFile(file, text);
    expect((await push(folder)).stderr).toContain(`${file} names the owner ada now.\n`);
    expect(await readFile(file, "utf8")).toBe(text.replace('"owned"', '"ada/owned"'));
    expect((await push(folder)).stderr).toBe("");
  });
});

describe("a visibility that somebody changed in the registry", () => {
  test("to more than the manifest says is asked about before files go there", async () => {
    const folder = await begin("opened-there", { visibility: "private" });
    await update("opened-there", { visibility: "public" });
    await writeFile(join(folder, "PROMPT.md"), "Internal\n");
    const { exitCode, stderr } = await push(folder);
    expect(stderr).toContain(
      "ada/opened-there is public, but not in its manifest. Everyone can read:\n  PROMPT.md\n",
    );
    expect(exitCode).toBe(2);
    expect(writes()).toEqual(["prompts.update"]);
    const pushed = await push(folder, "--yes");
    expect(pushed.stderr).toContain("the visibility (now public) changed in the registry only");
    expect(pushed.exitCode).toBe(0);
  });

  test("to less stays where nothing tells, as in a pipeline, unless the manifest is to win", async () => {
    await begin("narrowed-there", { visibility: "public" });
    await update("narrowed-there", { visibility: "private" });
    const about = { title: "Begun", visibility: "public" };
    const clone = await home.prompt(home.place(), "ada/narrowed-there", undefined, about);
    for (const stdout of [
      "ada/narrowed-there unchanged at version 1\n",
      "ada/narrowed-there unchanged at version 1\n",
    ]) {
      const pushed = await push(clone, "--yes");
      expect(pushed.stdout).toBe(stdout);
      expect(pushed.stderr).toContain("`promptreg edit ada/narrowed-there --visibility public` widens it.");
    }
    expect(await get("narrowed-there")).toMatchObject({ visibility: "private" });
    expect(await push(clone, "--onto=latest")).toMatchObject({ exitCode: 2 });
    expect(await push(clone, "--onto=latest", "--yes")).toMatchObject({ exitCode: 0 });
    expect(await get("narrowed-there")).toMatchObject({ visibility: "public" });
    // To narrow it needs no state.
    const other = { ...about, visibility: "private" };
    await push(await home.prompt(home.place(), "ada/narrowed-there", undefined, other));
    expect(await get("narrowed-there")).toMatchObject({ visibility: "private" });
  });
});

describe("where manifest and registry differ", () => {
  const manifestOf = async (folder: string) =>
    JSON.parse(await readFile(join(folder, "promptreg.json"), "utf8"));

  test("status and diff say which fields, and on which side they changed", async () => {
    const folder = await begin("differs", { tags: ["a"] });
    await update("differs", { title: "Theirs", tags: ["b"] });
    await say(folder, "ada/differs", { title: "Begun", tags: ["c"], summary: "Mine" });
    const { stdout } = await registry.cli(["status", folder]);
    expect(stdout).toBe(
      `${folder}\tada/differs\tthe files of version 1; summary changed here; title changed in the registry; tags changed on both sides\n`,
    );
    const status = await registry.cli(["status", folder, "--json"]);
    expect(JSON.parse(status.stdout).results).toMatchObject([
      { status: "edited", about: { ours: { summary: { to: "Mine" } }, theirs: ["title"], both: ["tags"] } },
    ]);
    expect((await registry.cli(["diff", folder])).stdout).toBe("summary: none → Mine\n");
  });

  test("pull brings what changed there, and leaves what changed here and what nobody says", async () => {
    const folder = await begin("brought", { tags: ["a"], summary: "Old", license: "MIT" });
    await update("brought", { title: "Theirs", summary: null, tags: ["b"], rating: "mature" });
    await say(folder, "ada/brought", { title: "Begun", summary: "Old", tags: ["c"], license: "ISC" });
    const { stderr } = await registry.cli(["pull", "ada/brought", "--into", join(folder, "..")]);
    expect(stderr).toContain("now has the registry's title, summary, rating.");
    expect(stderr).toContain("the tags changed here and in the registry. The local value stays.");
    expect(await manifestOf(folder)).toEqual({
      prompt: "ada/brought",
      kind: "text",
      title: "Theirs",
      summary: null,
      tags: ["c"],
      license: "ISC",
      rating: "mature",
    });
  });

  test("pull brings what the manifest never spoke of, though a push came before it", async () => {
    const folder = await begin("unspoken");
    await update("unspoken", { summary: "Theirs", license: "MIT" });
    expect((await push(folder)).stderr).toContain("the summary and license changed in the registry only");
    expect((await registry.cli(["status", folder])).stdout).toContain(
      "; summary, license changed in the registry\n",
    );
    await push(folder, "--onto=latest");
    await registry.cli(["pull", "ada/unspoken", "--into", folder]);
    expect(await manifestOf(folder)).toMatchObject({ summary: "Theirs", license: "MIT" });
    expect((await push(folder)).stderr).toBe("");
  });

  test("status compares the other folders though one cannot be read", async () => {
    const tree = home.place();
    await home.prompt(join(tree, "good"), "ada/differs");
    await home.prompt(join(tree, "bad"), "ada/bad", undefined, { title: 1 });
    const { exitCode, stdout, stderr } = await registry.cli(["status", tree]);
    expect(stdout).toContain("good\tada/differs\t");
    expect(stderr).toMatch(/^error: .*bad.*\n {2}title: .*\n1 of 2 prompts was refused\.\n$/);
    expect(exitCode).toBe(6);
  });
});

describe("whatever lets others read a prompt", () => {
  const files = { "PROMPT.md": "Hello\n", "docs/notes.md": "Internal\n" };
  const list = (ref: string, who: string, whoever: string) =>
    `${ref} becomes ${who}. ${whoever} can read:\n  PROMPT.md\n  docs/notes.md\n`;

  test("lists its files and asks once before anything of the run is sent", async () => {
    const tree = home.place();
    await home.prompt(join(tree, "a"), "ada/open-a", files, { visibility: "public" });
    await home.prompt(join(tree, "b"), "ada/open-b", files, { visibility: "unlisted" });
    await home.prompt(join(tree, "c"), "ada/open-c", files);
    const listed =
      list("ada/open-a", "public", "Everyone") + list("ada/open-b", "unlisted", "Anyone with the address");
    const unasked = await push(tree);
    expect(unasked).toMatchObject({ exitCode: 2, stdout: "" });
    expect(unasked.stderr).toContain(listed);
    expect(unasked.stderr).toContain("Answer with --yes");
    const refused = await registry.cli(["push", tree], { answers: [false] });
    expect(refused).toMatchObject({ exitCode: 130, asked: ["Make these 2 prompts readable to others?"] });
    expect((await push(tree, "--dry-run")).stderr).toBe(listed);
    expect(writes()).toEqual([]);
    const agreed = await registry.cli(["push", tree], { answers: [true] });
    expect(agreed).toMatchObject({ exitCode: 0, stderr: listed });
    expect(await get("open-b")).toMatchObject({ visibility: "unlisted" });
    expect(await get("open-c")).toMatchObject({ visibility: "private" });
    // What is open already is not asked about again.
    await writeFile(join(tree, "a", "PROMPT.md"), "Hello again\n");
    expect(await push(tree)).toMatchObject({ exitCode: 0, stderr: "" });
  });

  test("says that older versions come with it, yanked ones too", async () => {
    const folder = await begin("older");
    await writeFile(join(folder, "PROMPT.md"), "Second\n");
    await push(folder);
    await client.prompts.versions.yank({ owner: "ada", slug: "older", n: 2, body: {} });
    await say(folder, "ada/older", { title: "Begun", visibility: "public" });
    await writeFile(join(folder, "PROMPT.md"), "Third\n");
    const { stderr, exitCode } = await push(folder, "--yes");
    expect(stderr).toContain(
      "ada/older becomes public. Everyone can read:\n  PROMPT.md\nand 2 older versions, in full.\n",
    );
    expect(exitCode).toBe(0);
    expect(await get("older")).toMatchObject({ visibility: "public", latestVersion: 3 });
  });

  test("says that yanked versions come with it, where there are no others", async () => {
    await begin("spent");
    await client.prompts.versions.yank({ owner: "ada", slug: "spent", n: 1, body: {} });
    const { stderr } = await registry.cli(["edit", "ada/spent", "--visibility", "public", "--yes"]);
    expect(stderr).toContain("ada/spent becomes public. Everyone can read:\nand 1 older version, in full.\n");
  });

  test("is also the first version of a draft that says it is public", async () => {
    const body = {
      slug: "draft",
      kind: "text" as const,
      title: "Begun",
      files: [{ path: "PROMPT.md", content: "x" }],
    };
    await client.prompts.create({ body: { ...body, visibility: "public", publish: false } });
    const folder = await home.prompt(home.place(), "ada/draft", undefined, { title: "Begun" });
    const { exitCode, stderr } = await push(folder);
    expect(stderr).toContain("ada/draft becomes public.");
    expect(exitCode).toBe(2);
    expect(await get("draft")).toMatchObject({ status: "draft" });
  });

  test("stands in the plan for a pull request", async () => {
    const folder = await begin("planned");
    await say(folder, "ada/planned", { title: "New", visibility: "public" });
    const { stdout } = await push(folder, "--dry-run", "--markdown");
    expect(stdout).toContain(
      "| `ada/planned` | stay at version 1, with another title, visibility, **become public** |",
    );
    expect(stdout).toContain("```text\nada/planned becomes public. Everyone can read:\n  PROMPT.md\n```");
  });
});

describe("edit", () => {
  const edit = (...args: string[]) => registry.cli(["edit", ...args]);

  test("changes what a prompt says, without its files, and tells that folders want a pull", async () => {
    await begin("edited", { tags: ["a"], summary: "Old", license: "MIT" });
    const args = [
      "--title",
      "New",
      "--tag",
      "b",
      "--tag",
      "c",
      "--no-summary",
      "--no-license",
      "--rating",
      "mature",
    ];
    const { stdout, stderr } = await edit("ada/edited", ...args);
    expect(stdout).toBe(
      "ada/edited edited\ntitle: Begun → New\nsummary: Old → none\ntags: a → b, c\nlicense: MIT → none\nrating: general → mature\n",
    );
    expect(stderr).toContain("promptreg pull ada/edited");
    expect(await get("edited")).toMatchObject({
      title: "New",
      summary: null,
      tags: ["b", "c"],
      license: null,
    });
    expect((await edit("ada/edited", "--title", "New")).stdout).toBe("ada/edited has these values already\n");
    expect((await edit("ada/edited", "--no-tags", "--json")).stdout).toContain('"to": []');
    expect(writes()).toEqual(["prompts.update", "prompts.update"]);
  });

  test("lists and asks before it lets others read, and not before it keeps them out", async () => {
    await begin("opened");
    expect(await edit("ada/opened", "--visibility", "unlisted")).toMatchObject({ exitCode: 2 });
    expect(writes()).toEqual([]);
    const opened = await edit("ada/opened", "--visibility", "public", "--yes");
    expect(opened.stderr).toContain("ada/opened becomes public. Everyone can read:\n  PROMPT.md\n");
    expect(await edit("ada/opened", "--visibility", "private")).toMatchObject({ exitCode: 0 });
    expect(await get("opened")).toMatchObject({ visibility: "private" });
  });

  test.each([
    [[], "Name what to change"],
    [["--tag", "a", "--no-tags"], "not both"],
    [["--visibility", "secret"], "Allowed choices are private, unlisted, public"],
  ])("is not understood with %j", async (args, hint) => {
    const { exitCode, stderr } = await edit("ada/edited", ...args);
    expect(stderr).toContain(hint);
    expect(exitCode).toBe(2);
  });
});

test("rename gives a prompt another address, to which a folder with the old one still leads", async () => {
  const folder = await begin("named");
  const { stdout, stderr } = await registry.cli(["rename", "ada/named", "renamed"]);
  expect(stdout).toBe("ada/named is now ada/renamed. The old address redirects there\n");
  expect(stderr).toContain("promptreg pull ada/renamed");
  await writeFile(join(folder, "PROMPT.md"), "Other\n");
  expect((await push(folder)).stdout).toBe("ada/renamed is now at version 2\n");
  // A pull finds the folder under its old name, and a second one of the prompt is not pushed beside it.
  const into = join(folder, "..");
  await registry.cli(["pull", "ada/renamed", "--into", into]);
  expect(await readdir(into)).toEqual(["named"]);
  await home.prompt(folder, "ada/named", { "PROMPT.md": "One\n" }, { title: "Begun" });
  await home.prompt(join(into, "twin"), "ada/renamed", { "PROMPT.md": "Two\n" }, { title: "Begun" });
  expect(await push(into)).toMatchObject({
    exitCode: 6,
    stdout: "",
    stderr: expect.stringContaining("are both ada/renamed, one under its old address."),
  });
  expect((await registry.cli(["rename", "ada/renamed", "Not A Slug"])).exitCode).toBe(2);
});
