import type { Prompt } from "@promptreg/core";
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { promptOf, versionOf } from "./prompts.ts";
import { refusal, startRegistry } from "./registry.ts";

const registry = await startRegistry();
const home = await mkdtemp(join(tmpdir(), "promptreg-push-"));
afterEach(registry.reset);
afterAll(async () => {
  await registry.close();
  await rm(home, { recursive: true });
});

const manifest = { prompt: "ada/reply", kind: "text", title: "Reply" };
const files = { "PROMPT.md": "Dear {{name}}\n" };
let count = 0;

/** Writes a prompt folder; a manifest that is text is written as it stands. */
async function folderOf(content: Record<string, string | Uint8Array>, about: object | string = manifest) {
  const folder = join(home, String((count += 1)));
  const all = { ...content, "promptreg.json": typeof about === "string" ? about : JSON.stringify(about) };
  for (const [path, text] of Object.entries(all)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

const account = (handle: string) =>
  registry.answer("GET /me", { json: { handle, token: { scopes: ["read", "write"] } } });
/** The prompt as it is read, and its versions by number, newest first: that one alone unless others are given. */
function holds(prompt: Partial<Prompt>, versions?: { n: number; yanked: object | null }[]) {
  const items = versions ?? (prompt.version ? [{ n: prompt.version.n, yanked: null }] : []);
  registry.answer("GET /prompts/ada/reply", { json: prompt });
  registry.answer("GET /prompts/ada/reply/versions?limit=100", { json: { items, nextCursor: null } });
}
const sent = () => registry.seen.filter(({ method }) => method !== "GET");

describe("a folder that the registry does not know", () => {
  test("becomes a prompt of the token's account", async () => {
    account("ada");
    registry.answer("POST /prompts", { status: 201, json: promptOf(await versionOf(1, files)) });
    const about = { ...manifest, prompt: "reply", tags: ["mail"] };
    const folder = await folderOf(files, about);
    const args = ["push", folder, "--message", "First", "--label", "staging"];
    const { exitCode, stdout, stderr } = await registry.cli(args);
    expect(sent().map(({ body }) => body)).toEqual([
      {
        slug: "reply",
        kind: "text",
        title: "Reply",
        tags: ["mail"],
        visibility: "private",
        message: "First",
        labels: ["staging"],
        files: [{ path: "PROMPT.md", content: "Dear {{name}}\n" }],
      },
    ]);
    expect(stdout).toBe("ada/reply created, labelled staging\n");
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: `${folder}/promptreg.json names the owner ada now.\n`,
    });
  });
});

describe("a folder that the registry knows", () => {
  test("is committed as the next version, based on the one it replaces", async () => {
    holds(promptOf(await versionOf(3, { "PROMPT.md": "Hi {{name}}\n" })));
    const warnings = [{ code: "unused_variable", path: "/files/0", message: "The variable x is not used." }];
    const version = { ...(await versionOf(4, files)), warnings };
    registry.answer("POST /prompts/ada/reply/versions", { status: 201, json: version });
    const { stdout, stderr } = await registry.cli([
      "push",
      await folderOf(files),
      "--onto=3",
      "--label=a",
      "--label=b",
    ]);
    expect(sent()[0]?.body).toMatchObject({ baseVersionNumber: 3, labels: ["a", "b"] });
    expect(stdout).toBe("ada/reply is now at version 4, labelled a, b\n");
    expect(stderr).toContain("The variable x is not used.");
  });

  test.each([
    ["is based on the newest version, though that one be yanked", [5, 4], 3],
    ["is based on the newest when all are yanked", [5, 4, 3], null],
  ] as const)("%s", async (_, yanked, usable) => {
    const versions = [
      ...yanked.map((n) => ({ n, yanked: {} })),
      ...(usable === null ? [] : [{ n: usable, yanked: null }]),
    ];
    holds(promptOf(usable === null ? null : await versionOf(3, { "PROMPT.md": "Hi\n" })), versions);
    registry.answer("POST /prompts/ada/reply/versions", {
      status: 201,
      json: { ...(await versionOf(6, files)), warnings: [] },
    });
    const { exitCode } = await registry.cli(["push", await folderOf(files), "--onto=3"]);
    expect({ exitCode, sent: sent() }).toMatchObject({
      exitCode: 0,
      sent: [{ body: { baseVersionNumber: 5 } }],
    });
  });

  test("stays as it is when nothing changed, which is no failure", async () => {
    holds(promptOf(await versionOf(3, files), { labels: { staging: 3 } }));
    const { exitCode, stdout } = await registry.cli(["push", await folderOf(files), "--label", "staging"]);
    expect(stdout).toBe("ada/reply unchanged at version 3\n");
    expect(exitCode).toBe(0);
    expect(sent()).toEqual([]);
  });

  test("gets a label that it never had even when nothing changed", async () => {
    holds(promptOf(await versionOf(3, files), { labels: { staging: 2 } }));
    registry.answer("PUT /prompts/ada/reply/labels/staging", { json: {} });
    await registry.cli(["push", await folderOf(files), "--label", "staging"]);
    expect(sent().map(({ body }) => body)).toEqual([{ versionNumber: 3, expectedVersionNumber: 2 }]);
  });

  test("is not pushed over a prompt of another kind", async () => {
    holds(promptOf(await versionOf(1, files), { kind: "skill" }));
    const { exitCode, stderr } = await registry.cli(["push", await folderOf(files)]);
    expect(stderr).toContain("ada/reply has kind skill");
    expect(exitCode).toBe(6);
  });

  test("gives the conflict of two that push at once its own exit code", async () => {
    holds(promptOf(await versionOf(3, { "PROMPT.md": "Hi\n" })));
    registry.answer("POST /prompts/ada/reply/versions", refusal(409, "version_conflict"));
    expect(await registry.cli(["push", await folderOf(files), "--onto=3"])).toMatchObject({
      exitCode: 5,
      stderr: expect.stringMatching(/`promptreg pull ada\/reply --into .*` merges it\. Then push again\./),
    });
    expect(sent()).toHaveLength(1);
  });
});

describe("the files of a folder", () => {
  test("go without dotfiles, node_modules and the manifest, with binary ones as base64", async () => {
    account("ada");
    registry.answer("POST /prompts", { status: 201, json: promptOf(await versionOf(1, files)) });
    const folder = await folderOf({
      ...files,
      ".env": "SECRET=1",
      "node_modules/a/index.js": "x",
      "docs/.hidden/a.md": "x",
      "docs/logo.png": new Uint8Array([0x89, 0x50, 0x00, 0xff]),
      "scripts/run": "echo",
      "notes.md": "not a script",
    });
    await chmod(join(folder, "scripts/run"), 0o755);
    await chmod(join(folder, "notes.md"), 0o755);
    await registry.cli(["push", folder]);
    expect(sent()).toHaveLength(1);
    expect(sent()[0]?.body).toHaveProperty("files", [
      { path: "PROMPT.md", content: "Dear {{name}}\n" },
      { path: "docs/logo.png", content: "iVAA/w==", encoding: "base64" },
      { path: "notes.md", content: "not a script" },
      { path: "scripts/run", content: "echo", mode: "100755" },
    ]);
  });

  test("are never those that a symbolic link points to", async () => {
    const folder = await folderOf(files);
    await symlink("/etc/passwd", join(folder, "notes.md"));
    const { exitCode, stderr } = await registry.cli(["push", folder]);
    expect(stderr).toContain("notes.md is a symbolic link to no file of the prompt.");
    expect({ exitCode, seen: registry.seen }).toEqual({ exitCode: 6, seen: [] });
  });

  test("are those of a link once more, if it leads to another one of them", async () => {
    account("ada");
    registry.answer("POST /prompts", { status: 201, json: promptOf(await versionOf(1, files)) });
    const folder = await folderOf({ ...files, "docs/a.md": "A" });
    await symlink("docs/a.md", join(folder, "a.md"));
    await registry.cli(["push", folder, "-y"]);
    expect(sent()[0]?.body).toHaveProperty("files", [
      { path: "PROMPT.md", content: "Dear {{name}}\n" },
      { path: "docs/a.md", content: "A" },
      { path: "a.md", content: "A" },
    ]);
  });

  test("are none for links to anything else, which are all named at once", async () => {
    const folder = await folderOf({
      ...files,
      ".env": "KEY=1",
      "docs/a.md": "A",
      "node_modules/PROMPT.md": "B",
    });
    for (const [name, target] of Object.entries({
      "b.md": ".env",
      c: "docs",
      "d.md": "gone",
      "e.md": "e.md",
      "f.md": "node_modules/PROMPT.md",
    }))
      await symlink(target, join(folder, name));
    const { exitCode, stdout } = await registry.cli(["check", folder, "--json"]);
    expect(exitCode).toBe(6);
    expect(JSON.parse(stdout).results[0].problems).toEqual(
      ["b.md", "c", "d.md", "e.md", "f.md"].map((path) => ({
        path,
        message: "is a symbolic link to no file of the prompt",
      })),
    );
  });

  test("are counted before they are all read", async () => {
    const many = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`${index}.md`, "x"]));
    const { stderr } = await registry.cli(["push", await folderOf(many)]);
    expect(stderr).toContain("contains more than 200 files.");
  });

  test("that break a rule of the registry are named before anything is sent", async () => {
    const folder = await folderOf({ ...files, "aux.md": "x" });
    const { exitCode, stderr } = await registry.cli(["push", folder]);
    expect(stderr).toContain('The path "aux.md" has a segment that Windows keeps for a device');
    expect({ exitCode, seen: registry.seen }).toEqual({ exitCode: 6, seen: [] });
  });
});

describe("a manifest", () => {
  test.each([
    ["{", "promptreg.json is not valid JSON"],
    ['{\n  "prompt": "a/b",\n  secret\n}', "promptreg.json is not valid JSON at line 3, column 3.\n"],
    ['{"kind": "text",\n"kind": "chat"}', 'promptreg.json has "kind" twice, again in line 2.'],
    ["[]", "promptreg.json must contain an object"],
    [{ ...manifest, kind: "txt" }, "kind: must be one of: text, chat, media, skill, agent, rule, command"],
    [{ ...manifest, prompt: "Ada/Reply" }, "prompt: must be its address"],
    [{ prompt: "reply", kind: "text" }, "title: is missing"],
    [{ ...manifest, licence: "MIT" }, "licence: is unknown. Did you mean license?"],
    [{ ...manifest, visibility: "secret" }, "visibility: must be one of: public, unlisted, private"],
    ['{"__proto__": 1}', "__proto__: is unknown."],
  ])("%j is refused with the reason", async (about, reason) => {
    const { exitCode, stderr } = await registry.cli(["push", await folderOf(files, about)]);
    expect(stderr).toContain(reason);
    expect({ exitCode, seen: registry.seen }).toEqual({ exitCode: 6, seen: [] });
  });

  test("that is missing is explained", async () => {
    const folder = join(home, "none");
    await mkdir(folder);
    const { exitCode, stderr } = await registry.cli(["push", folder]);
    expect(stderr).toContain("Every prompt folder has one. `promptreg init` creates it.");
    expect(exitCode).toBe(6);
    expect((await registry.cli(["push", join(home, "nowhere")])).stderr).toContain("nowhere does not exist.");
  });
});

describe("a dry run", () => {
  test("says what would happen, shows the difference and changes nothing", async () => {
    const version = await versionOf(3, { "PROMPT.md": "Hi\n" });
    holds(promptOf(version));
    registry.answer("GET /prompts/ada/reply/versions/3", { json: version });
    const { stdout } = await registry.cli([
      "push",
      await folderOf(files),
      "--dry-run",
      "--label=a",
      "--onto=3",
    ]);
    expect(stdout).toBe(
      `${[
        "ada/reply would become the next version, and would be labelled a",
        "--- a/PROMPT.md",
        "+++ b/PROMPT.md",
        "@@ -1,1 +1,1 @@",
        "-Hi",
        "+Dear {{name}}",
        "variables added: name",
        "Breaking: values that were valid before may be refused now.",
      ].join("\n")}\n`,
    );
    expect(sent()).toEqual([]);
  });

  test("tells what the registry would remark", async () => {
    account("ada");
    const folder = await folderOf({ "PROMPT.md": "---\nvariables: [{name: tone}]\n---\nHi\n" });
    const { stdout, stderr } = await registry.cli(["push", folder, "--dry-run"]);
    expect(stdout).toBe("ada/reply would be created\n");
    expect(stderr).toContain("The variable tone is declared, but {{tone}} does not occur in any text.");
  });

  test("finds what the registry would refuse in the entry file", async () => {
    const folder = await folderOf({ "PROMPT.md": "---\nvariables: [{name: 1x}]\n---\nHi\n" });
    const { exitCode, stderr } = await registry.cli(["push", folder, "--dry-run"]);
    expect(stderr).toContain("PROMPT.md: variables.0.name: must be a letter or _");
    expect(exitCode).toBe(6);
  });
});

test("several folders are told of together, and what is refused spoils nothing", async () => {
  holds(promptOf(await versionOf(3, files)));
  registry.answer("GET /prompts/ada/gone", refusal(410, "gone"));
  const gone = await folderOf(files, { ...manifest, prompt: "ada/gone" });
  const broken = await folderOf(files, "{");
  const args = ["push", gone, broken, await folderOf(files)];
  const { exitCode, stdout, stderr } = await registry.cli([...args, "--json"]);
  expect(JSON.parse(stdout).results).toMatchObject([
    { folder: gone, ref: "ada/gone", status: "refused", exitCode: 4, error: { code: "gone" } },
    { folder: broken, ref: null, status: "refused", exitCode: 6, error: { code: "refused_input" } },
    { ref: "ada/reply", status: "unchanged", versionNumber: 3 },
  ]);
  expect(exitCode).toBe(4);
  expect(stderr).toBe("2 of 3 prompts were refused.\n");
  const lines = (await registry.cli(args)).stderr.split("\n");
  expect(lines).toEqual([
    `error: ${gone}: Refused with gone. (request req-12345678)`,
    expect.stringContaining(`error: ${broken}/promptreg.json is not valid JSON`),
    "2 of 3 prompts were refused.",
    "",
  ]);
});

test("what would be told of every folder ends a push of several at once", async () => {
  account("ada");
  registry.answer("POST /prompts", refusal(403, "account_suspended"));
  const folders = [await folderOf(files), await folderOf(files, { ...manifest, prompt: "ada/other" })];
  const { exitCode, stderr } = await registry.cli(["push", ...folders]);
  expect(stderr).toMatch(/^error: Refused with account_suspended\..*\n$/);
  expect(exitCode).toBe(3);
});

test("what is wrong is said once, though message and details both say it", async () => {
  account("ada");
  const details = [
    { path: "/message", code: "custom", message: "must be one line" },
    { path: "/labels/0", code: "custom", message: "must be a label" },
  ];
  registry.answer("POST /prompts", {
    status: 422,
    json: {
      error: {
        code: "validation_failed",
        message: "/message: must be one line.",
        details,
        requestId: "req-12345678",
      },
    },
  });
  const folder = await folderOf(files);
  expect((await registry.cli(["push", folder])).stderr).toBe(
    `error: ${folder}: message: must be one line. (request req-12345678)\n  labels.0: must be a label\n`,
  );
});
