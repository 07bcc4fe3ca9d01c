import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { makeHome } from "./folders.ts";
import { startReal } from "./real.ts";

const registry = await startReal();
const home = await makeHome();
afterAll(() => registry.close());
const bob = await registry.createAccount("bob");

const ada = (...args: string[]) => registry.cli([...args, "--yes"]);
const byBob = (...args: string[]) =>
  registry.cli([...args, "--yes"], { env: { PROMPTREG_TOKEN: bob.token } });

const original = ["Dear {{name}},", "", "Keep it short.", "", "Bye", ""];
const text = (changes: Record<number, string> = {}) =>
  original.map((line, index) => changes[index] ?? line).join("\n");

let count = 0;
let slug = "";
/** Bob's folder of his fork. */
let folder = "";
const at = (file: string) => join(folder, file);
const change = (content: string) => writeFile(at("PROMPT.md"), content);
const content = () => readFile(at("PROMPT.md"), "utf8");

/** A next version of ada's prompt. */
async function commit(content: string) {
  const source = await home.prompt(
    home.place(),
    `ada/${slug}`,
    { "PROMPT.md": content },
    { visibility: "public" },
  );
  await ada("push", source, "--onto", "latest");
}

beforeEach(async () => {
  slug = `reply-${(count += 1)}`;
  await commit(text());
  const place = home.place();
  await mkdir(place);
  await byBob("fork", `ada/${slug}`, "--into", place);
  folder = join(place, slug);
});

describe("fork sync", () => {
  test("merges what changed in the source since, once, and a push sends it", async () => {
    await change(text({ 0: "Hello {{name}}," }));
    await commit(text({ 4: "Yours" }));
    const { stdout, stderr, exitCode } = await byBob("fork", "sync", folder);
    expect({ stdout, exitCode }).toEqual({ stdout: `ada/${slug}@2 merged into ${folder}\n`, exitCode: 0 });
    expect(stderr).toContain(`Next: promptreg push ${folder}. `);
    expect(stderr).toContain(
      `\`promptreg change-request edit ada/${slug} <number> --propose latest --base 2\``,
    );
    const both = text({ 0: "Hello {{name}},", 4: "Yours" });
    expect(await content()).toBe(both);
    expect((await byBob("push", folder)).stdout).toBe(`bob/${slug} is now at version 2\n`);
    await change(both.replace("short", "brief"));
    expect((await byBob("fork", "sync", folder)).stdout).toBe(
      `ada/${slug}@2 is already the base of ${folder}\n`,
    );
    await commit(text({ 4: "Yours truly" }));
    expect(await byBob("fork", "sync", folder, "--json")).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/"status": "merged",\s+"versionNumber": 3/),
    });
    expect(await content()).toBe(both.replace("short", "brief").replace("Yours", "Yours truly"));
  });

  test("leaves marks where both changed the same lines, as a pull does", async () => {
    await change(text({ 0: "Hello {{name}}," }));
    await commit(text({ 0: "Hi {{name}}," }));
    expect(await byBob("fork", "sync", folder)).toMatchObject({
      exitCode: 5,
      stdout: `ada/${slug}@2 merged into ${folder}, with 1 conflict\n`,
      stderr: expect.stringContaining(`${folder}/PROMPT.md: has conflict markers`),
    });
    expect(await content()).toBe(
      text({
        0: `<<<<<<< here\nHello {{name}},\n=======\nHi {{name}},\n>>>>>>> ada/${slug}@2`,
      }),
    );
    await change(text({ 0: "Hello you," }));
    expect((await byBob("push", folder)).exitCode).toBe(0);
    expect((await byBob("fork", "sync", folder)).stdout).toContain("is already the base");
  });

  test("merges again what was thrown away before a push", async () => {
    await commit(text({ 4: "Yours" }));
    await byBob("fork", "sync", folder);
    await change(text());
    expect((await byBob("fork", "sync", folder)).stdout).toContain("merged into");
    expect(await content()).toBe(text({ 4: "Yours" }));
  });

  test("ends the conflict of a change request", async () => {
    await change(text({ 0: "Hello {{name}}," }));
    await byBob("push", folder, "--message", "Warmer");
    await byBob("change-request", "create", `bob/${slug}`);
    await commit(text({ 4: "Yours" }));
    const merging = () => ada("change-request", "merge", `ada/${slug}`, "1");
    const refused = await merging();
    expect(refused).toMatchObject({ exitCode: 5, stderr: expect.stringContaining("`promptreg fork sync`") });
    await byBob("fork", "sync", folder);
    await byBob("push", folder);
    const edit = ["change-request", "edit", `ada/${slug}`, "1", "--propose", "latest", "--base", "2"];
    expect((await byBob(...edit)).exitCode).toBe(0);
    expect(await merging()).toMatchObject({ exitCode: 0 });
    expect((await ada("cat", `ada/${slug}`)).stdout).toBe(text({ 0: "Hello {{name}},", 4: "Yours" }));
  });

  test("takes no option of fork", async () => {
    expect(await byBob("fork", "sync", folder, "--into", "x")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("unknown option '--into'"),
    });
    expect((await byBob("fork", "sync", "--help")).stdout).not.toContain("--into");
  });

  test("refuses what is no fork", async () => {
    const own = await home.prompt(home.place(), `bob/own-${slug}`);
    await byBob("push", own);
    expect(await byBob("fork", "sync", own)).toMatchObject({
      exitCode: 6,
      stderr: expect.stringContaining(`bob/own-${slug} is no fork`),
    });
  });
});

test("status says that the source of a fork has a newer version, until that is merged", async () => {
  const status = async () => (await byBob("status", folder)).stdout;
  expect(await status()).toBe(`${folder}\tbob/${slug}\tunchanged at version 1\n`);
  await commit(text({ 4: "Yours" }));
  expect(await status()).toBe(
    `${folder}\tbob/${slug}\tunchanged at version 1; ada/${slug} has version 2, merged is 1: promptreg fork sync ${folder}\n`,
  );
  await byBob("fork", "sync", folder);
  expect(await status()).toMatch(/changed here since version 1, \+1 −1\n$/);
});

test("completion of fork offers its verb beside prompts", async () => {
  const { stdout } = await registry.cli(["__complete", "--", "fork", ""], {
    env: { PROMPTREG_TOKEN: bob.token },
  });
  expect(stdout).toMatch(/^sync\tMerges /m);
  expect(stdout).toMatch(new RegExp(`^bob/${slug}\\t`, "m"));
});

test("a sync needs a folder of one prompt, which the registry has", async () => {
  const tree = home.place();
  const [one] = [
    await home.prompt(join(tree, "one"), "ada/one"),
    await home.prompt(join(tree, "two"), "ada/two"),
  ];
  expect(await ada("fork", "sync", tree)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(`${tree} holds 2 prompts. Name the folder of one.`),
  });
  expect(await ada("fork", "sync", one)).toMatchObject({
    exitCode: 6,
    stderr: "error: The registry has no ada/one. `promptreg push` creates it.\n",
  });
});
