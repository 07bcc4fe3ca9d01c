import { execFileSync } from "node:child_process";
import { appendFile, cp, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { contentOf, git, makeHome } from "./folders.ts";
import { startReal } from "./real.ts";

const registry = await startReal();
const home = await makeHome();
afterAll(() => registry.close());
beforeEach(() => void (registry.requests.length = 0));

const text = "Hello {{name}}\n\nOne.\nTwo.\nThree.\n\nBye\n";
const writes = () => registry.requests.filter(({ method }) => method !== "GET").length;
const push = (folder: string, ...args: string[]) => registry.cli(["push", folder, ...args]);
const write = (folder: string, content: string) => writeFile(join(folder, "PROMPT.md"), content);
const change = (folder: string, line: string) => appendFile(join(folder, "PROMPT.md"), `${line}\n`);
const promptAt = async (ref: string) => (await registry.cli(["cat", ref])).stdout;

/** A prompt in the registry, as it was pulled into a folder of its own. */
async function checkedOut(slug: string, { isPushed = false } = {}) {
  if (!isPushed) await push(await home.prompt(home.place(), slug, { "PROMPT.md": text }));
  const into = home.place();
  expect(await registry.cli(["pull", `ada/${slug}`, "--into", into])).toMatchObject({ exitCode: 0 });
  return join(into, slug);
}

const stopped = (...parts: string[]) => ({
  exitCode: 5,
  stdout: "",
  stderr: expect.stringMatching(new RegExp(parts.join(".*"), "s")),
});

describe("of two checkouts of a version, of which one was pushed", () => {
  test("the other is stopped, is told every way on, and loses nothing when it pulls", async () => {
    const mine = await checkedOut("two-checkouts");
    const theirs = await checkedOut("two-checkouts", { isPushed: true });
    await write(theirs, text.replace("One.", "One, theirs."));
    expect((await push(theirs)).stdout).toBe("ada/two-checkouts is now at version 2\n");
    await write(mine, text.replace("Three.", "Three, mine."));
    registry.requests.length = 0;
    for (const options of [[], ["--dry-run"]]) {
      expect(await push(mine, ...options)).toEqual(
        expect.objectContaining(
          stopped(
            "is at version 2",
            "is based on version 1",
            `pull ada/two-checkouts --into ${mine}`,
            "--onto 2",
            "--onto latest",
          ),
        ),
      );
    }
    expect(writes()).toBe(0);
    expect((await registry.cli(["pull", "ada/two-checkouts", "--into", mine])).stdout).toBe(
      `ada/two-checkouts@2 merged into ${mine}\n`,
    );
    expect((await push(mine)).stdout).toBe("ada/two-checkouts is now at version 3\n");
    expect(await promptAt("ada/two-checkouts")).toBe(
      text.replace("One.", "One, theirs.").replace("Three.", "Three, mine."),
    );
  });

  test("the other can say what it replaces: a version as long as it is the newest, or whichever is", {
    tags: "long",
  }, async () => {
    const mine = await checkedOut("replaced");
    const theirs = await checkedOut("replaced", { isPushed: true });
    await change(theirs, "Theirs");
    await push(theirs);
    await change(mine, "Mine");
    expect(await push(mine, "--onto=1")).toMatchObject(stopped("is based on version 1"));
    expect(await push(mine, "--onto=9")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("--onto is version 9, but the newest version of ada/replaced is 2."),
    });
    expect(await push(mine, "--onto=2")).toMatchObject({ exitCode: 0 });
    await change(theirs, "More");
    expect(await push(theirs, "--onto=latest")).toMatchObject({ exitCode: 0 });
    expect(await promptAt("ada/replaced")).not.toContain("Mine");
  });

  test("and then yanked, the other may go on from the version before, and names the yanked one", async () => {
    const mine = await checkedOut("yanked-in-between");
    const theirs = await checkedOut("yanked-in-between", { isPushed: true });
    await change(theirs, "Theirs");
    await push(theirs);
    await registry.cli(["yank", "ada/yanked-in-between@2", "--yes"]);
    await change(mine, "Mine");
    expect((await push(mine)).stdout).toBe("ada/yanked-in-between is now at version 3\n");
  });
});

describe("a pull of which git throws the files away", () => {
  const two = text.replace("One.", "One, theirs.");
  /** A repository of version 1, and a branch that has changes of its own, into which version 2 was pulled. */
  async function pulled(slug: string, own = text) {
    const folder = await checkedOut(slug);
    git(folder, "init", "-q", "-b", "main");
    git(folder, "add", ".");
    git(folder, "commit", "-qm", "Version 1");
    git(folder, "checkout", "-qb", "feature");
    await write(folder, own);
    git(folder, "commit", "-q", "--allow-empty", "-am", "Own");
    const theirs = await checkedOut(slug, { isPushed: true });
    await write(theirs, two);
    await push(theirs);
    await registry.cli(["pull", `ada/${slug}`, "--into", folder]);
    return { folder, theirs };
  }
  const statusOf = async (folder: string) =>
    JSON.parse((await registry.cli(["status", folder, "--json"])).stdout).results[0];

  const restore = [["restore", "."]];
  const leave = [
    ["commit", "-qam", "Pulled"],
    ["checkout", "-q", "main"],
  ];
  test.each<[how: string, commands: string[][], status: string, own?: string]>([
    ["is restored", restore, "behind"],
    ["is restored after a merge", restore, "diverged", text.replace("Bye", "Goodbye")],
    ["had changed the line beside", restore, "diverged", text.replace("Two.", "Two!")],
    ["is stashed", [["stash", "-q"]], "behind"],
    ["left its merge on a branch", leave, "behind", text.replace("Bye", "Goodbye")],
    ["left its marks on a branch", leave, "behind", text.replace("One.", "One, mine.")],
  ])(
    "stands at the version before: one that %s undoes nothing",
    { tags: "long" },
    async (how, commands, status, own) => {
      const slug = how.replaceAll(" ", "-");
      const { folder } = await pulled(slug, own);
      for (const command of commands) git(folder, ...command);
      expect(await statusOf(folder)).toMatchObject({ status, version: 1 });
      await change(folder, "Mine");
      expect(await statusOf(folder)).toMatchObject({ status: "diverged", version: 1 });
      expect(await push(folder)).toMatchObject(stopped("is based on version 1"));
      await registry.cli(["pull", `ada/${slug}`, "--into", folder]);
      const { exitCode } = await push(folder);
      expect(exitCode).toBe(how === "had changed the line beside" ? 6 : 0);
      expect(await promptAt(`ada/${slug}`)).toContain("One, theirs.");
    },
  );

  test("stands at the version before all of several pulls, though a push in between found nothing new", {
    tags: "long",
  }, async () => {
    const { folder, theirs } = await pulled("restored-twice");
    await write(theirs, two.replace("One, theirs.", "One, once more."));
    await push(theirs);
    await registry.cli(["pull", "ada/restored-twice", "--into", folder]);
    expect((await push(folder)).stdout).toContain("unchanged at version 3");
    git(folder, "restore", ".");
    await change(folder, "Mine");
    expect(await push(folder)).toMatchObject(stopped("is based on version 1"));
  });

  test("is none where lines are changed that it brought, or others", { tags: "long" }, async () => {
    for (const [slug, line, to] of [
      ["edited-pulled", "One, theirs.", "One, ours."],
      ["edited-other", "Bye", "Goodbye"],
    ] as const) {
      const { folder } = await pulled(slug);
      await write(folder, two.replace(line, to));
      expect((await push(folder)).stdout).toBe(`ada/${slug} is now at version 3\n`);
    }
  });
});

describe("files of a yanked version", () => {
  test("do not come back by a push, nor get its labels, and status tells why", async () => {
    const folder = await checkedOut("yanked");
    await change(folder, "Leak");
    await push(folder);
    await registry.cli(["yank", "ada/yanked@2", "--reason", "Leaks a name.", "--yes"]);
    expect(await push(folder, "--label", "production")).toMatchObject(
      stopped("is version 2, which was yanked: Leaks a name\\. ", "pull ada/yanked", "--onto latest"),
    );
    const status = async () => (await registry.cli(["status", folder])).stdout;
    expect(await status()).toContain("is version 2, which was yanked: Leaks a name.");
    await registry.cli(["yank", "ada/yanked@1", "--yes"]);
    expect(await status()).toContain("is version 2, which was yanked");
    expect(await push(folder)).toMatchObject(stopped("is version 2, which was yanked"));
    expect(writes()).toBe(4);
    await change(folder, "Mended");
    expect((await push(folder)).stdout).toBe("ada/yanked is now at version 3\n");
  });
});

describe("files of which nothing tells where they came from", () => {
  test("are not pushed over what the registry has, until they were equal to its newest version", async () => {
    await checkedOut("unknown");
    const folder = await home.prompt(home.place(), "unknown", { "PROMPT.md": "Mine\n" });
    expect(await push(folder)).toMatchObject(stopped("it is unknown which version"));
    await write(folder, text);
    expect((await push(folder)).stdout).toBe("ada/unknown unchanged at version 1\n");
    await change(folder, "Mine");
    expect((await push(folder)).stdout).toBe("ada/unknown is now at version 2\n");
  });

  test("are behind where they are those of an old version, whatever was pushed here since", async () => {
    const folder = await checkedOut("put-back");
    await change(folder, "New");
    await push(folder);
    await write(folder, text);
    expect(await push(folder)).toMatchObject(stopped("is based on version 1", "restore ada/put-back@1"));
    expect(await push(folder, "--onto=latest")).toMatchObject({ exitCode: 0 });
  });

  test("are those of an older version that was pulled", async () => {
    const folder = await checkedOut("older");
    await change(folder, "New");
    await push(folder);
    git(folder, "init", "-q");
    git(folder, "add", ".");
    git(folder, "commit", "-qm", "Version 2");
    await registry.cli(["pull", "ada/older@1", "--into", folder]);
    await change(folder, "Mine");
    expect(await push(folder)).toMatchObject(stopped("is based on version 1"));
  });
});

describe("what was pushed or pulled here last", () => {
  const stateOf = (folder: string) => join(folder, ".promptreg-state/state.json");

  test("is kept for each registry and for one prompt, out of git's sight, and goes along with a copy", async () => {
    const folder = await checkedOut("kept");
    const states = JSON.parse(await readFile(stateOf(folder), "utf8"));
    const { origin } = new URL(registry.baseUrl);
    expect(states).toMatchObject({
      [origin]: { ref: "ada/kept", version: 1, about: { title: "About kept" } },
    });
    git(folder, "init", "-q");
    expect(git(folder, "status", "--porcelain", "-uall")).not.toContain("state");
    const copy = home.place();
    await cp(folder, copy, { recursive: true });
    await change(copy, "Mine");
    expect((await push(copy)).stdout).toBe("ada/kept is now at version 2\n");
    const other = { "https://other.test": states[origin], [origin]: { ...states[origin], id: "prm_other" } };
    await writeFile(stateOf(copy), JSON.stringify(other));
    await change(copy, "More");
    expect(await push(copy)).toMatchObject(stopped("it is unknown which version"));
    await push(copy, "--onto=latest");
    expect(JSON.parse(await readFile(stateOf(copy), "utf8"))).toMatchObject({
      "https://other.test": { version: 1 },
      [origin]: { version: 3 },
    });
  });

  test.each<[how: string, spoil: (states: string) => string]>([
    ["is garbage", () => "{"],
    ["is a list", () => "[]"],
    ["has no number", (states) => states.replace('"version": 1', '"version": "1"')],
    ["is more than 4 MiB long", (states) => states + " ".repeat(4 << 20)],
  ])("counts as nothing where it %s, and is written anew", async (how, spoil) => {
    const slug = `spoilt-${how.length}`;
    const folder = await checkedOut(slug);
    await writeFile(stateOf(folder), spoil(await readFile(stateOf(folder), "utf8")));
    await change(folder, "Mine");
    expect(await push(folder)).toMatchObject(stopped("it is unknown which version"));
    expect((await push(folder, "--onto=1")).exitCode).toBe(0);
    await change(folder, "More");
    expect((await push(folder)).exitCode).toBe(0);
  });

  test("is not written through a link, nor where it cannot be, and that is but a note", async () => {
    await checkedOut("unwritable");
    const [into, elsewhere] = [home.place(), home.place()];
    await mkdir(elsewhere);
    const folder = await home.prompt(join(into, "unwritable"), "unwritable", { "PROMPT.md": text });
    await symlink(elsewhere, join(folder, ".promptreg-state"));
    expect(await registry.cli(["pull", "ada/unwritable", "--into", into])).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining("state.json cannot be written"),
    });
    expect(await contentOf(elsewhere)).toEqual({});
    await rm(join(folder, ".promptreg-state"));
    await mkdir(join(folder, ".promptreg-state"));
    const file = join(elsewhere, "file");
    await writeFile(file, "kept");
    for (const name of [".gitignore", "state.json"])
      await symlink(file, join(folder, ".promptreg-state", name));
    expect(await registry.cli(["pull", "ada/unwritable", "--into", into])).toMatchObject({ stderr: "" });
    expect(await contentOf(elsewhere)).toEqual({ file: "kept" });
  });

  test("holds for the prompt under its new name", async () => {
    const folder = await checkedOut("old-name");
    await registry.cli(["api", "PATCH", "/prompts/ada/old-name", "--body", '{"slug":"new-name"}']);
    await change(folder, "Mine");
    expect((await push(folder)).stdout).toBe("ada/new-name is now at version 2\n");
    expect(await registry.cli(["pull", "ada/new-name", "--into", folder])).toMatchObject({ exitCode: 0 });
  });
});

describe("in git, a folder", () => {
  /** A checkout in a repository with one commit, of version 1. */
  async function repository(slug: string) {
    const folder = await checkedOut(slug);
    git(folder, "init", "-q", "-b", "main");
    commit(folder, "Version 1");
    return folder;
  }
  function commit(folder: string, message: string) {
    git(folder, "add", ".");
    git(folder, "commit", "-qm", message);
  }
  /** A clone, which has no state. */
  function clone(folder: string, ...options: string[]) {
    const place = home.place();
    execFileSync("git", ["clone", "-q", ...options, `file://${folder}`, place]);
    return place;
  }

  test("goes on from the version that a colleague committed, whatever was pushed here", async () => {
    const mine = await repository("git-pulled");
    const theirs = clone(mine);
    await change(theirs, "Theirs");
    expect((await push(theirs)).stdout).toBe("ada/git-pulled is now at version 2\n");
    commit(theirs, "Version 2");
    await change(mine, "Mine, before the pull");
    expect(await push(mine)).toMatchObject(stopped("is based on version 1"));
    git(mine, "checkout", "-q", ".");
    git(mine, "pull", "-q", theirs, "main");
    await change(mine, "Mine");
    expect((await push(mine)).stdout).toBe("ada/git-pulled is now at version 3\n");
  });

  test("on a branch that has not seen what was pushed from another one is behind", {
    tags: "long",
  }, async () => {
    const folder = await repository("git-branches");
    await change(folder, "On main");
    await push(folder);
    commit(folder, "Version 2");
    git(folder, "checkout", "-q", "-b", "feature", "HEAD~1");
    await change(folder, "On feature");
    expect(await push(folder)).toMatchObject(stopped("is based on version 1"));
    // What was pushed and then amended is on no branch any more, and is still what was pushed.
    git(folder, "checkout", "-qf", "main");
    await change(folder, "More");
    git(folder, "commit", "-qa", "--amend", "--no-edit");
    expect((await push(folder)).stdout).toBe("ada/git-branches is now at version 3\n");
  });

  test("may go back by a commit, but not by a checkout of an old one", { tags: "long" }, async () => {
    const folder = await repository("git-reverts");
    await change(folder, "New");
    commit(folder, "Version 2");
    await push(folder);
    git(folder, "checkout", "-q", "HEAD~1");
    expect(await push(folder)).toMatchObject(stopped("is based on version 1"));
    await change(folder, "Changed here");
    expect(await push(folder)).toMatchObject(stopped("is based on version 1"));
    git(folder, "checkout", "-qf", "main");
    git(folder, "revert", "--no-edit", "HEAD");
    expect((await push(clone(folder))).stdout).toBe("ada/git-reverts is now at version 3\n");
    expect(await promptAt("ada/git-reverts")).toBe(text);
  });

  test("is known after a branch of many commits, in a repository of whichever hash, and below others", {
    tags: "long",
  }, async () => {
    const root = home.place();
    await mkdir(root);
    git(root, "init", "-q", "-b", "main", "--object-format=sha256");
    await checkedOut("git-many");
    const folder = await home.prompt(join(root, "prompts/Grüße"), "git-many", { "PROMPT.md": text });
    await writeFile(join(folder, ".env"), "not sent");
    commit(root, "Version 1");
    for (let index = 0; index < 12; index += 1) {
      await change(folder, `${index}`);
      commit(root, `Change ${index}`);
    }
    expect((await push(folder)).stdout).toBe("ada/git-many is now at version 2\n");
  });

  test("of a shallow clone is told what a pipeline needs", { tags: "long" }, async () => {
    const folder = await repository("git-shallow");
    await change(folder, "New");
    commit(folder, "Not pushed yet");
    const shallow = clone(folder, "--depth=1");
    expect(await push(shallow)).toMatchObject(stopped("it is unknown", "fetch-depth: 0"));
    expect(await push(clone(folder), "--dry-run")).toMatchObject({ exitCode: 0 });
    expect(await push(shallow, "--onto=latest")).toMatchObject({ exitCode: 0 });
  });

  test("goes on from what a merge left out, for whoever merged has seen it", { tags: "long" }, async () => {
    const folder = await repository("git-ours");
    git(folder, "checkout", "-q", "-b", "theirs");
    await write(folder, text.replace("One.", "Theirs."));
    await push(folder);
    commit(folder, "Version 2");
    git(folder, "checkout", "-q", "main");
    await write(folder, text.replace("One.", "Ours."));
    commit(folder, "Ours");
    git(folder, "merge", "-q", "-X", "ours", "-m", "Merge", "theirs");
    expect((await push(clone(folder))).stdout).toBe("ada/git-ours is now at version 3\n");
  });

  test("takes no state from a commit, and says so once", { tags: "long" }, async () => {
    const folder = await repository("git-state");
    const theirs = clone(folder);
    await change(theirs, "Theirs");
    await push(theirs);
    await change(folder, "Mine");
    await cp(join(theirs, ".promptreg-state"), join(folder, ".promptreg-state"), { recursive: true });
    git(folder, "add", "-f", ".promptreg-state/state.json");
    const lying = await push(folder);
    expect(lying).toMatchObject(stopped("is based on version 1"));
    expect(lying.stderr.match(/state is in git/g)).toHaveLength(1);
    git(folder, "rm", "-rq", "--cached", ".promptreg-state");
    expect((await push(folder)).exitCode).toBe(0);
  });

  test("of a repository without a commit has no history", async () => {
    await checkedOut("git-empty");
    const folder = await home.prompt(home.place(), "git-empty", { "PROMPT.md": "Other\n" });
    git(folder, "init", "-q");
    expect(await push(folder)).toMatchObject(stopped("it is unknown which version"));
  });
});
