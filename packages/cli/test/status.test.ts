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

  test.each([
    [5, 0],
    [6, 1],
  ])("of %i that did not change is told one by one, or as one sum", { tags: "long" }, async (count, sums) => {
    const tree = home.place();
    for (let nth = 0; nth < count; nth += 1)
      await home.prompt(join(tree, `many-${count}-${nth}`), `many-${count}-${nth}`);
    await push(tree);
    await home.prompt(join(tree, `more-${count}`), `more-${count}`);
    const { stdout, stderr } = await registry.cli(["status", tree]);
    expect(stdout.match(/unchanged at version 1/g) ?? []).toHaveLength(sums === 0 ? count : 0);
    expect(stdout.match(/not in the registry yet/g)).toHaveLength(1);
    expect(stderr).toBe(sums === 0 ? "" : `${count} prompts unchanged\n`);
    const inJson = await registry.cli(["status", tree, "--json"]);
    expect([JSON.parse(inJson.stdout).results.length, inJson.stderr]).toEqual([count + 1, ""]);
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

  test("of a tree names those that the registry has not, and needs one that it has", async () => {
    const tree = home.place();
    const known = await home.prompt(join(tree, "known"), "tree-known");
    await push(known);
    const fresh = await home.prompt(join(tree, "fresh"), "tree-fresh");
    const both = await registry.cli(["diff", tree]);
    expect([both.exitCode, both.stderr]).toEqual([0, `${fresh} has no version in the registry.\n`]);
    expect(both.stdout).toBe(`Version 1 and ${known} are equal.\n`);
    const alone = await registry.cli(["diff", fresh]);
    expect([alone.exitCode, alone.stdout, alone.stderr]).toEqual([
      6,
      "",
      `error: The registry has no version of ${fresh} to compare with. \`promptreg push\` creates one.\n`,
    ]);
    const broken = await home.prompt(join(tree, "broken"), "tree-broken", { "PROMPT.md": "{{" });
    await writeFile(join(broken, "promptreg.json"), "{");
    await rm(join(tree, "known"), { recursive: true });
    const refused = await registry.cli(["diff", tree]);
    expect([refused.exitCode, refused.stdout]).toEqual([6, ""]);
    expect(refused.stderr).toContain("is not valid JSON");
    expect(refused.stderr).not.toContain("to compare with");
  });
});
