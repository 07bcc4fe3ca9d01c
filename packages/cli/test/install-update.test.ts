import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { updateFiles } from "../src/disk/update-files.ts";
import { startInstallScene } from "./installed.ts";

const scene = await startInstallScene();
afterAll(() => scene.registry.close());
afterEach(() => scene.registry.heal());

const record = "promptreg.installed.json";
let slug = "";
let file = "";
let count = 0;
/** Each test has a prompt of its own, at version 1 with the label production. */
beforeEach(async () => {
  slug = `reply-${(count += 1)}`;
  file = `.claude/commands/${slug}.md`;
  await scene.create(slug, "One.");
  await move("production", 1);
});

const move = (name: string, versionNumber: number) =>
  scene.client.prompts.labels.put({ owner: "ada", slug, name, body: { versionNumber } });
const yank = (n: number) => scene.client.prompts.versions.yank({ owner: "ada", slug, n, body: {} });

async function installed(at = "") {
  const project = await scene.project();
  await project.run(`install ada/${slug}${at} --for claude`);
  return project;
}

describe("update", () => {
  test("brings each install to the version that its label or latest has now, and says from where", async () => {
    const { run, read, record: recorded } = await installed("@production");
    await run(`install ada/${slug} --for cursor`);
    await scene.commit(slug, "Two.");
    const { stdout, stderr, exitCode } = await run("update");
    expect(stdout).toBe(`ada/${slug}\tcursor\t1 → 2\tupdated\n`);
    expect(stderr).toBe(`  update     .cursor/commands/${slug}.md\n`);
    expect(exitCode).toBe(0);
    await move("production", 2);
    await run(`update ada/${slug} --for claude`);
    expect(await read(file)).toContain("Two.");
    expect((await recorded()).prompts[`ada/${slug}`].for).toMatchObject({
      claude: { asked: "production", version: 2 },
      cursor: { asked: "latest", version: 2 },
    });
    expect((await run("update")).stdout).toBe("2 installs, none outdated\n");
  });

  test("--check writes nothing, and exits with 9 if something is outdated", async () => {
    const { run, files } = await installed();
    expect((await run("update --check")).exitCode).toBe(0);
    await scene.commit(slug, "Two.");
    const before = await files();
    expect(await run("update --check")).toMatchObject({
      stdout: `ada/${slug}\tclaude\t1 → 2\toutdated\n`,
      stderr: "error: 1 of 1 installs are outdated or gone.\n",
      exitCode: 9,
    });
    expect(await files()).toEqual(before);
  });

  test("leaves a version that was asked for by its number, and says if it is yanked", async () => {
    const { run } = await installed("@1");
    await scene.commit(slug, "Two.", ["production"]);
    await yank(1);
    const { stdout, stderr, exitCode } = await run("update");
    expect({ stdout, exitCode }).toEqual({ stdout: "1 install, none outdated\n", exitCode: 0 });
    expect(stderr).toBe(`ada/${slug}: version 1 is yanked. It should not be used.\n`);
  });

  test("goes back where the newest version was yanked", async () => {
    await scene.commit(slug, "Two.");
    const { run, read } = await installed();
    await yank(2);
    expect((await run("update")).stdout).toContain("2 → 1");
    expect(await read(file)).toContain("One.");
  });

  test("does not overwrite what was edited here, unless somebody agrees", async () => {
    const { run, write, read } = await installed();
    await write(file, "Mine");
    expect((await run("update")).exitCode).toBe(0);
    await scene.commit(slug, "Two.");
    expect((await run("update")).exitCode).toBe(2);
    expect(await run("update", { answers: [false] })).toMatchObject({
      exitCode: 130,
      asked: [`Overwrite ${file}?`],
    });
    expect(await read(file)).toBe("Mine");
    expect((await run("update", { answers: [true] })).exitCode).toBe(0);
    expect(await read(file)).toContain("Two.");
  });

  test("is not asked by line ends that git wrote", async () => {
    const { run, write, read } = await installed();
    await write(file, (await read(file)).replaceAll("\n", "\r\n"));
    await scene.commit(slug, "Two.");
    expect((await run("update")).exitCode).toBe(0);
    expect(await read(file)).toContain("Two.");
  });

  test("follows a prompt to its new name, files and all", async () => {
    const { run, paths, record: recorded } = await installed();
    await scene.run(`rename ada/${slug} ${slug}-new`);
    const { stdout, stderr } = await run("update");
    expect(stderr).toContain(`ada/${slug} is now ada/${slug}-new.`);
    expect(stdout).toBe(`ada/${slug}-new\tclaude\t1 → 1\tupdated\n`);
    expect(await paths()).toEqual([`.claude/commands/${slug}-new.md`, record]);
    expect(Object.keys((await recorded()).prompts)).toEqual([`ada/${slug}-new`]);
  });

  test("keeps what is gone, brings the others, and ends with 4", async () => {
    const { run, read } = await installed();
    await scene.create(`gone-${slug}`, "Gone");
    await run(`install ada/gone-${slug} --for claude`);
    await scene.client.prompts.delete({ owner: "ada", slug: `gone-${slug}` });
    await scene.commit(slug, "Two.");
    const { stderr, exitCode } = await run("update");
    expect(stderr).toContain(`ada/gone-${slug}: This was deleted.`);
    expect(stderr).toContain(`\`promptreg uninstall ada/gone-${slug}\` removes it.`);
    expect(exitCode).toBe(4);
    expect(await read(file)).toContain("Two.");
    expect(await read(`.claude/commands/gone-${slug}.md`)).toContain("Gone");
    await run(`install ada/${slug}@production --for cursor`);
    await scene.client.prompts.labels.delete({ owner: "ada", slug, name: "production" });
    expect((await run(`update ada/${slug}`)).stderr).toContain(`ada/${slug} has no label production.`);
  });

  test("changes nothing while the registry is away, or is another one", { tags: "long" }, async () => {
    const { run, files, record: recorded, write } = await installed();
    await scene.commit(slug, "Two.");
    const before = await files();
    scene.registry.fail({ cut: "before" });
    expect((await run("update")).exitCode).toBe(7);
    expect(await files()).toEqual(before);
    scene.registry.heal();
    const other = await recorded();
    other.prompts[`ada/${slug}`].id = "prm_of-another-registry";
    await write(record, JSON.stringify(other));
    expect(await run("update")).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining("another prompt"),
    });
    const again = await run(`install ada/${slug} --for claude --yes`);
    expect(again).toMatchObject({ exitCode: 6, stderr: expect.stringContaining("from another registry") });
  });

  test("names the prompt that was meant", async () => {
    const { run } = await installed();
    const { stderr, exitCode } = await run(`update ada/${slug}x`);
    expect(stderr).toContain(`is not installed, says`);
    expect(stderr).toContain(`Did you mean ada/${slug}?`);
    expect(exitCode).toBe(6);
  });
});

describe("uninstall", () => {
  test("removes the files, the folders that are empty then, and the record, without a registry", async () => {
    const { run, folder } = await installed();
    scene.registry.fail({ cut: "before" });
    const { stdout, exitCode } = await run(`uninstall ada/${slug}`);
    expect({ stdout, exitCode }).toEqual({ stdout: `ada/${slug}@1 uninstalled for claude\n`, exitCode: 0 });
    expect(await readdir(folder)).toEqual([]);
  });

  test("removes what was edited after a question alone, or leaves it with --keep-changed", async () => {
    const { run, write, read, paths } = await installed();
    await run(`install ada/${slug} --for cursor`);
    await write(file, "Mine");
    expect((await run(`uninstall ada/${slug}`)).exitCode).toBe(2);
    expect(await run(`uninstall ada/${slug}`, { answers: [false] })).toMatchObject({
      exitCode: 130,
      asked: [`Remove ${file}?`],
    });
    expect(await paths()).toHaveLength(3);
    await run(`uninstall ada/${slug} --keep-changed`);
    expect([await paths(), await read(file)]).toEqual([[file], "Mine"]);
  });

  test("takes one tool of several, and what somebody deleted already", async () => {
    const { run, folder, paths, json } = await installed();
    await run(`install ada/${slug} --for cursor`);
    await rm(join(folder, file));
    expect(await json("installed")).toEqual({
      installs: [
        {
          ref: `ada/${slug}`,
          for: "claude",
          asked: "latest",
          versionNumber: 1,
          files: [{ path: file, status: "missing" }],
        },
        {
          ref: `ada/${slug}`,
          for: "cursor",
          asked: "latest",
          versionNumber: 1,
          files: [{ path: `.cursor/commands/${slug}.md`, status: "installed" }],
        },
      ],
    });
    expect((await run(`uninstall ada/${slug} --for claude`)).exitCode).toBe(0);
    expect(await paths()).toEqual([`.cursor/commands/${slug}.md`, record]);
    expect((await run(`uninstall ada/${slug} --for claude`)).exitCode).toBe(6);
  });
});

describe("installed", () => {
  test("says what was edited, and says so if there is nothing", async () => {
    const { run, write, folder } = await installed();
    const changed = `ada/${slug}\t1\tlatest\tclaude\t1 file, 1 changed\n`;
    await write(file, "Mine");
    expect((await run("installed")).stdout).toBe(changed);
    await rm(join(folder, file));
    await mkdir(join(folder, file));
    expect((await run("installed")).stdout).toBe(changed);
    const empty = await scene.project();
    expect(await empty.run("installed")).toMatchObject({
      stdout: "",
      stderr: "Nothing is installed here.\n",
    });
  });
});

describe("files are replaced all or none", () => {
  const sha256 = "0".repeat(64);
  const fresh = { path: "b/new.md", mode: "100644" as const, sha256, bytes: Buffer.from("new") };

  test("where one changed after it was looked at", async () => {
    const folder = scene.place();
    await mkdir(folder);
    await writeFile(join(folder, "a.md"), "Edited meanwhile");
    const there = [{ path: "a.md", mode: "100644" as const, sha256 }];
    await expect(updateFiles(folder, [fresh], there)).rejects.toThrow(
      "a.md changed meanwhile. It did not change.",
    );
    expect(await readdir(folder)).toEqual(["a.md"]);
  });

  test("and names the folder in full where it is this one", async () => {
    const gone = { path: "no-such-file.md", mode: "100644" as const, sha256 };
    const saying = `${process.cwd()} cannot be written: it does not exist`;
    await expect(updateFiles(".", [], [gone])).rejects.toThrow(saying);
  });

  test("where what belongs to it fails", async () => {
    const folder = scene.place();
    await mkdir(folder);
    const finish = () => Promise.reject(new Error("The record is locked."));
    await expect(updateFiles(folder, [fresh], [], finish)).rejects.toThrow(
      "The record is locked. It did not change.",
    );
    expect(await readdir(folder)).toEqual([]);
  });
});
