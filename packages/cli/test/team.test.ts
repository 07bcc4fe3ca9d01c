import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { makeHome } from "./folders.ts";
import type { Around } from "./registry.ts";
import { startReal } from "./real.ts";

const registry = await startReal();
const home = await makeHome();
afterAll(() => registry.close());
const bob = await registry.createAccount("bob");

const git = (folder: string, ...args: string[]) =>
  execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...args], { cwd: folder });
const as = ({ token }: { token: string }): Around => ({ env: { PROMPTREG_TOKEN: token } });
const push = (folder: string, ...args: string[]) => registry.cli(["push", join(folder, "prompts"), ...args]);
const pull = (folder: string) =>
  registry.cli(["pull", "ada/reply", "--into", join(folder, "prompts"), "--json"]);
const statusOf = async (folder: string) =>
  JSON.parse((await registry.cli(["status", join(folder, "prompts"), "--json"])).stdout).results[0].status;
const registered = async () => (await registry.cli(["cat", "ada/reply"])).stdout;

const lines = (opening: string, closing: string) =>
  `${opening} {{name}},\n\nAnswer the question.\nBe brief.\n\n${closing}\n`;
const entryOf = (folder: string) => join(folder, "prompts/reply/PROMPT.md");

test("a team's day: two checkouts, a pipeline and a stranger's account lose nothing of each other", {
  tags: "long",
}, async () => {
  const origin = home.place();
  const [desk, laptop, shallow, whole] = [home.place(), home.place(), home.place(), home.place()];
  execFileSync("git", ["init", "-q", "--bare", "-b", "main", origin]);
  execFileSync("git", ["clone", "-q", origin, desk], { stdio: "ignore" });
  await home.prompt(join(desk, "prompts/reply"), "ada/reply", { "PROMPT.md": lines("Dear", "Bye") });
  const share = (message: string) => {
    git(desk, "add", ".");
    git(desk, "commit", "-qm", message);
    git(desk, "push", "-q", "origin", "HEAD:main");
  };
  share("Begin");
  expect((await push(desk, "--label", "production")).exitCode).toBe(0);
  expect(git(desk, "status", "--porcelain").toString()).toBe("");
  execFileSync("git", ["clone", "-q", origin, laptop]);

  // Both change another line; the second to push is stopped, pulls, and pushes both.
  await writeFile(entryOf(laptop), lines("Dear", "Goodbye"));
  expect((await push(laptop)).exitCode).toBe(0);
  await writeFile(entryOf(desk), lines("Hello", "Bye"));
  expect(await statusOf(desk)).toBe("diverged");
  const stopped = await push(desk);
  expect(stopped.exitCode).toBe(5);
  for (const way of ["promptreg pull ada/reply", "--onto latest"]) expect(stopped.stderr).toContain(way);
  expect(await pull(desk)).toMatchObject({ exitCode: 0 });
  expect(await readFile(entryOf(desk), "utf8")).toBe(lines("Hello", "Goodbye"));
  expect((await push(desk)).exitCode).toBe(0);
  expect(await registered()).toBe(lines("Hello", "Goodbye"));

  // Both change the same line: marked as git does, and not pushed until somebody has decided.
  await writeFile(entryOf(laptop), lines("Good day", "Goodbye"));
  expect((await push(laptop)).exitCode).toBe(5);
  expect((await pull(laptop)).exitCode).toBe(5);
  const marked = await readFile(entryOf(laptop), "utf8");
  expect(marked).toMatch(
    /^<<<<<<< .*\nGood day {{name}},\n(?:\|{7}.*\n.*\n)?=======\nHello {{name}},\n>>>>>>> ada\/reply@3\n/,
  );
  expect((await push(laptop)).exitCode).toBe(6);
  await writeFile(entryOf(laptop), lines("Good day", "Goodbye"));
  expect((await push(laptop)).exitCode).toBe(0);

  // A pipeline on a shallow checkout cannot know what its files were made from; one with the history can.
  expect((await pull(desk)).exitCode).toBe(0);
  share("What the registry has");
  await writeFile(entryOf(desk), lines("Good morning", "Goodbye"));
  share("Greet in the morning");
  execFileSync("git", ["clone", "-q", "--depth", "1", `file://${origin}`, shallow]);
  execFileSync("git", ["clone", "-q", origin, whole]);
  const blind = await push(shallow);
  expect([blind.exitCode, blind.stderr]).toEqual([5, expect.stringMatching(/--onto latest.*fetch-depth: 0/)]);
  expect((await push(whole)).exitCode).toBe(0);
  expect(await registered()).toBe(lines("Good morning", "Goodbye"));

  // Another account makes no copy unless it says so.
  const refused = await registry.cli(["push", join(whole, "prompts")], as(bob));
  expect([refused.exitCode, refused.stderr]).toEqual([3, expect.stringContaining("--owner bob")]);
  const copied = await registry.cli(["push", join(whole, "prompts"), "--owner", "bob"], as(bob));
  expect(copied).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("bob/reply") });
  const { visibility } = JSON.parse((await registry.cli(["show", "bob/reply", "--json"], as(bob))).stdout);
  expect(visibility).toBe("private");
});
