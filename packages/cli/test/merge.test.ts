import { chmod, cp, mkdir, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { contentOf, makeHome } from "./folders.ts";
import { startReal } from "./real.ts";

const registry = await startReal();
const home = await makeHome();
afterAll(() => registry.close());

type Files = Record<string, string | Uint8Array>;
const text = "One\nTwo\nThree\nFour\nFive\n";

/** A folder with version 1 and its changes, while the registry is at version 2. */
async function diverged(slug: string, { base, ours, theirs }: Record<"base" | "ours" | "theirs", Files>) {
  const start = { "PROMPT.md": text, ...base };
  const other = await home.prompt(home.place(), slug, start);
  await registry.cli(["push", other]);
  const into = home.place();
  await registry.cli(["pull", `ada/${slug}`, "--into", into]);
  for (const path of Object.keys(base)) if (!(path in theirs)) await rm(join(other, path));
  await home.prompt(other, slug, theirs);
  expect(await registry.cli(["push", other])).toMatchObject({ exitCode: 0 });
  const folder = join(into, slug);
  for (const path of Object.keys(base)) if (!(path in ours)) await rm(join(folder, path));
  await home.prompt(folder, slug, ours, { prompt: `ada/${slug}` });
  return {
    folder,
    pull: (...args: string[]) => registry.cli(["pull", `ada/${slug}`, "--into", into, ...args]),
  };
}
const filesOf = async (folder: string) => {
  const { "promptreg.json": _, ...files } = await contentOf(folder);
  return files;
};
const change = (word: string, to: string) => text.replace(word, to);

describe("a pull into a folder that was changed since another version", () => {
  test("merges file by file and line by line, asks nothing and loses nothing", async () => {
    const { folder, pull } = await diverged("merged", {
      base: { "gone.md": "x", "ours.md": "x", "theirs.md": "x", "crlf.md": "\uFEFFa\r\nb\r\nc" },
      ours: {
        "PROMPT.md": change("One", "1"),
        "ours.md": "y",
        "theirs.md": "x",
        "new.md": "n",
        "crlf.md": "\uFEFFa\r\nb\r\nC",
      },
      theirs: {
        "PROMPT.md": change("Five", "5"),
        "gone.md": "x",
        "ours.md": "x",
        "theirs.md": "y",
        "docs/b.md": "b",
        "crlf.md": "\uFEFFA\r\nb\r\nc",
      },
    });
    await writeFile(join(folder, ".env"), "SECRET=1");
    expect(await pull("--yes")).toMatchObject({
      exitCode: 0,
      stderr: "",
      stdout: `ada/merged@2 merged into ${folder}\n`,
    });
    expect(await filesOf(folder)).toEqual({
      ".env": "SECRET=1",
      "PROMPT.md": "1\nTwo\nThree\nFour\n5\n",
      "crlf.md": Buffer.from("\uFEFFA\r\nb\r\nC").toString("latin1"),
      "docs/b.md": "b",
      "new.md": "n",
      "ours.md": "y",
      "theirs.md": "y",
    });
    // What was changed here is still that, against the new version.
    expect(await pull()).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining("is already the base of"),
    });
    expect((await registry.cli(["status", folder])).stdout).toContain("changed here since version 2");
    expect((await registry.cli(["push", folder])).stdout).toBe("ada/merged is now at version 3\n");
  });

  test("marks what both changed, and keeps it at home until somebody has chosen", async () => {
    const { folder, pull } = await diverged("conflicted", {
      base: {},
      ours: { "PROMPT.md": change("Two", "Mine") },
      theirs: { "PROMPT.md": change("Two", "Theirs") },
    });
    const { exitCode, stdout, stderr } = await pull();
    expect(stdout).toBe(`ada/conflicted@2 merged into ${folder}, with 1 conflict\n`);
    expect(stderr).toContain(`${join(folder, "PROMPT.md")}: has conflict markers`);
    expect(exitCode).toBe(5);
    expect((await filesOf(folder))["PROMPT.md"]).toBe(
      "One\n<<<<<<< here\nMine\n=======\nTheirs\n>>>>>>> ada/conflicted@2\nThree\nFour\nFive\n",
    );
    expect(await pull()).toMatchObject({
      exitCode: 5,
      stderr: expect.stringContaining("has unresolved conflicts of a pull"),
    });
    // They are known by what they are, in a checkout that nothing was pulled into too.
    const other = home.place();
    await cp(folder, other, { recursive: true });
    await rm(join(other, ".promptreg-state"), { recursive: true });
    for (const args of [
      ["push", folder],
      ["push", other, "--onto=latest"],
      ["check", other],
    ])
      expect(await registry.cli(args)).toMatchObject({
        exitCode: 6,
        [args[0] === "check" ? "stdout" : "stderr"]: expect.stringContaining(
          "PROMPT.md: has unresolved conflicts of",
        ),
      });
    await writeFile(join(folder, "PROMPT.md"), change("Two", "Mine and theirs"));
    expect((await registry.cli(["push", folder])).stdout).toBe("ada/conflicted is now at version 3\n");
  });

  test("keeps what cannot be merged, and names each", async () => {
    const { folder, pull } = await diverged("unmergeable", {
      base: { "deleted-here.md": "x\n", "deleted-there.md": "x\n", "logo.png": new Uint8Array([0, 1]) },
      ours: {
        "PROMPT.md": text,
        "deleted-there.md": "mine\n",
        "logo.png": new Uint8Array([0, 2]),
        "run.sh": "#!/bin/sh\n",
      },
      theirs: {
        "PROMPT.md": text,
        "deleted-here.md": "theirs\n",
        "logo.png": new Uint8Array([0, 3]),
        "run.sh": "#!/bin/sh\n",
      },
    });
    await chmod(join(folder, "run.sh"), 0o755);
    const { exitCode, stderr } = await pull("--json");
    expect(JSON.parse(stderr).error).toMatchObject({
      code: "version_conflict",
      details: [
        {
          path: join(folder, "deleted-here.md"),
          message: "was deleted here and changed there: it was restored",
        },
        { path: join(folder, "deleted-there.md"), message: "was deleted there and changed here: it stays" },
        {
          path: join(folder, "logo.png"),
          message: "is binary and changed on both sides: the local file stays",
        },
        { path: join(folder, "run.sh"), message: "is executable on one side: the local mode stays" },
      ],
    });
    expect(exitCode).toBe(5);
    expect(await filesOf(folder)).toEqual({
      "PROMPT.md": text,
      "deleted-here.md": "theirs\n",
      "deleted-there.md": "mine\n",
      "logo.png": "\0\u0002",
      "run.sh": "x #!/bin/sh\n",
    });
    expect(await registry.cli(["push", folder])).toMatchObject({ exitCode: 0 });
  });

  test("does not write over what was written meanwhile", async () => {
    const { folder } = await diverged("meanwhile", {
      base: {},
      ours: { "PROMPT.md": change("One", "1") },
      theirs: { "PROMPT.md": change("Five", "5") },
    });
    const fetch: typeof globalThis.fetch = async (input, init) => {
      if (new Request(input, init).url.includes("version=1"))
        await writeFile(join(folder, "PROMPT.md"), "Later\n");
      return registry.fetch(input, init);
    };
    expect(await registry.cli(["pull", "ada/meanwhile", "--into", folder], { fetch })).toMatchObject({
      exitCode: 6,
      stderr: expect.stringContaining("changed during the pull"),
    });
    expect(await filesOf(folder)).toEqual({ "PROMPT.md": "Later\n" });
  });

  test("takes the registry's where that is said", async () => {
    const { folder, pull } = await diverged("overwritten", {
      base: {},
      ours: { "PROMPT.md": change("Two", "Mine"), "mine.md": "Mine" },
      theirs: { "PROMPT.md": change("Two", "Theirs") },
    });
    expect(await pull("--overwrite")).toMatchObject({
      exitCode: 0,
      stdout: `ada/overwritten@2 written over ${folder}\n`,
      stderr: expect.stringContaining(`They are deleted: ${folder}/mine.md.`),
    });
    expect(await filesOf(folder)).toEqual({ "PROMPT.md": change("Two", "Theirs") });
  });

  test("refuses an outcome that could be no version, and one prompt goes into the folder of no other", async () => {
    const { folder, pull } = await diverged("impossible", {
      base: {},
      ours: { "PROMPT.md": text, docs: "a file" },
      theirs: { "PROMPT.md": text, "docs/a.md": "in a folder" },
    });
    const before = await contentOf(folder);
    expect(await pull()).toMatchObject({ exitCode: 6, stderr: expect.stringContaining("--overwrite") });
    expect(await registry.cli(["pull", "ada/merged", "--into", folder])).toMatchObject({ exitCode: 6 });
    expect(await contentOf(folder)).toEqual(before);
  });
});

describe("a folder that cannot be written", () => {
  test("is as it was, though half of it was replaced already", async () => {
    const { folder, pull } = await diverged("half-way", {
      base: { "a/gone.md": "x" },
      ours: { "PROMPT.md": text, "a/gone.md": "x" },
      theirs: { "PROMPT.md": change("Two", "Theirs"), "docs/new.md": "n", "z.md": "z" },
    });
    // A push does not see it, and a file is to be there.
    await mkdir(join(folder, "z.md"));
    await writeFile(join(folder, "z.md/.keep"), "");
    const before = await contentOf(folder);
    const { exitCode, stderr } = await pull();
    expect(stderr).toContain(
      `${folder} cannot be written: z.md exists and is not part of the prompt. It did not change.`,
    );
    expect(exitCode).toBe(6);
    expect(await contentOf(folder)).toEqual(before);
    expect((await readdir(folder)).sort()).toEqual([
      ".promptreg-state",
      "PROMPT.md",
      "a",
      "promptreg.json",
      "z.md",
    ]);
    await rm(join(folder, "z.md"), { recursive: true });
    expect(await pull()).toMatchObject({ exitCode: 0 });
    expect(await readdir(folder)).not.toContain("a");
  });

  test("is not begun where it is to be made", async () => {
    await diverged("not-made", { base: {}, ours: { "PROMPT.md": text }, theirs: { "PROMPT.md": "New\n" } });
    const nowhere = home.place();
    await symlink(join(home.place(), "x"), nowhere);
    expect(await registry.cli(["pull", "ada/not-made", "--into", nowhere])).toMatchObject({
      exitCode: 6,
      stderr: expect.stringContaining("Nothing was written."),
    });
  });
});
