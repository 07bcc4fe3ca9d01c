import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { createClient } from "@promptreg/client";
import { afterAll, describe, expect, test, vi } from "vitest";
import { git, makeHome } from "./folders.ts";
import { startReal } from "./real.ts";

const registry = await startReal();
const home = await makeHome();
afterAll(() => registry.close());

const { folderOf } = home;
const client = createClient(registry);
const init = (...args: string[]) => registry.cli(["init", ...args, "-y"]);
const manifestIn = async (folder: string) =>
  JSON.parse(await readFile(join(folder, "promptreg.json"), "utf8"));

const project = {
  ".claude/commands/fix-it.md": "---\ndescription: Fixes\n---\nFix $ARGUMENTS.",
  ".cursor/rules/tone.mdc": "---\nalwaysApply: true\n---\nBe kind.",
  "skills/xls/SKILL.md": "---\nname: xls\ndescription: Reads tables.\n---\nRead.",
  "prompts.csv": "act,prompt\nPoet,Write.\n",
  "own/PROMPT.md": "Own.",
  "own/promptreg.json": '{"prompt":"own","kind":"text","title":"Own"}',
};

describe("init in a project with prompts of other tools", () => {
  test("gives them manifests, leaves them where they are, and does so once", async () => {
    const tree = await folderOf(project);
    const { exitCode, stdout, stderr } = await init(tree);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: `Next: promptreg push ${tree}\n` });
    expect(stderr).toContain(
      `prompts.csv holds several prompts. Copy them into folders: promptreg import ${tree}/prompts.csv\n`,
    );
    // One that has a manifest is a prompt already.
    expect((await readdir(join(tree, "prompts"))).sort()).toEqual(["fix-it", "tone"]);
    expect(await manifestIn(join(tree, "prompts/fix-it"))).toEqual({
      prompt: "fix-it",
      kind: "command",
      title: "Fix it",
      summary: "Fixes",
      visibility: "private",
      source: "../../.claude/commands/fix-it.md",
    });
    expect(await manifestIn(join(tree, "skills/xls"))).not.toHaveProperty("source");
    expect(await readdir(join(tree, "prompts/fix-it"))).toEqual(["promptreg.json"]);
    expect((await init(tree)).stdout).toMatch(
      /^has one\tskill\t.*\nhas one\tcommand\t.*\nhas one\trule\t.*\n$/,
    );
  });

  test("of which two became the same keep their manifests", async () => {
    const tree = await folderOf({ ".claude/commands/same.md": "One.", ".cursor/commands/same.md": "Two." });
    await init(tree);
    await writeFile(join(tree, ".cursor/commands/same.md"), "One.");
    const { stdout, stderr } = await init(tree);
    expect(stdout).toMatch(/^has one\t.*\nhas one\t.*\n$/);
    expect(stderr).not.toContain("is a copy");
  });

  test("which are pushed as what they become, again after a change, and not without one", async () => {
    const tree = await folderOf({ ".claude/commands/ship.md": "Ship $ARGUMENTS." });
    await init(tree);
    const push = () => registry.cli(["push", tree, "-y"]);
    expect((await push()).stdout).toBe("ada/ship created\n");
    expect((await push()).stdout).toBe("ada/ship unchanged at version 1\n");
    await writeFile(join(tree, ".claude/commands/ship.md"), "Ship $ARGUMENTS now.");
    expect((await push()).stdout).toBe("ada/ship is now at version 2\n");
    expect((await registry.cli(["cat", "ada/ship"])).stdout).toBe("Ship {{args}} now.\n");
    expect((await registry.cli(["status", tree])).exitCode).toBe(0);
  });

  test("of which a text in a folder for prompts keeps its variables, in a project without git too", async () => {
    const tree = await folderOf({ "prompts/hello.md": "Hello {{name}}." });
    await init(tree);
    expect((await registry.cli(["check", tree])).exitCode).toBe(0);
    expect((await registry.cli(["push", tree, "-y"])).stdout).toBe("ada/hello created\n");
    const rendered = await registry.cli(["render", "ada/hello", "--var", "name=Kim"]);
    expect(rendered.stdout).toBe("Hello Kim.\n");
  });

  test("of which a skill in the folder of a tool is pushed with the others", async () => {
    const skill = "---\nname: in-tool\ndescription: D\n---\nHi";
    const tree = await folderOf({ ".claude/skills/in-tool/SKILL.md": skill });
    await init(tree);
    expect((await registry.cli(["push", tree, "-y"])).stdout).toBe("ada/in-tool created\n");
    expect((await registry.cli(["status", tree])).exitCode).toBe(0);
  });

  test("of two projects have names of their own, and check says where one is taken", {
    tags: "long",
  }, async () => {
    const [one, two] = [
      await folderOf({ "AGENTS.md": "# One\n\nBe brief." }),
      await folderOf({ "AGENTS.md": "# Two\n\nBe long." }),
    ];
    for (const tree of [one, two]) await init(tree);
    const [slug] = await readdir(join(two, "prompts"));
    expect(slug).toBe(`${basename(two)}-agents`);
    const check = () => registry.cli(["check", two]);
    expect(await check()).toMatchObject({
      exitCode: 0,
      stdout: "1 prompt passed all offline checks, and no other prompt of the registry has their names\n",
    });
    await registry.cli(["push", one, "-y"]);
    await rm(join(one, "prompts", `${basename(one)}-agents`, ".promptreg-state"), { recursive: true });
    expect((await registry.cli(["check", one])).exitCode).toBe(0);
    const away = await registry.cli(["check", one], { env: { PROMPTREG_URL: "http://127.0.0.1:1" } });
    expect(away.exitCode).toBe(0);
    expect(away.stderr).toContain("The registry was not asked whether the names are free: ");
    const files = [{ path: "RULE.md", content: "Another one" }];
    await client.prompts.create({ body: { kind: "rule", slug: slug!, title: "Another", files } });
    const { exitCode, stdout } = await check();
    expect(exitCode).toBe(6);
    expect(stdout).toContain(
      `prompt: ada/${slug} is in the registry already, and no version of it is this text`,
    );
    expect((await registry.cli(["push", two, "-y"])).exitCode).toBe(5);
  });

  test("in the folder of a tool that is named", async () => {
    const tree = await folderOf({ ".claude/commands/only.md": "A" });
    await init(join(tree, ".claude/commands"));
    expect((await readdir(tree)).sort()).toEqual([".claude", "prompts"]);
    expect((await manifestIn(join(tree, "prompts/only"))).source).toBe("../../.claude/commands/only.md");
  });

  test("of which one whose file was moved, or that somebody else changed, has a way on", async () => {
    const tree = await folderOf({ ".claude/commands/way.md": "A" });
    await init(tree);
    const prompt = join(tree, "prompts/way");
    const push = () => registry.cli(["push", prompt, "-y"]);
    await push();
    const files = [{ path: "COMMAND.md", content: "Theirs.\n" }];
    await client.prompts.versions.create({ owner: "ada", slug: "way", body: { files } });
    await writeFile(join(tree, ".claude/commands/way.md"), "Mine.");
    expect((await push()).stderr).toContain(`\`promptreg diff ${prompt}\` shows what differs`);
    await rm(join(tree, ".claude/commands/way.md"));
    expect((await push()).stderr).toContain("does not exist, and the manifest of");
  });

  test("of which one is found by the file that it is made of", async () => {
    const tree = await folderOf({ ".claude/commands/by-file.md": "A", "notes.md": "N" });
    git(tree, "init", "-q");
    await init(tree);
    const push = (path: string) => registry.cli(["push", join(tree, path), "-y"]);
    expect(await push(".claude/commands/by-file.md")).toMatchObject({ stdout: "ada/by-file created\n" });
    expect(await push("notes.md")).toMatchObject({
      exitCode: 6,
      stderr: expect.stringContaining("notes.md is in no prompt folder, and no manifest names it"),
    });
  });

  test("in a git repository, whichever of their folders a command is given", async () => {
    const tree = await folderOf({ ".claude/commands/in-git.md": "One.", "a.txt": "A" });
    git(tree, "init", "-q");
    await init(tree);
    const prompt = join(tree, "prompts/in-git");
    expect(await registry.cli(["push", prompt, "-y"])).toMatchObject({ stdout: "ada/in-git created\n" });
    expect(await registry.cli(["status", prompt])).toMatchObject({ exitCode: 0 });
    await writeFile(join(tree, ".claude/commands/in-git.md"), "Two.");
    expect((await registry.cli(["diff", prompt])).stdout).toContain("+Two.");
  });

  test("of which one that changed in git is pushed by --changed-since", async () => {
    const tree = await folderOf({ ".claude/commands/since-a.md": "A", ".claude/commands/since-b.md": "B" });
    await init(tree);
    git(tree, "init", "-q");
    git(tree, "add", ".");
    git(tree, "commit", "-qm", "All");
    await writeFile(join(tree, ".claude/commands/since-b.md"), "B2");
    const { stdout } = await registry.cli(["push", tree, "-y", "--changed-since", "HEAD"]);
    expect(stdout).toBe("ada/since-b created\n");
  });

  test("overwrites no file of another tool by a pull", async () => {
    const tree = await folderOf({ ".claude/commands/pulled.md": "One." });
    await init(tree);
    await registry.cli(["push", tree, "-y"]);
    await registry.cli(["pull", "ada/pulled", "--into", join(tree, "prompts")]);
    await writeFile(join(tree, ".claude/commands/pulled.md"), "Mine.");
    const { exitCode, stderr } = await registry.cli(["pull", "ada/pulled", "--into", join(tree, "prompts")]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 6,
      stderr: expect.stringContaining("It is not overwritten"),
    });
  });
});

describe("a source", () => {
  const pushed = async (tree: string, source: string, kind = "command") => {
    const folder = join(tree, "prompts/p");
    await mkdir(folder, { recursive: true });
    await writeFile(
      join(folder, "promptreg.json"),
      JSON.stringify({ prompt: "p", kind, title: "P", source }),
    );
    const { exitCode, stderr } = await registry.cli(["push", folder, "-y"]);
    return { exitCode, stderr };
  };

  test("outside of its git repository is refused", async () => {
    const outside = await folderOf({ ".claude/commands/private.md": "Private" });
    const tree = await folderOf({ "a.txt": "A" });
    git(tree, "init", "-q");
    await mkdir(join(tree, ".claude"));
    await symlink(join(outside, ".claude/commands"), join(tree, ".claude/commands"));
    for (const source of [join(outside, ".claude/commands/private.md"), "../../.claude/commands/private.md"])
      expect(await pushed(tree, source)).toEqual({
        exitCode: 6,
        stderr: expect.stringContaining("names a source outside of its project"),
      });
  });

  test("in a git repository in which the folder is not is refused", async () => {
    const tree = await folderOf({ "client/.claude/commands/x.md": "X" });
    git(join(tree, "client"), "init", "-q");
    expect((await pushed(join(tree, "other"), "../../../client/.claude/commands/x.md")).stderr).toContain(
      "names a source outside of its project",
    );
  });

  test("elsewhere in a home folder that is a git repository is refused", async () => {
    const tree = await folderOf({ ".claude/commands/x.md": "X", "project/.claude/commands/x.md": "X" });
    git(tree, "init", "-q");
    vi.stubEnv("HOME", tree);
    expect((await pushed(join(tree, "project"), "../../../.claude/commands/x.md")).stderr).toContain(
      `have only ${tree} in common`,
    );
    const { exitCode } = await pushed(join(tree, "project"), "../../.claude/commands/x.md");
    expect(exitCode).toBe(0);
    vi.unstubAllEnvs();
  });

  test("is named before others can read its text", async () => {
    const tree = await folderOf({ ".claude/commands/x.md": "X", "prompts/p/promptreg.json": "{}" });
    const source = "../../.claude/commands/x.md";
    const manifest = { prompt: "opens", kind: "command", title: "P", visibility: "public", source };
    await writeFile(join(tree, "prompts/p/promptreg.json"), JSON.stringify(manifest));
    const { stderr } = await registry.cli(["push", join(tree, "prompts/p")]);
    expect(stderr).toContain(`COMMAND.md\nwith the text of ${join(tree, ".claude/commands/x.md")}.\n`);
  });

  test("that git ignores is refused", async () => {
    const tree = await folderOf({ ".gitignore": ".claude/\n", ".claude/commands/x.md": "X" });
    git(tree, "init", "-q");
    expect(await pushed(tree, "../../.claude/commands/x.md")).toMatchObject({
      stderr: expect.stringContaining("is ignored by git, so it is not sent."),
    });
  });

  test.each([
    ["is a link", "link.md", "is a symbolic link"],
    ["is not there", "none.md", "does not exist"],
    ["is no prompt", "../../notes.txt", "is not one prompt that is recognised"],
  ])("that %s is refused", async (_, name, reason) => {
    const tree = await folderOf({ "notes.txt": "Notes", ".claude/commands/x.md": "X" });
    await symlink(join(tree, "notes.txt"), join(tree, ".claude/commands/link.md"));
    const source = name.includes("/") ? name : `../../.claude/commands/${name}`;
    expect(await pushed(tree, source)).toEqual({ exitCode: 6, stderr: expect.stringContaining(reason) });
  });

  test("of another kind than its manifest says is refused", async () => {
    const tree = await folderOf({ ".claude/commands/x.md": "X" });
    expect((await pushed(tree, "../../.claude/commands/x.md", "rule")).stderr).toContain(
      "is a prompt of kind command, and the manifest",
    );
  });

  test("beside an entry file is refused, since only one can be the prompt", async () => {
    const tree = await folderOf({ ".claude/commands/x.md": "X", "prompts/p/COMMAND.md": "Y" });
    expect((await pushed(tree, "../../.claude/commands/x.md")).stderr).toContain(
      "has a COMMAND.md, and its manifest names",
    );
  });
});
