import { execFileSync } from "node:child_process";
import { appendFile, mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { git, makeHome } from "./folders.ts";
import { promptOf, versionOf } from "./prompts.ts";
import { startRegistry } from "./registry.ts";

const registry = await startRegistry();
const home = await makeHome();
afterAll(registry.close);

const layout = {
  HEAD: "ref: refs/heads/main\n",
  "objects/info/x": "",
  "refs/heads/main": `${"1".repeat(40)}\n`,
};

/** Settings by which git runs a command when it lacks an object, or compares a file. */
const evil = (command: string) => `[core]
	repositoryformatversion = 1
	bare = false
	fsmonitor = ${command}
	sshCommand = ${command}
[extensions]
	partialClone = evil
[remote "evil"]
	url = "ext::sh -c ${command}"
	promisor = true
[protocol "ext"]
	allow = always
[protocol]
	allow = always
[filter "x"]
	clean = ${command}
	process = ${command}
	required = true
`;

/** A tree in git with a prompt, one commit, and a command that leaves a mark. */
async function scene() {
  const tree = home.place();
  const folder = await home.prompt(join(tree, "prompts/reply"), "ada/reply", { "PROMPT.md": "Two\n" });
  const [mark, command] = [join(tree, "mark"), join(tree, "command")];
  await writeFile(command, `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
  git(tree, "init", "-q");
  git(tree, "add", "prompts");
  git(tree, "commit", "-qm", "Begin");
  return { tree, folder, command, hasRun: () => existsSync(mark) };
}

const commandsOn = (folder: string) => [
  ["status", folder],
  ["diff", folder],
  ["check", folder],
  ["push", folder, "--dry-run"],
  ["push", folder, "--changed-since", "HEAD"],
  ["pull", "ada/reply", "--into", folder],
];

beforeEach(async () => {
  registry.reset();
  const [one, two] = [
    await versionOf(1, { "PROMPT.md": "One\n" }),
    await versionOf(2, { "PROMPT.md": "Other\n" }),
  ];
  registry.answer("GET /me", { json: { handle: "ada", token: { scopes: ["read", "write"] } } });
  registry.answer("GET /prompts/ada/reply", { json: { ...promptOf(two), latestVersion: 2, latest: two } });
  registry.answer("GET /prompts/ada/reply/versions/2", { json: two });
  registry.answer("GET /prompts/ada/reply/versions?limit=100", {
    json: { items: [two, one], nextCursor: null },
  });
});

describe("no command runs what somebody else's git configures", () => {
  test("where the files of a prompt are a repository: it is refused instead", async () => {
    const { folder, command, hasRun } = await scene();
    for (const [path, text] of Object.entries({ ...layout, config: evil(command) })) {
      await mkdir(join(folder, path, ".."), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    for (const args of commandsOn(folder)) {
      const { exitCode, stdout, stderr } = await registry.cli(args);
      expect([args, hasRun(), exitCode, stdout + stderr]).toEqual([
        args,
        false,
        6,
        expect.stringContaining("looks like a git repository"),
      ]);
    }
  });

  test("where the files of a repository go through a filter", { tags: "long" }, async () => {
    const { tree, folder, command, hasRun } = await scene();
    await writeFile(join(tree, ".gitattributes"), "* filter=x\n");
    await appendFile(join(tree, ".git/config"), evil(command));
    // As long as before: git looks into it.
    await writeFile(join(folder, "PROMPT.md"), "Owt\n");
    for (const args of commandsOn(folder)) {
      await registry.cli(args);
      expect([args, hasRun()]).toEqual([args, false]);
    }
  });

  test("where a repository lacks what git would fetch", { tags: "long" }, async () => {
    const { tree, folder, command, hasRun } = await scene();
    await appendFile(join(tree, ".git/config"), evil(command));
    await rm(join(tree, ".git/objects"), { recursive: true });
    await mkdir(join(tree, ".git/objects"));
    for (const args of commandsOn(folder)) {
      await registry.cli(args);
      expect([args, hasRun()]).toEqual([args, false]);
    }
  });
});

test("a pull writes no repository", async () => {
  const version = await versionOf(1, { "PROMPT.md": "One\n", ...layout });
  registry.answer("GET /prompts/ada/reply", { json: promptOf(version) });
  const into = home.place();
  const { exitCode, stderr } = await registry.cli(["pull", "ada/reply", "--into", into]);
  expect([exitCode, stderr]).toEqual([
    6,
    expect.stringContaining('The path "HEAD" makes its folder a git repository'),
  ]);
  expect(existsSync(into)).toBe(false);
});

describe("what serves a folder is read as an ordinary file alone", () => {
  test("a manifest that is a link is neither shown nor written through", async () => {
    const folder = await home.prompt(home.place(), "reply");
    const outside = home.place();
    await rename(join(folder, "promptreg.json"), outside);
    const manifest = await readFile(outside, "utf8");
    await symlink(outside, join(folder, "promptreg.json"));
    registry.answer("POST /prompts", { status: 201, json: promptOf(await versionOf(1, {})) });
    const { exitCode, stderr } = await registry.cli(["push", folder]);
    expect([exitCode, stderr]).toEqual([6, expect.stringContaining("promptreg.json is a symbolic link.")]);
    expect(await readFile(outside, "utf8")).toBe(manifest);
  });

  test.each([
    ["nested too deep", `{"title": ${"[".repeat(100_000)}${"]".repeat(100_000)}}`],
    ["is larger than 1 MiB", "x".repeat(1024 * 1024 + 1)],
    [
      "is unknown",
      JSON.stringify(Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [n.toString(36), 1]))),
    ],
  ])("a manifest that is %s is refused in few words", async (reason, text) => {
    const folder = await home.prompt(home.place(), "reply");
    await writeFile(join(folder, "promptreg.json"), text);
    const { exitCode, stdout } = await registry.cli(["check", folder, "--json"]);
    const [{ problems }] = JSON.parse(stdout).results;
    expect([exitCode, problems.length < 50, problems.at(-1).message]).toEqual([
      6,
      true,
      expect.stringContaining(reason),
    ]);
  });

  test("a manifest may begin with the mark of some editors, and keeps it", async () => {
    const folder = await home.prompt(home.place(), "reply", { "PROMPT.md": "Hi\n" });
    const file = join(folder, "promptreg.json");
    await writeFile(file, `\ufeff${await readFile(file, "utf8")}`);
    registry.reset();
    registry.answer("GET /me", { json: { handle: "ada", token: { scopes: ["read", "write"] } } });
    registry.answer("POST /prompts", {
      status: 201,
      json: promptOf(await versionOf(1, { "PROMPT.md": "Hi\n" })),
    });
    expect(await registry.cli(["push", folder])).toMatchObject({ exitCode: 0 });
    expect(await readFile(file, "utf8")).toMatch(/^\ufeff\{"prompt":\s*"ada\/reply"/);
  });

  test.each([".gitignore", ".promptregignore"])(
    "a %s that never ends is refused, and one that never comes",
    async (name) => {
      const folder = await home.prompt(home.place(), "ada/reply");
      await symlink("/dev/zero", join(folder, name));
      expect((await registry.cli(["check", folder])).stdout).toContain(`${name} is a symbolic link.`);
      await rm(join(folder, name));
      execFileSync("mkfifo", [join(folder, name)]);
      expect((await registry.cli(["check", folder])).stdout).toContain(
        `${name} is neither a file nor a folder.`,
      );
      await rm(join(folder, name));
      await writeFile(join(folder, name), "x".repeat(1024 * 1024 + 1));
      expect((await registry.cli(["check", folder])).stdout).toContain(`${name} is larger than 1 MiB.`);
    },
  );
});
