import { access, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { makeHome, writeAll } from "./folders.ts";
import { startReal } from "./real.ts";

const registry = await startReal();
const home = await makeHome();
afterAll(() => registry.close());

const bring = (place: string, into: string, ...options: string[]) =>
  registry.cli(["import", place, "--into", into, "-y", ...options]);
/** What became of the prompts, by their folders. */
const became = async (place: string, into: string, ...options: string[]) => {
  const { exitCode, stdout } = await bring(place, into, "--json", ...options);
  const { prompts } = JSON.parse(stdout) as { prompts: { folder: string; status: string }[] };
  return {
    exitCode,
    ...Object.fromEntries(prompts.map(({ folder, status }) => [folder.slice(into.length + 1), status])),
  };
};
const lines = (...changed: string[]) =>
  Array.from(
    { length: 12 },
    (_, n) => changed.find((line) => line.startsWith(`${n} `)) ?? `${n} as it was`,
  ).join("\n") + "\n";

/** Four prompts that were imported, and then changed: here, in the source, on both sides, nowhere. */
async function changedSince() {
  const names = ["here", "there", "both", "nowhere"];
  const place = await home.folderOf(
    Object.fromEntries(names.map((name) => [`prompts/${name}.md`, `---\ntitle: ${name}\n---\n${lines()}`])),
  );
  const into = home.place();
  await bring(place, into);
  for (const name of ["here", "both"])
    await writeFile(join(into, name, "PROMPT.md"), lines("1 changed here"));
  for (const name of ["there", "both"])
    await writeAll(place, {
      [`prompts/${name}.md`]: `---\ntitle: New ${name}\n---\n${lines("10 changed there")}`,
    });
  return { place, into };
}
const textIn = (folder: string) => readFile(join(folder, "PROMPT.md"), "utf8");
const manifestIn = async (folder: string) =>
  JSON.parse(await readFile(join(folder, "promptreg.json"), "utf8"));

describe("an import of what was imported before", () => {
  test("says where it changed since, and changes nothing", async () => {
    const { place, into } = await changedSince();
    expect(await became(place, into)).toEqual({
      exitCode: 0,
      here: "kept",
      there: "outdated",
      both: "changed",
      nowhere: "unchanged",
    });
    expect(await textIn(join(into, "there"))).toBe(lines());
  });

  test("merges both sides with --update, the title too, and then there is nothing left to do", async () => {
    const { place, into } = await changedSince();
    expect(await became(place, into, "--update", "--dry-run")).toMatchObject({
      there: "updated",
      both: "merged",
    });
    expect(await textIn(join(into, "there"))).toBe(lines());
    const { exitCode, stderr } = await bring(place, into, "--update");
    expect(exitCode).toBe(0);
    expect(stderr).toContain("1 merged, 1 changed here, 1 unchanged, 1 updated.");
    expect(await textIn(join(into, "here"))).toBe(lines("1 changed here"));
    expect(await textIn(join(into, "there"))).toBe(lines("10 changed there"));
    expect(await textIn(join(into, "both"))).toBe(lines("1 changed here", "10 changed there"));
    expect((await manifestIn(join(into, "both"))).title).toBe("New both");
    expect(await became(place, into, "--update")).toMatchObject({ there: "unchanged", both: "kept" });
  });

  test("leaves both sides of a line to whoever updates, ends with 5, and is not pushed so", async () => {
    const { place, into } = await changedSince();
    await writeFile(join(into, "both/PROMPT.md"), lines("10 changed here"));
    const { exitCode, stderr } = await bring(place, into, "--update");
    expect(exitCode).toBe(5);
    expect(stderr).toContain(`${into}/both/PROMPT.md: has conflict markers`);
    expect(await textIn(join(into, "both"))).toContain(
      "<<<<<<< here\n10 changed here\n=======\n10 changed there\n>>>>>>> source\n",
    );
    expect((await registry.cli(["check", join(into, "both")])).exitCode).toBe(6);
    await writeAll(place, { "prompts/both.md": lines("10 changed again") });
    expect((await bring(place, into, "--update")).stderr).toContain(
      "both has unresolved conflicts of a merge.",
    );
    await writeAll(into, { "both/notes.md": "Mine" });
    expect((await bring(place, into, "--overwrite")).exitCode).toBe(2);
    const overwriting = await bring(place, into, "--update", "--overwrite");
    expect(overwriting).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining(`${into}/both/notes.md is deleted: the source does not have it.`),
    });
    await expect(access(join(into, "both/notes.md"))).rejects.toThrow("ENOENT");
    expect(await textIn(join(into, "both"))).toBe(lines("10 changed again"));
    expect(await textIn(join(into, "here"))).toBe(lines());
  });

  test("in a new clone takes what changed in the source alone, and says how to take the rest", async () => {
    const { place, into } = await changedSince();
    for (const name of ["here", "there", "both"])
      await rm(join(into, name, ".promptreg-state"), { recursive: true });
    const { stderr } = await bring(place, into, "--update");
    expect(stderr).toMatch(
      /What the last import brought to \S+both is not known here, .*: --update --overwrite takes /,
    );
    expect(await textIn(join(into, "there"))).toBe(lines("10 changed there"));
    expect(await textIn(join(into, "both"))).toBe(lines("1 changed here"));
    const { fromHash } = await manifestIn(join(into, "both"));
    await writeAll(join(into, "both/.promptreg-state"), {
      "imported.json": JSON.stringify({
        about: {},
        files: [{ path: "PROMPT.md", mode: "100644", content: "Lies" }],
      }),
    });
    expect(await became(place, into, "--update")).toMatchObject({ both: "changed" });
    expect((await manifestIn(join(into, "both"))).fromHash).toBe(fromHash);
  });

  test("keeps a title that was changed here, and what a source's new secret would overwrite", async () => {
    const { place, into } = await changedSince();
    const manifest = join(into, "both/promptreg.json");
    await writeFile(
      manifest,
      (await readFile(manifest, "utf8")).replace('"title": "both"', '"title": "Mine"'),
    );
    const token = `ghp_${"Ab1x".repeat(9)}`;
    await writeAll(place, { "prompts/there.md": `Use ${token}.` });
    const { exitCode, stderr } = await bring(place, into, "--update");
    expect(exitCode).toBe(6);
    expect(stderr).toContain("1 left out");
    expect((await manifestIn(join(into, "both"))).title).toBe("Mine");
    expect(await textIn(join(into, "there"))).toBe(lines());
  });

  test("merges a skill with a binary file", async () => {
    const skill = (text: string) => `---\nname: pdf\ndescription: Reads.\n---\n\n${text}`;
    const place = await home.folderOf({
      "pdf/SKILL.md": skill(lines()),
      "pdf/a.png": new Uint8Array([137, 80, 0, 255]),
    });
    const into = home.place();
    await bring(place, into);
    await writeFile(join(into, "pdf/SKILL.md"), skill(lines("1 here")));
    await writeAll(place, { "pdf/SKILL.md": skill(lines("10 there")) });
    expect(await became(place, into, "--update")).toEqual({ exitCode: 0, pdf: "merged" });
    expect(await readFile(join(into, "pdf/SKILL.md"), "utf8")).toBe(skill(lines("1 here", "10 there")));
  });

  test("leaves a link its content, though the file that it led to changes or goes", async () => {
    const place = await home.folderOf({
      "r/SKILL.md": "---\nname: r\ndescription: Reads.\n---\nRead.",
      "r/a.md": "1",
      "r/b.md": "1",
      "r/c.md": "1",
    });
    const into = home.place();
    await bring(place, into);
    for (const name of ["b.md", "c.md"]) {
      await rm(join(into, "r", name));
      await symlink("a.md", join(into, "r", name));
    }
    await writeAll(place, { "r/a.md": "2" });
    await rm(join(place, "r/c.md"));
    expect(await became(place, into, "--update")).toMatchObject({ exitCode: 0, r: "updated" });
    expect(await readFile(join(into, "r/a.md"), "utf8")).toBe("2");
    expect(await readFile(join(into, "r/b.md"), "utf8")).toBe("1");
    expect(await became(place, into)).toMatchObject({ r: "unchanged" });
  });

  test.each([
    '{"content":1,"path":"x"}',
    '{"content":"a"}',
    '{"path":{},"content":"a","mode":"100644"}',
    "null",
    "1",
  ])("takes a crafted state for none: %s", async (file) => {
    const { place, into } = await changedSince();
    await writeAll(join(into, "both/.promptreg-state"), {
      "imported.json": `{"about":{},"files":[${file}]}`,
    });
    expect(await became(place, into, "--update")).toMatchObject({
      exitCode: 0,
      both: "changed",
      there: "updated",
    });
  });

  test("names what the source has no more, and leaves it", async () => {
    const { place, into } = await changedSince();
    for (const name of ["here", "nowhere"]) await rm(join(place, `prompts/${name}.md`));
    const { exitCode, stderr } = await bring(place, into, "--update");
    expect(exitCode).toBe(0);
    for (const name of ["here", "nowhere"])
      expect(stderr).toMatch(new RegExp(`/${name} stays, though \\S+/prompts/${name}\\.md is gone\\.\n`));
    expect(stderr).not.toContain("/both stays");
    expect(await textIn(join(into, "nowhere"))).toBe(lines());
  });

  test("changes nothing that no source says: a prompt that was made public stays so", async () => {
    const place = await home.folderOf({ "prompts/open.md": "One." });
    const into = home.place();
    await bring(place, into);
    await registry.cli(["push", into, "-y"]);
    await registry.cli(["edit", "ada/open", "--visibility", "public", "-y"]);
    await writeAll(place, { "prompts/open.md": "Two." });
    await bring(place, into, "--update");
    expect((await registry.cli(["push", into, "-y"])).exitCode).toBe(0);
    // Nor does one that was deleted and imported again.
    await rm(join(into, "open"), { recursive: true });
    await bring(place, into);
    await registry.cli(["push", into, "-y", "--onto", "latest"]);
    const shown = JSON.parse((await registry.cli(["show", "ada/open", "--json"])).stdout);
    expect(JSON.stringify(shown)).toContain('"visibility":"public"');
    expect((await registry.cli(["cat", "ada/open"])).stdout).toContain("Two.");
  });
});
