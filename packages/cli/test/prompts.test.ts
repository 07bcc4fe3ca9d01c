import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { makeHome } from "./folders.ts";
import { startReal } from "./real.ts";
import type { Around } from "./registry.ts";

const registry = await startReal();
const home = await makeHome();
afterAll(() => registry.close());

const run = async (line: string, around?: Around) => registry.cli(line.split(" "), around);
const json = async (line: string) => JSON.parse((await run(`${line} --json`)).stdout);

const text = `---
config: { model: gpt-5-mini }
variables:
  - { name: tone, type: enum, options: [warm, brief], default: warm }
---
Dear {{name}}, {{tone}}
`;
/** A prompt with two versions, of which the first is labelled production. */
async function twoVersions(slug: string, about = {}) {
  const folder = await home.prompt(home.place(), slug, { "PROMPT.md": text }, about);
  await registry.cli(["push", folder, "--message", "First\n\nAnd more.", "--label", "production", "--yes"]);
  await appendFile(join(folder, "PROMPT.md"), "Bye.\n");
  await registry.cli(["push", folder, "--message", "Say goodbye"]);
  return folder;
}

describe("log", () => {
  test("tells of the versions, newest first, with labels, author, time and message", async () => {
    await twoVersions("logged");
    const { stdout } = await run("log ada/logged");
    const rows = stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split("\t"));
    expect(rows).toEqual([
      ["2", "", "ada", expect.stringMatching(/^\d{4}-\d\d-\d\dT/), "Say goodbye"],
      ["1", "production", "ada", expect.stringMatching(/^\d{4}-\d\d-\d\dT/), "First"],
    ]);
    expect((await json("log ada/logged")).items.map(({ n }: { n: number }) => n)).toEqual([2, 1]);
  });

  test("says that there are older ones", async () => {
    await twoVersions("logged-long");
    const { stdout, stderr } = await run("log ada/logged-long --limit 1");
    expect(stdout.split("\n")).toHaveLength(2);
    expect(stderr).toBe("There are older versions. --limit shows more of them.\n");
  });
});

describe("show", () => {
  test("tells what a prompt is", async () => {
    await twoVersions("shown", { summary: "Writes letters", tags: ["mail"], license: "MIT" });
    const { stdout } = await run("show ada/shown@production");
    expect(stdout).toContain("ada/shown  About shown\nWrites letters\n");
    expect(stdout).toMatch(/^labels\tproduction → 1$/m);
    expect(stdout).toMatch(/^latest\t2$/m);
    expect(stdout).toMatch(/^shown\tversion 1 of ada, .*: First And more\.$/m);
    expect(stdout.match(/^\w+$/gm)).toEqual(["variables", "settings", "files"]);
    expect(stdout).toMatch(/^ {2}tone +enum +default "warm" +one of warm, brief$/m);
    expect(stdout).toMatch(/^ {2}name +text +required$/m);
    expect(stdout).toMatch(/^ {2}model +"gpt-5-mini"$/m);
    expect(stdout).toMatch(/^ {2}PROMPT\.md +\d+ B$/m);
    expect(await json("show ada/shown")).toMatchObject({ ref: "ada/shown", version: { n: 2 } });
  });
});

describe("cat", () => {
  test("prints any file as it is", async () => {
    const logo = new Uint8Array([0x89, 0x50, 0x00, 0x41]);
    const folder = await home.prompt(home.place(), "printed", {
      "PROMPT.md": "\uFEFFHi\r\n",
      "logo.png": logo,
    });
    await registry.cli(["push", folder]);
    // What a shell would see is decoded here, which takes the byte order mark away.
    expect((await run("cat ada/printed")).stdout).toMatch(/^\uFEFF?Hi\r\n$/);
    expect((await run("cat ada/printed logo.png")).stdout).toBe("\uFFFDP\0A");
    expect(await run("cat ada/printed logo.png", { isTTY: true })).toMatchObject({
      exitCode: 6,
      stderr: expect.stringContaining("is binary. Write it to a file"),
    });
    expect(await run("cat ada/printed logo.pn")).toMatchObject({
      exitCode: 4,
      stderr: "error: ada/printed has no file logo.pn. Did you mean logo.png?\n",
    });
  });
});

describe("list", () => {
  test("shows one's own prompts, private ones too, or those of others", async () => {
    await twoVersions("listed", { visibility: "private", tags: ["listing"] });
    const { stdout } = await run("list --tag listing");
    expect(stdout.split("\t")).toEqual([
      "ada/listed",
      "text",
      "2",
      "production 1",
      expect.stringMatching(/^\d{4}/),
      "(private) About listed\n",
    ]);
    expect(await run("list --tag listing --public")).toMatchObject({
      stdout: "",
      stderr: "No prompts found.\n",
    });
    const { token } = await registry.createAccount("bob");
    const asBob = { env: { PROMPTREG_TOKEN: token } };
    await twoVersions("listed-public", { tags: ["listing"], visibility: "public" });
    expect((await run("list --owner ada --tag listing", asBob)).stdout).toContain("ada/listed-public\t");
    expect((await run("list", asBob)).stderr).toBe("No prompts found.\n");
    expect((await run("list --owner ada --public")).exitCode).toBe(2);
  });

  test("looks for words, and says that there are more", async () => {
    for (const slug of ["found-one", "found-two"])
      await registry.cli(["push", await home.prompt(home.place(), slug, undefined, { title: "Quixotic" })]);
    const { stdout, stderr } = await run("list --query quixotic --kind text --limit 1");
    expect(stdout.split("\n")).toHaveLength(2);
    expect(stderr).toBe("There are more. --limit shows more of them.\n");
    expect((await json("list --query quixotic --kind chat")).items).toEqual([]);
  });
});

test("a list of a thousand is asked for in pages that the registry gives", async () => {
  await twoVersions("paged");
  const { id: collection } = await json("collection create Paged");
  const { id: hook } = await json("webhook create http://127.0.0.1:9/hook");
  for (const command of [
    "list",
    "log ada/paged",
    "label history ada/paged production",
    "search paged",
    "leaderboard",
    "comment list ada/paged",
    "comment list --mine",
    "report list",
    "example list ada/paged",
    "collection list",
    `collection show ${collection}`,
    `webhook deliveries ${hook}`,
  ])
    expect([command, (await run(`${command} --limit 1000`)).exitCode]).toEqual([command, 0]);
});

describe("a version", () => {
  test("becomes the newest again, and labels stay", async () => {
    await twoVersions("restored");
    const { stdout } = await registry.cli(["restore", "ada/restored@1", "--message", "Back"]);
    expect(stdout).toBe("ada/restored is now at version 3, a copy of version 1\n");
    expect((await json("show ada/restored")).labels).toEqual({ production: 1 });
    expect((await run("restore ada/restored@3")).exitCode).toBe(5);
    expect((await run("restore ada/restored@production")).exitCode).toBe(2);
  });

  test("is yanked after a yes, and taken back", async () => {
    await twoVersions("yanked");
    expect(await run("yank ada/yanked@2")).toMatchObject({ exitCode: 2 });
    const no = await run("yank ada/yanked@2", { answers: [false] });
    expect(no.asked[0]).toContain("Yank version 2 of ada/yanked (Say goodbye)?");
    expect(no.exitCode).toBe(130);
    const args = ["yank", "ada/yanked@2", "--reason", "Too cold", "--yes"];
    expect((await registry.cli(args)).stdout).toBe("ada/yanked version 2 is yanked\n");
    expect((await run("log ada/yanked")).stdout).toContain("\tyanked: Too cold  Say goodbye\n");
    expect((await run("unyank ada/yanked@2")).stdout).toBe("ada/yanked version 2 is no longer yanked\n");
    expect((await json("log ada/yanked")).items[0].yanked).toBeNull();
    expect(await run("yank ada/yanked@1 --yes")).toMatchObject({
      exitCode: 5,
      stderr: expect.stringContaining("has the labels: production"),
    });
  });
});

describe("delete", () => {
  test("says what is lost, asks, and leaves a prompt that changed meanwhile", async () => {
    await twoVersions("doomed");
    const no = await run("delete ada/doomed", { answers: [false] });
    expect(no.asked[0]).toContain(
      "Delete ada/doomed, About doomed, with its versions up to 2, its labels (production 1)?",
    );
    expect(no).toMatchObject({ exitCode: 130, stderr: "error: Nothing was changed.\n" });
    const confirm = async () => (await run("label move ada/doomed staging 2 --yes")).exitCode === 0;
    expect((await run("delete ada/doomed", { confirm })).exitCode).toBe(5);
    expect((await run("delete ada/doomed", { answers: [true] })).stdout).toBe("ada/doomed is deleted\n");
    expect((await run("show ada/doomed")).exitCode).toBe(4);
  });
});
