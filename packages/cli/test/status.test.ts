import { appendFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { git, makeHome } from "./folders.ts";
import { startReal } from "./real.ts";

const registry = await startReal();
const home = await makeHome();
afterAll(() => registry.close());

const push = (...args: string[]) => registry.cli(["push", ...args]);
const change = (folder: string, text = "Goodbye.\n") => appendFile(join(folder, "PROMPT.md"), text);

describe("status", () => {
  const statusOf = async (folder: string) =>
    JSON.parse((await registry.cli(["status", folder, "--json"])).stdout).results;

  test("tells how each folder stands to the registry", async () => {
    const tree = home.place();
    const names = ["stands-behind", "stands-changed", "stands-deleted", "stands-same"];
    for (const name of names) await home.prompt(join(tree, name), name);
    await push(tree);
    const ahead = await home.prompt(home.place(), "stands-behind", { "PROMPT.md": "Newer\n" });
    await push(ahead, "--onto=1");
    await change(join(tree, "stands-changed"));
    await registry.cli(["delete", "ada/stands-deleted", "--yes"]);
    await home.prompt(join(tree, "stands-new"), "stands-new");
    expect(await statusOf(tree)).toMatchObject([
      { status: "behind", version: 1, latest: 2 },
      { status: "changed", latest: 1, additions: 1, deletions: 0 },
      { status: "deleted" },
      { status: "new" },
      { status: "unchanged", version: 1 },
    ]);
    const { stdout, exitCode } = await registry.cli(["status", tree]);
    expect(stdout.split("\n").map((line) => line.split("\t").at(-1))).toEqual([
      "is version 1; the registry has 2",
      "changed here since version 1, +1 −0",
      "deleted in the registry",
      "not in the registry yet",
      "unchanged at version 1",
      "",
    ]);
    expect(exitCode).toBe(0);
  });

  test.each(["git", "the state"])("knows from %s that both went on, and a diff says so", async (by) => {
    const slug = `diverges-by-${by.split(" ").at(-1)}`;
    // What does not go out counts for nothing, though git keeps it.
    const folder = await home.prompt(home.place(), slug, {
      "PROMPT.md": "Hello {{name}}\n",
      "drafts/a.md": "x",
      ".promptregignore": "drafts/\n",
      "nested/promptreg.json": "{}",
    });
    await push(folder);
    if (by === "git") {
      git(folder, "init", "-q");
      git(folder, "add", ".");
      git(folder, "commit", "-qm", "Begin");
      await rm(join(folder, ".promptreg-state"), { recursive: true });
    }
    await change(folder, "Mine\n");
    expect(await statusOf(folder)).toMatchObject([{ status: "changed", version: 1, latest: 1 }]);
    await push(await home.prompt(home.place(), slug, { "PROMPT.md": "Theirs\n" }), "--onto=1");
    expect(await statusOf(folder)).toMatchObject([{ status: "diverged", version: 1, latest: 2 }]);
    expect((await registry.cli(["diff", folder])).stderr).toContain("is based on version 1");
  });

  test("of somebody else's prompt says whose it is, and whose token does not see it", async () => {
    const folder = await home.prompt(home.place(), "ada/stands-private");
    await push(folder);
    const { token } = await registry.createAccount("bob");
    const asBob = { env: { PROMPTREG_TOKEN: token } };
    expect((await registry.cli(["status", folder], asBob)).stdout).toContain(
      "\tada's; bob may not see it, or it does not exist\n",
    );
  });

  test("says that it was stopped", async () => {
    const folder = await home.prompt(home.place(), "stands-stopped");
    expect(await registry.cli(["status", folder], { interrupt: AbortSignal.abort() })).toMatchObject({
      exitCode: 130,
      stdout: "",
      stderr: "error: Stopped: 0 of 1 prompt compared.\n",
    });
  });

  test("does not guess since when a folder was changed", async () => {
    await push(await home.prompt(home.place(), "stands-unknown"));
    const folder = await home.prompt(home.place(), "stands-unknown", { "PROMPT.md": "Mine\n" });
    expect(await statusOf(folder)).toMatchObject([{ status: "changed", version: null, latest: 1 }]);
    expect((await registry.cli(["status", folder])).stdout).toContain("the base version is unknown");
  });
});

describe("a diff of a folder", () => {
  test("compares the latest version with it, and can fail where that breaks others", async () => {
    const folder = await home.prompt(home.place(), "compared");
    await push(folder);
    expect((await registry.cli(["diff", folder, "--breaking"])).stdout).toBe(
      `Version 1 and ${folder} are equal.\n`,
    );
    await writeFile(join(folder, "PROMPT.md"), "\uFEFFHello {{name}}, {{tone}}\r\n");
    const { exitCode, stdout, stderr } = await registry.cli(["diff", folder, "--breaking"]);
    expect(stdout).toContain("+\uFEFFHello {{name}}, {{tone}}\r\n");
    expect(stdout).toContain("variables added: tone\nBreaking:");
    expect(stderr).toContain("Values that were valid for version 1 may be refused by");
    expect(exitCode).toBe(9);
    expect((await registry.cli(["diff", folder])).exitCode).toBe(0);
  });
});
