import { appendFile, chmod, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createClient } from "@promptreg/client";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { contentOf, makeHome } from "./folders.ts";
import { promptOf, versionOf } from "./prompts.ts";
import { startReal } from "./real.ts";
import { startRegistry } from "./registry.ts";

const registry = await startReal();
const home = await makeHome();
afterAll(() => registry.close());
beforeEach(() => void (registry.requests.length = 0));

const pull = (into: string, ...args: string[]) => registry.cli(["pull", ...args, "--into", into]);
const push = (...args: string[]) => registry.cli(["push", ...args]);

/** A prompt in the registry, and where it was pushed from. */
async function pushed(slug: string, files: Record<string, string | Uint8Array> = {}, about = {}) {
  const folder = await home.prompt(home.place(), slug, { "PROMPT.md": "Hello {{name}}\n", ...files }, about);
  for (const path of ["scripts/run", "tool"]) await chmod(join(folder, path), 0o755).catch(() => {});
  expect((await push(folder)).exitCode).toBe(0);
  return folder;
}

describe("what was pulled", () => {
  const everything = {
    "PROMPT.md": "\uFEFF---\r\nvariables: [name]\r\n---\r\nHello {{name}}\r\n",
    "crlf.md": "a\r\nb\rc\n\n",
    "no-newline.md": "end",
    "empty.md": "",
    "logo.png": new Uint8Array([0x89, 0x50, 0x00, 0xff, 0x0d, 0x0a]),
    "latin.txt": new Uint8Array([0xe9, 0x0d, 0x0a]),
    "a/b/c/deep.md": "deep\n",
    "日本語/Grüße 😀.md": "Grüße\n",
    "scripts/run": "echo\n",
    tool: "#!/bin/sh\n",
  };

  test("is what was pushed, byte for byte, and pushing it changes nothing", async () => {
    const about = { summary: "Says hello", tags: ["greeting"], license: "MIT", visibility: "private" };
    const folder = await pushed("bytes", { ...everything, "PROMPT.md": "\uFEFFHello {{name}}\r\n" }, about);
    const into = home.place();
    await mkdir(into);
    const { exitCode, stdout } = await pull(into, "ada/bytes");
    expect(stdout).toBe(`ada/bytes@1 written to ${join(into, "bytes")}\n`);
    expect(exitCode).toBe(0);
    const { "promptreg.json": manifest = "", ...files } = await contentOf(join(into, "bytes"));
    const { "promptreg.json": _, ...sent } = await contentOf(folder);
    expect(files).toEqual(sent);
    expect(files["tool"]).toBe("x #!/bin/sh\n");
    expect(JSON.parse(manifest)).toEqual({
      prompt: "ada/bytes",
      kind: "text",
      title: "About bytes",
      ...about,
    });
    expect(await readdir(into)).toEqual(["bytes"]);
    registry.requests.length = 0;
    const again = await push(join(into, "bytes"));
    expect(again).toMatchObject({ stdout: "ada/bytes unchanged at version 1\n", stderr: "" });
    expect(registry.requests.every(({ method }) => method === "GET")).toBe(true);
  });

  test("can be an old version, or where a label points", async () => {
    const folder = await pushed("older");
    await appendFile(join(folder, "PROMPT.md"), "More.\n");
    await push(folder, "--label", "production");
    const into = home.place();
    const hash = async (which: string) => {
      await pull(into, `ada/older${which}`);
      return (await contentOf(join(into, "older")))["PROMPT.md"];
    };
    expect(await hash("@1")).toBe("Hello {{name}}\n");
    expect(await hash("@production")).toBe("Hello {{name}}\nMore.\n");
  });

  test("is whole or not begun when it is stopped", async () => {
    await pushed("stopped-a");
    await pushed("stopped-b");
    const into = home.place();
    await mkdir(into);
    const { exitCode, stdout, stderr } = await registry.cli(
      ["pull", "ada/stopped-a", "ada/stopped-b", "--into", into],
      { interrupt: AbortSignal.abort() },
    );
    expect(stderr).toContain("Stopped. Nothing was pulled.");
    expect({ exitCode, stdout }).toEqual({ exitCode: 130, stdout: "" });
    expect(await readdir(into)).toEqual([]);
  });

  test("are named where one of them is not there", async () => {
    await pushed("there");
    expect(await pull(home.place(), "ada/there", "ada/not-there")).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining("ada/not-there: "),
    });
  });

  test("that have a draft alone are told how they get a version", async () => {
    const client = createClient(registry);
    const files = [{ path: "PROMPT.md", content: "Hi.\n" }];
    await client.prompts.create({
      body: { kind: "text", slug: "only-draft", title: "D", files, publish: false },
    });
    const pull = () => registry.cli(["pull", "ada/only-draft", "--into", home.place()]);
    const command = /`promptreg (api prompts\.versions\.create owner=ada slug=only-draft)`/;
    const [, said = ""] = command.exec((await pull()).stderr) ?? [];
    expect((await registry.cli(said.split(" "))).exitCode).toBe(0);
    expect((await pull()).exitCode).toBe(0);
  });

  test("are all of one's own prompts", async () => {
    const into = home.place();
    await pushed("all-a");
    const { stdout } = await registry.cli(["pull", "--all", "--into", into, "--json"]);
    const refs = JSON.parse(stdout).results.map(({ ref }: { ref: string }) => ref);
    expect(refs).toContain("ada/all-a");
    expect((await push(into, "--json")).stdout).not.toMatch(/"status": "(created|committed)"/);
    expect((await pull(into)).exitCode).toBe(2);
    expect((await pull(into, "--all", "ada/all-a")).exitCode).toBe(2);
  });
});

describe("a folder that is there already", () => {
  test("follows the registry, and keeps what a push leaves behind", async () => {
    const folder = await pushed("moved", { "old/a.md": "a", docs: "a file" });
    const into = home.place();
    await pull(into, "ada/moved");
    const mine = join(into, "moved");
    await writeFile(join(mine, ".env"), "SECRET=1");
    const other = await home.prompt(home.place(), "moved", { "PROMPT.md": "Newer\n", "docs/b.md": "b" });
    await push(other, "--onto=1");
    expect((await pull(into, "ada/moved")).stdout).toBe(`ada/moved@2 updated in ${mine}\n`);
    expect(Object.keys(await contentOf(mine)).sort()).toEqual([
      ".env",
      "PROMPT.md",
      "docs/b.md",
      "promptreg.json",
    ]);
    expect(await readdir(mine)).not.toContain("old");
    expect((await pull(into, "ada/moved")).stdout).toBe(`ada/moved@2 unchanged in ${mine}\n`);
    expect(folder).not.toBe(mine);
  });

  test("of which nothing tells what was changed, loses that only after a yes", async () => {
    await pushed("edited");
    const into = home.place();
    await home.prompt(join(into, "edited"), "edited");
    const file = join(into, "edited", "PROMPT.md");
    await writeFile(file, "Mine\n");
    const text = async () => (await contentOf(join(into, "edited")))["PROMPT.md"];
    const pullAsked = (...answers: boolean[]) =>
      registry.cli(["pull", "ada/edited", "--into", into], answers.length > 0 ? { answers } : {});
    expect(await pullAsked()).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("--yes") });
    const refused = await pullAsked(false);
    expect(refused.asked[0]).toContain("it cannot be merged. Overwrite it?");
    expect(refused.exitCode).toBe(130);
    expect(await text()).toBe("Mine\n");
    const controller = new AbortController();
    const stopped = await registry.cli(["pull", "ada/edited", "--into", into], {
      interrupt: controller.signal,
      confirm: async () => (controller.abort(), true),
    });
    expect(stopped).toMatchObject({
      exitCode: 130,
      stderr: expect.stringContaining("Stopped: 0 of 1 prompts were pulled."),
    });
    expect(await text()).toBe("Mine\n");
    expect((await pullAsked(true)).exitCode).toBe(0);
    expect(await text()).toBe("Hello {{name}}\n");
  });

  test("is left alone when it is another prompt, or none", async () => {
    await pushed("taken");
    const into = home.place();
    await home.prompt(join(into, "taken"), "bob/taken");
    expect(await pull(into, "ada/taken")).toMatchObject({
      exitCode: 6,
      stderr: expect.stringContaining("contains bob/taken"),
    });
    const other = home.place();
    await mkdir(join(other, "taken"), { recursive: true });
    await writeFile(join(other, "taken", "PROMPT.md"), "Mine");
    expect(await pull(other, "ada/taken")).toMatchObject({
      exitCode: 6,
      stderr: expect.stringContaining("is not a prompt folder"),
    });
  });
});

describe("a registry that is not to be trusted", () => {
  const files = { "PROMPT.md": "Hello\n" };
  const hostile = async (path: string, fields = {}) => {
    const version = await versionOf(1, { ...files, [path]: "boo" });
    return { ...promptOf({ ...version, ...fields }), ref: "ada/reply" };
  };

  test.each([
    "../escaped.md",
    "/tmp/escaped.md",
    "docs/../../escaped.md",
    "C:\\escaped.md",
    "a\\..\\b",
    ".git/config",
  ])("cannot write to %s", async (path) => {
    const fake = await startRegistry();
    fake.answer("GET /prompts/ada/reply", { json: await hostile(path) });
    const into = home.place();
    await mkdir(into);
    const { exitCode, stderr } = await fake.cli(["pull", "ada/reply", "--into", into]);
    expect(stderr).toContain("ada/reply contains files that cannot be written.");
    expect(exitCode).toBe(6);
    expect(await readdir(into)).toEqual([]);
    await fake.close();
  });

  test("cannot name the folder, nor send other files than it says, nor bring a manifest or dotfiles", async () => {
    const fake = await startRegistry();
    const into = home.place();
    await mkdir(into);
    const answer = (prompt: object) => {
      fake.answer("GET /prompts/ada/reply", { json: prompt });
      return fake.cli(["pull", "ada/reply", "--into", into]);
    };
    const named = await answer({ ...(await hostile("a.md")), ref: "ada/../../x" });
    expect(named).toMatchObject({ exitCode: 9, stderr: expect.stringContaining("invalid address") });
    const changed = await answer(await hostile("a.md", { contentHash: `sha256:${"0".repeat(64)}` }));
    expect(changed).toMatchObject({
      exitCode: 9,
      stderr: expect.stringContaining("do not match their content hash"),
    });
    expect(await readdir(into)).toEqual([]);
    const own = await versionOf(1, {
      ...files,
      ".envrc": "rm",
      "promptreg.json": "{}",
      "node_modules/a.js": "x",
    });
    const { exitCode, stderr } = await answer(promptOf(own));
    expect(stderr).toContain("not written: .envrc, promptreg.json, node_modules/a.js");
    expect(exitCode).toBe(0);
    expect(Object.keys(await contentOf(join(into, "reply"))).sort()).toEqual(["PROMPT.md", "promptreg.json"]);
    await fake.close();
  });
});
