import { execFileSync } from "node:child_process";
import { chmod, link, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { makeHome } from "./folders.ts";
import { promptOf, versionOf } from "./prompts.ts";
import { startRegistry } from "./registry.ts";

const registry = await startRegistry();
const home = await makeHome();
afterAll(registry.close);
afterEach(() => {
  registry.reset();
  vi.unstubAllEnvs();
});
beforeEach(async () => {
  registry.answer("GET /me", { json: { handle: "ada", token: { scopes: ["read", "write"] } } });
  const version = await versionOf(1, { "PROMPT.md": "Hi\n" });
  registry.answer("POST /prompts", { status: 201, json: promptOf(version) });
});

const git = (folder: string, ...args: string[]) =>
  execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...args], {
    cwd: folder,
    stdio: ["ignore", "pipe", "ignore"],
  });

/** Writes a prompt with these files beside its entry. */
async function prompt(folder: string, files: Record<string, string> = {}) {
  return home.prompt(folder, "ada/reply", { "PROMPT.md": "Hi\n", ...files });
}
async function repository() {
  const tree = home.place();
  await mkdir(tree);
  git(tree, "init", "-q");
  return tree;
}
async function write(folder: string, files: Record<string, string>) {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

/** What a push sends of a folder, and what it says. */
async function push(folder: string, ...args: string[]) {
  const { exitCode, stderr } = await registry.cli(["push", folder, ...args]);
  const bodies = registry.seen.flatMap(({ method, body }) => (method === "POST" ? [body] : []));
  registry.seen.length = 0;
  const files = (bodies as { files: { path: string; content: string }[] }[]).flatMap((body) => body.files);
  return { exitCode, stderr, files, paths: files.map(({ path }) => path) };
}

/** What stays behind, by path. */
async function leftBehind(folder: string): Promise<Record<string, string>> {
  const { stdout } = await registry.cli(["check", folder, "--json"]);
  const { results } = JSON.parse(stdout) as { results: { leftBehind: { path: string; why: string }[] }[] };
  return Object.fromEntries(results.flatMap((one) => one.leftBehind.map(({ path, why }) => [path, why])));
}

describe("of a folder in git goes out what git tracks or would track", () => {
  test("wherever git is told what to ignore", async () => {
    const tree = await repository();
    const folder = await prompt(join(tree, "prompts/reply"), {
      "new.md": "x",
      "forced.log": "x",
      "deleted.md": "x",
      "日本語 Grüße.md": "x",
      "secrets.json": "x",
      "__pycache__/a.pyc": "x",
      "note.md~": "x",
      "local.txt": "x",
      "empty/.gitkeep": "",
      ".gitignore": "__pycache__/\n",
    });
    await write(tree, {
      ".gitignore": "secrets.json\n*.log\n",
      ".git/info/exclude": "local.txt\n",
      "global-ignore": "*~\n",
      "global-config": `[core]\nexcludesFile = ${join(tree, "global-ignore")}\n`,
    });
    vi.stubEnv("GIT_CONFIG_GLOBAL", join(tree, "global-config"));
    git(tree, "add", "-f", "prompts/reply/forced.log", "prompts/reply/deleted.md");
    await rm(join(folder, "deleted.md"));
    const { paths, stderr } = await push(folder);
    expect(paths).toEqual(["PROMPT.md", "forced.log", "new.md", "日本語 Grüße.md"]);
    expect(stderr).toBe(
      `${folder}: 4 not sent: __pycache__/ (ignored by git), local.txt (ignored by git), note.md~ (ignored by git), secrets.json (ignored by git)\n`,
    );
  });

  test("though variables lead git elsewhere, as they do in its hooks", async () => {
    const tree = await repository();
    await write(tree, { ".gitignore": "secrets.json\n" });
    const other = await repository();
    vi.stubEnv("GIT_DIR", join(other, ".git"));
    vi.stubEnv("GIT_INDEX_FILE", join(other, "index"));
    expect((await push(await prompt(join(tree, "reply"), { "secrets.json": "x" }))).paths).toEqual([
      "PROMPT.md",
    ]);
  });

  test("in a linked work tree, and where the prompt is the repository itself", async () => {
    const tree = await repository();
    await prompt(tree, { ".gitignore": "secrets.json\n" });
    git(tree, "add", ".");
    git(tree, "commit", "-qm", "Begin");
    const linked = home.place();
    git(tree, "worktree", "add", "-q", linked);
    for (const folder of [tree, linked]) {
      await writeFile(join(folder, "secrets.json"), "x");
      expect((await push(folder)).paths).toEqual(["PROMPT.md"]);
    }
  });

  test("but no repository that lies in the prompt, whose own rules nobody asked", async () => {
    const tree = await repository();
    const folder = await prompt(join(tree, "reply"), { "vendored/a.md": "x" });
    git(join(folder, "vendored"), "init", "-q");
    expect((await push(folder)).paths).toEqual(["PROMPT.md"]);
    expect(await leftBehind(folder)).toEqual({ "vendored/": "a git repository of its own" });
  });

  test("and runs nothing that the repository configures", async () => {
    const tree = await repository();
    git(tree, "config", "core.fsmonitor", `touch ${join(tree, "run")}; true`);
    await push(await prompt(join(tree, "reply")));
    await expect(readFile(join(tree, "run"))).rejects.toThrow("ENOENT");
  });

  test("by the file, where the disk has a name in other case than git", async () => {
    const tree = await repository();
    const folder = await prompt(join(tree, "reply"), { "Notes.md": "x", ".gitignore": "notes.md\n" });
    git(tree, "add", "-f", ".");
    // A second name of the file stands in for a disk on which case does not count.
    await link(join(folder, "Notes.md"), join(folder, "notes.md"));
    await rm(join(folder, "Notes.md"));
    expect((await push(folder)).paths).toEqual(["PROMPT.md"]);
    await link(join(folder, "notes.md"), join(folder, "Notes.md"));
    expect((await push(folder)).stderr).toContain("is the same file as Notes.md");
  });

  test("with one question to git, however many prompts there are", async () => {
    const tree = await repository();
    const slugs = Array.from({ length: 12 }, (_, index) => `p${index}`);
    for (const slug of slugs) await home.prompt(join(tree, slug), slug);
    const found = execFileSync("sh", ["-c", "command -v git"]).toString().trim();
    await write(tree, { "bin/git": `#!/bin/sh\necho x >> ${tree}/calls\nexec ${found} "$@"\n` });
    await chmod(join(tree, "bin/git"), 0o755);
    vi.stubEnv("PATH", `${join(tree, "bin")}:${process.env["PATH"]}`);
    const { exitCode } = await registry.cli(["check", ...slugs.map((slug) => join(tree, slug))]);
    expect(exitCode).toBe(0);
    expect((await readFile(join(tree, "calls"), "utf8")).length).toBe("x\n".length);
  });
});

describe("a folder that git ignores", () => {
  test("is refused when it is named, and passed over in a tree", async () => {
    const tree = await repository();
    await write(tree, { ".gitignore": "build/\n" });
    const folder = await prompt(join(tree, "prompts/reply"));
    const built = await prompt(join(tree, "build/reply"));
    expect(await push(built)).toMatchObject({
      exitCode: 6,
      files: [],
      stderr: expect.stringContaining(`git ignores ${built}, so nothing in it is sent.`),
    });
    expect((await push(join(tree, "build"))).stderr).toContain("or below that git does not ignore.");
    const { stdout } = await registry.cli(["check", tree, "--json"]);
    expect(JSON.parse(stdout).results.map((one: { folder: string }) => one.folder)).toEqual([folder]);
  });

  test("can be pulled into again, and its own ignored files stay", async () => {
    const tree = await repository();
    await write(tree, { ".gitignore": "prompts/\n" });
    const pull = async (n: number, text: string) => {
      registry.answer("GET /prompts/ada/reply", {
        json: promptOf(await versionOf(n, { "PROMPT.md": text })),
      });
      const items = [await versionOf(1, { "PROMPT.md": "One\n" })];
      registry.answer("GET /prompts/ada/reply/versions?limit=100", { json: { items, nextCursor: null } });
      return registry.cli(["pull", "ada/reply", "--into", join(tree, "prompts")]);
    };
    await pull(1, "One\n");
    await write(tree, { "prompts/reply/mine.txt": "x" });
    expect(await pull(2, "Two\n")).toMatchObject({ exitCode: 0, asked: [] });
    expect(await readFile(join(tree, "prompts/reply/PROMPT.md"), "utf8")).toBe("Two\n");
    expect(await readFile(join(tree, "prompts/reply/mine.txt"), "utf8")).toBe("x");
  });
});

describe("where git failed", () => {
  const files = { "secrets.json": "x", "deep/a.log": "x", "deep/keep.log": "x", "cache/b": "x" };

  test("its .gitignore files say what stays behind, those above the prompt too", async () => {
    const tree = home.place();
    const folder = await prompt(join(tree, "prompts/reply"), { ...files, "deep/.gitignore": "!keep.log\n" });
    await write(tree, { ".gitignore": "secrets.json\n*.log\n", "prompts/.gitignore": "/reply/cache/\n" });
    const { paths, stderr } = await push(folder);
    expect(paths).toEqual(["PROMPT.md", "deep/keep.log"]);
    expect(stderr).not.toContain("git failed");
  });

  test("as in a repository that is broken or not ours, that is said", async () => {
    const tree = home.place();
    const folder = await prompt(join(tree, "reply"), files);
    await write(tree, { ".git": "gitdir: nowhere\n", ".gitignore": "secrets.json\n*.log\ncache\n" });
    const { paths, stderr } = await push(folder);
    expect(paths).toEqual(["PROMPT.md"]);
    expect(stderr).toContain(`${tree}: git failed (not a git repository: ${tree}/nowhere).`);
    await write(tree, { ".gitignore": "reply\n" });
    expect((await push(folder)).stderr).toContain(`git ignores ${folder}`);
  });
});

describe(".promptregignore", () => {
  test.each(["inside git", "outside git"])("leaves out more, and brings nothing back, %s", async (where) => {
    const tree = where === "inside git" ? await repository() : home.place();
    const folder = await prompt(join(tree, "reply"), {
      "drafts/a.md": "x",
      "b.draft": "x",
      "kept.draft": "x",
      "secrets.json": "x",
      ".promptregignore": "drafts/\n!kept.draft\n!secrets.json\n",
    });
    await write(tree, { ".gitignore": "secrets.json\n", ".promptregignore": "*.draft\n" });
    expect((await push(folder)).paths).toEqual(["PROMPT.md", "kept.draft"]);
    expect(await leftBehind(folder)).toEqual({
      "b.draft": "left out by .promptregignore",
      "drafts/": "left out by .promptregignore",
      "secrets.json": "ignored by git",
    });
  });

  test("that leaves out the prompt itself is told so", async () => {
    const folder = await prompt(home.place(), { ".promptregignore": "*.md\n" });
    expect((await push(folder)).stderr).toContain(
      "PROMPT.md: is the prompt itself, but is not sent: left out by .promptregignore",
    );
  });
});

test("a file of the newest version that is here, and stays behind, is not deleted there by the way", async () => {
  const folder = await prompt(home.place(), {
    "docs/a.md": "x",
    "b.md": "x",
    ".promptregignore": "docs/\nb.md\n",
  });
  const version = await versionOf(1, {
    "PROMPT.md": "Hi\n",
    "docs/a.md": "x",
    "docs/gone.md": "x",
    "b.md": "x",
  });
  registry.answer("GET /prompts/ada/reply", { json: promptOf(version, { title: "About ada/reply" }) });
  registry.answer("GET /prompts/ada/reply/versions/1", { json: version });
  registry.answer("GET /prompts/ada/reply/versions?limit=100", {
    json: { items: [{ ...version, yanked: null }], nextCursor: null },
  });
  const refused = await push(folder, "--onto=1");
  expect(refused.stderr).toContain(
    "docs/a.md: is not sent (left out by .promptregignore), but is in version 1",
  );
  expect(refused.stderr).toContain("b.md: is not sent");
  expect(refused.stderr).not.toContain("gone.md");
  expect(refused).toMatchObject({ exitCode: 6, paths: [] });
  await rm(join(folder, "docs"), { recursive: true });
  await rm(join(folder, "b.md"));
  registry.answer("POST /prompts/ada/reply/versions", {
    status: 201,
    json: { ...version, n: 2, warnings: [] },
  });
  expect(await push(folder, "--onto=1")).toMatchObject({ exitCode: 0, paths: ["PROMPT.md"] });
});

test("what else stays behind is said: dotfiles, dependencies, prompts in the prompt, modes", async () => {
  const folder = await prompt(home.place(), {
    ".env": "x",
    "node_modules/a/index.js": "x",
    "sub/other/PROMPT.md": "x",
    "sub/other/promptreg.json": "{}",
    "run.md": "not a script",
  });
  await chmod(join(folder, "run.md"), 0o755);
  const { paths, stderr } = await push(folder);
  expect(paths).toEqual(["PROMPT.md", "run.md"]);
  expect(stderr).toBe(
    `${folder}: 3 not sent: .env (a dotfile), node_modules/ (node_modules), sub/other/ (a prompt of its own)\n${folder}: sent without its executable bit: only scripts keep it: run.md\n`,
  );
});

test("a link that stays behind is no reason to refuse the others", async () => {
  const folder = await prompt(home.place(), { ".gitignore": "latest\n" });
  await symlink("/etc/passwd", join(folder, "latest"));
  expect((await push(folder)).paths).toEqual(["PROMPT.md"]);
});

test("a name that cannot be sent is told as it is", async () => {
  const folder = await prompt(home.place(), { 'qu"o\nte.md': "x" });
  expect((await push(folder)).stderr).toContain('The path "qu\\"o\\nte.md" holds a control character');
  await writeFile(Buffer.concat([Buffer.from(`${folder}/caf`), Buffer.of(0xe9)]), "x");
  expect((await push(folder)).stderr).toContain("has a name that is not UTF-8.");
});

test("what was read is what is sent, whatever takes its place meanwhile", async () => {
  const folder = await prompt(home.place());
  registry.answer("GET /me", () => {
    execFileSync("sh", ["-c", `echo changed > "$0"`, join(folder, "PROMPT.md")]);
    return { json: { handle: "ada", token: { scopes: ["read", "write"] } } };
  });
  expect((await push(folder)).files).toEqual([{ path: "PROMPT.md", content: "Hi\n" }]);
});
