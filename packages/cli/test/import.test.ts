import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { hostname } from "node:os";
import { appendFile, mkdir, readdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { makeHome } from "./folders.ts";
import { startReal } from "./real.ts";

const registry = await startReal();
const home = await makeHome();
afterAll(() => registry.close());

const { folderOf } = home;
const bring = (place: string, into: string, ...options: string[]) =>
  registry.cli(["import", place, "--into", into, "-y", ...options]);
const statuses = async (place: string, into: string, ...options: string[]) =>
  JSON.parse((await bring(place, into, "--json", ...options)).stdout).prompts.map(
    ({ folder, status }: { folder: string; status: string }) => [folder.slice(into.length + 1), status],
  );

const project = {
  ".claude/commands/git/commit.md": "---\ndescription: Commits\n---\nCommit $ARGUMENTS.",
  ".cursor/rules/style.mdc": "---\nglobs: *.ts\n---\nWrite `{{name}}` in braces.",
  "skills/pdf/SKILL.md": "---\nname: pdf\ndescription: Reads PDF files.\n---\nRead.",
  "skills/pdf/scripts/run.sh": "#!/bin/sh\necho",
  "skills/pdf/.env": "SECRET=1",
  "prompts.csv": "act,prompt\nPoet,Write about ${topic}.\nCook,Cook.\n",
  "src/index.ts": "export {};",
};

test("brings the prompts of a project into folders that can be pushed as they are, and a second run changes nothing", async () => {
  const [place, into] = [await folderOf(project), home.place()];
  const { exitCode, stdout, stderr } = await bring(place, into);
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: `Next: promptreg push ${into}\n` });
  expect(stderr).toContain("5 imported.\n");
  expect((await readdir(into)).sort()).toEqual(["cook", "git-commit", "pdf", "poet", "style"]);
  expect(await readFile(join(into, "git-commit/COMMAND.md"), "utf8")).toContain("Commit {{args}}.");
  expect(await readdir(join(into, "pdf"))).toEqual([
    ".promptreg-state",
    "SKILL.md",
    "promptreg.json",
    "scripts",
  ]);
  expect(JSON.parse(await readFile(join(into, "poet/promptreg.json"), "utf8"))).toMatchObject({
    prompt: "poet",
    kind: "text",
    title: "Poet",
    from: expect.stringMatching(/prompts\.csv#Poet$/),
  });
  expect((await registry.cli(["push", into, "-y"])).exitCode).toBe(0);
  expect(await statuses(place, into)).toEqual(
    [
      ["git-commit", "unchanged"],
      ["style", "unchanged"],
      ["poet", "unchanged"],
      ["cook", "unchanged"],
      ["pdf", "unchanged"],
    ].sort((a, b) => order.indexOf(a[0]!) - order.indexOf(b[0]!)),
  );
  const shown = await registry.cli(["cat", "ada/style"]);
  expect(shown.stdout).toContain("variables: false\n---\n\nWrite `{{name}}` in braces.");
});
const order = ["pdf", "git-commit", "style", "poet", "cook"];

test("leaves alone what was changed here since, and a folder of that name that it did not write", async () => {
  const place = await folderOf({ "prompts/a.md": "One.", "prompts/b.md": "Two." });
  const into = await folderOf({ "b/notes.txt": "Mine" });
  expect(await statuses(place, into)).toEqual([
    ["a", "new"],
    ["b-2", "new"],
  ]);
  await appendFile(join(into, "a/PROMPT.md"), "Mine\n");
  await writeFile(join(place, "prompts/c.md"), "Three.");
  expect(await statuses(place, into)).toEqual([
    ["a", "kept"],
    ["b-2", "unchanged"],
    ["c", "new"],
  ]);
  expect(await readFile(join(into, "a/PROMPT.md"), "utf8")).toBe("One.\nMine\n");
});

test("shows what each file becomes as a dry run, and writes nothing", async () => {
  const [place, into] = [await folderOf(project), home.place()];
  const { stdout } = await bring(place, into, "--dry-run");
  expect(stdout).toContain(`new\t${into}/poet\ttext\tTable of prompts\ttopic\t`);
  await expect(readdir(into)).rejects.toThrow("ENOENT");
});

test("takes one file by itself, by the folders that it lies in", async () => {
  const place = await folderOf(project);
  expect(await statuses(join(place, ".claude/commands/git/commit.md"), home.place())).toEqual([
    ["git-commit", "new"],
  ]);
  expect(await statuses(join(place, "prompts.csv"), home.place())).toEqual([
    ["poet", "new"],
    ["cook", "new"],
  ]);
});

test("takes neither what git ignores nor what a link leads to", async () => {
  const secret = await folderOf({ "SKILL.md": project["skills/pdf/SKILL.md"] });
  const place = await folderOf({
    ...project,
    ".gitignore": "ignored/\nskills/pdf/private.txt\n",
    "ignored/prompts/x.md": "Ignored",
    "skills/pdf/private.txt": "Ignored",
  });
  execFileSync("git", ["init", "-q", place]);
  await symlink(secret, join(place, "linked"));
  const into = home.place();
  expect(await statuses(place, into)).toHaveLength(5);
  expect(await readdir(join(into, "pdf"))).toEqual([
    ".promptreg-state",
    "SKILL.md",
    "promptreg.json",
    "scripts",
  ]);
});

test("takes a link to a file that comes along, and names others and a skill within a skill", async () => {
  const place = await home.folderOf({
    "skills/pdf/SKILL.md": project["skills/pdf/SKILL.md"],
    "skills/pdf/docs/a.md": "A",
    "skills/pdf/forms/SKILL.md": "---\nname: forms\ndescription: Fills in.\n---\nSee x.",
    "skills/pdf/forms/x.md": "X",
    "docs/b.md": "B",
  });
  for (const [link, target] of Object.entries({
    "a.md": "docs/a.md",
    b: "../../docs",
    "out.md": "/etc/hosts",
  }))
    await symlink(target, join(place, "skills/pdf", link));
  const into = home.place();
  const { stderr } = await bring(place, into);
  expect(stderr).toContain(
    "skills/pdf/out.md was left out: it is a symbolic link to no file of this folder.\n",
  );
  expect(stderr).toContain(
    "skills/pdf/SKILL.md: forms/ has a SKILL.md, so it is a prompt of its own and does not come along.\n",
  );
  expect(await readFile(join(into, "pdf/a.md"), "utf8")).toBe("A");
  expect((await readdir(join(into, "pdf"))).sort()).toEqual([
    ".promptreg-state",
    "SKILL.md",
    "a.md",
    "docs",
    "promptreg.json",
  ]);
  expect((await readdir(join(into, "forms"))).sort()).toEqual([
    ".promptreg-state",
    "SKILL.md",
    "promptreg.json",
    "x.md",
  ]);
});

test("makes the folders above the prompts, of which many are written at once", async () => {
  const texts = Array.from({ length: 40 }, (_, n) => [`prompts/p${n}.md`, `Say ${n}.`]);
  const into = join(home.place(), "not/there/yet");
  expect((await bring(await folderOf(Object.fromEntries(texts)), into)).exitCode).toBe(0);
  expect(await readdir(into)).toHaveLength(40);
});

test("says once what several prompts have in common, and names twenty of what is refused", async () => {
  const skill = (n: number) => [
    `skills/s${n}/SKILL.md`,
    `---\nname: s${n}\ndescription: D\ncolor: red\n---\nHi ${n}.`,
  ];
  const broken = (n: number) => [`skills/b${n}/SKILL.md`, "---\nname: b\n---\nHi."];
  const files = Array.from({ length: 25 }, (_, n) => [skill(n), broken(n)]).flat();
  const { stderr } = await bring(await folderOf(Object.fromEntries(files)), home.place());
  expect(stderr.match(/does not know: "color"/g)).toHaveLength(1);
  expect(stderr).toMatch(/skills\/s0\/SKILL\.md and 24 more files: SKILL\.md has keys/);
  expect(stderr.match(/b\d+\/SKILL\.md was refused/g)).toHaveLength(20);
  expect(stderr).toContain("5 more were refused. --json shows all.\n");
});

test("takes the folder of a tool, or one within it", async () => {
  const place = await folderOf({ ".claude/commands/git/commit.md": "Commit.", "prompts/a/system.md": "A." });
  for (const [path, folder] of [
    [".claude", "git-commit"],
    [".claude/commands", "git-commit"],
    ["prompts", "a"],
  ] as const) {
    const into = home.place();
    await bring(join(place, path), into);
    expect(await readdir(into)).toEqual([folder]);
  }
});

test("goes on after Ctrl-C, and removes what a killed one left", async () => {
  const texts = Array.from({ length: 40 }, (_, n) => [`prompts/p${n}.md`, `Say ${n}.`]);
  const [place, into] = [await folderOf(Object.fromEntries(texts)), home.place()];
  const ending = new AbortController();
  ending.abort();
  const stopped = await registry.cli(["import", place, "--into", into, "-y"], { interrupt: ending.signal });
  expect(stopped).toMatchObject({
    exitCode: 130,
    stderr: expect.stringContaining("0 of 40 prompts were written. Run it again for the rest."),
  });
  const host = createHash("sha256").update(hostname()).digest("hex").slice(0, 8);
  await mkdir(join(into, `.promptreg-99999999-${host}-${crypto.randomUUID()}/new`), { recursive: true });
  expect((await bring(place, into)).exitCode).toBe(0);
  expect((await readdir(into)).filter((name) => !name.startsWith("p"))).toEqual([]);
});

test("takes texts that are nothing else as the kind that is named", async () => {
  const place = await folderOf({
    "tools/fix.md": "Fix $ARGUMENTS.",
    "patterns/sum-up/system.md": "Sum up.",
    "README.md": "About.",
    "skills/pdf/SKILL.md": "---\nname: pdf\ndescription: D\n---\nHi",
  });
  const none = await bring(join(place, "tools"), home.place());
  expect(none).toMatchObject({ exitCode: 6, stderr: expect.stringContaining("--kind command") });
  const into = home.place();
  expect((await bring(place, into, "--kind", "command")).exitCode).toBe(0);
  expect((await readdir(into)).sort()).toEqual(["fix", "pdf", "sum-up"]);
  expect(await readFile(join(into, "fix/COMMAND.md"), "utf8")).toBe("Fix {{args}}.\n");
});

test("knows the rows of a table by their titles, and says how to take what differs", async () => {
  const place = await folderOf({ "p.csv": "act,prompt\nPoet,Write.\nCook,Cook.\n" });
  const into = home.place();
  await bring(place, into);
  await writeFile(join(place, "p.csv"), "act,prompt\nNew,Do.\nPoet,Write.\nCook,Cook well.\n");
  const { stderr } = await bring(place, into);
  expect((await readdir(into)).sort()).toEqual(["cook", "new", "poet"]);
  expect(stderr).toContain(
    "1 imported, 1 unchanged, 1 changed in the source. --update brings what changed in the source, and keeps what changed here.\n",
  );
});

test("says from where a file in its own folder comes, whatever that folder is called", async () => {
  const place = await folderOf({ "app/prompts.csv": "act,prompt\nPoet,Write.\n", "app/prompts/a.md": "Do." });
  const into = join(place, "app/library");
  for (const file of ["prompts.csv", "prompts/a.md"]) await bring(join(place, "app", file), into);
  const fromOf = async (name: string) =>
    JSON.parse(await readFile(join(into, name, "promptreg.json"), "utf8")).from;
  expect(await fromOf("poet")).toBe("../prompts.csv#Poet");
  expect(await fromOf("a")).toBe("../prompts/a.md");
  await rename(join(place, "app"), join(place, "moved"));
  const moved = join(place, "moved/library");
  expect(await statuses(join(place, "moved"), moved)).toEqual([
    ["poet", "unchanged"],
    ["a", "unchanged"],
  ]);
  // As earlier releases wrote it.
  const manifest = join(moved, "poet/promptreg.json");
  await writeFile(
    manifest,
    (await readFile(manifest, "utf8")).replace("../prompts.csv", "../../moved/prompts.csv"),
  );
  expect(await statuses(join(place, "moved/prompts.csv"), moved)).toEqual([["poet", "unchanged"]]);
});

test("leaves out what looks like a secret, unless told otherwise", async () => {
  const place = await folderOf({
    "prompts/a.md": `Use sk-ant-api03-${"Ab1_".repeat(24)}.`,
    "prompts/b.md": "Two.",
    [`prompts/ghp_${"Ab1x".repeat(9)}.md`]: "Three.",
    "skills/pdf/SKILL.md": "---\nname: pdf\ndescription: D\n---\nHi",
    "skills/pdf/scripts/run.sh": `KEY=sk-ant-api03-${"Ab1_".repeat(24)}`,
  });
  const into = home.place();
  const { exitCode, stderr } = await bring(place, into);
  expect(exitCode).toBe(6);
  expect(stderr).toContain("skills/pdf/SKILL.md: scripts/run.sh, line 1 looks like a secret");
  expect(stderr).toContain("path, line 1 looks like a secret (github token)");
  expect(stderr).toMatch(
    /prompts\/a\.md: PROMPT\.md, line 1 looks like a secret .*--allow-secrets imports it anyway\./,
  );
  expect(await readdir(into)).toEqual(["b"]);
  expect(await statuses(place, into, "--allow-secrets")).toContainEqual(["a", "new"]);
});

test("takes the license of the nearest license file, and says so once", async () => {
  const place = await folderOf({
    "a/LICENSE": "SPDX-License-Identifier: MIT\n",
    "a/prompts/one.md": "One.",
    "a/prompts/two.md": "Two.",
    "prompts/free.md": "Free.",
  });
  const into = home.place();
  const { stderr } = await bring(place, into);
  expect(stderr).toContain("a/LICENSE says the license of 2 prompts: MIT.\n");
  expect(stderr).toContain("No license is known for 1 prompt: ");
  expect(JSON.parse(await readFile(join(into, "two/promptreg.json"), "utf8")).license).toBe("MIT");
  expect((await registry.cli(["init", place, "-y"])).stderr).toContain("a/LICENSE says the license of 2");
});

const skill = project["skills/pdf/SKILL.md"];
const review = "---\ndescription: Reviews\n---\nReview it.";
const twice = {
  ".claude/commands/review.md": review,
  ".cursor/commands/review.md": review,
  ".cursor/rules/review.mdc": "Review it.",
  ".claude/skills/pdf/SKILL.md": skill,
  ".claude/skills/pdf/a.txt": "A",
  ".agents/skills/pdf/SKILL.md": skill,
  ".agents/skills/pdf/a.txt": "A",
  "skills/other/SKILL.md": skill,
  "skills/other/a.txt": "B",
};

test("takes what two tools have in copies once, and names the copy", async () => {
  const [place, into] = [await folderOf(twice), home.place()];
  const { exitCode, stderr } = await bring(place, into);
  expect(stderr).toMatch(
    /\.cursor\/commands\/review\.md is a copy of \S+\.claude\/commands\/review\.md, which is taken\. Take it instead: --only \.cursor\/commands\/review\.md\n/,
  );
  expect(stderr).toMatch(
    /skills\/other\/SKILL\.md has the text of \S+\.agents\/skills\/pdf\/SKILL\.md, and differs in files beside it\. Both are taken\.\n/,
  );
  expect(stderr).toContain("4 imported, 2 left out as a copy.");
  expect(exitCode).toBe(0);
  expect((await statuses(place, into)).map(([, status]: string[]) => status).sort()).toEqual([
    "copy",
    "copy",
    ...Array.from({ length: 4 }, () => "unchanged"),
  ]);
  const instead = home.place();
  const only = ["--only", ".cursor/commands/review.md"];
  expect(await statuses(place, instead, ...only)).toEqual([[expect.any(String), "new"]]);
  // What was taken once stays the one.
  expect(await statuses(place, instead)).toContainEqual([expect.stringMatching(/^review/), "unchanged"]);
  expect((await readdir(instead)).filter((name) => name.startsWith("review"))).toHaveLength(2);
});

test("takes prompts of one text that differ in what a user sees, and says in what", async () => {
  const place = await folderOf({
    ".claude/commands/a.md": review,
    ".claude/commands/b.md": review,
    ".claude/commands/x/a.md": review.replace("---\n", "---\nmodel: opus\n"),
    ".opencode/command/a.md": review.replace("Reviews", "Looks at it"),
    ".codex/prompts/a.md": "review  IT.",
    "p/.claude/commands/c.md": "Fix $1",
    "q/.claude/commands/c.md": "Fix $ARGUMENTS",
  });
  const { stderr } = await bring(place, home.place());
  for (const said of ["name, title", "name, title, entry file", "summary, entry file", "entry file"])
    expect(stderr).toMatch(
      new RegExp(` has the text of \\S+, and differs in ${said}\\. Both are taken\\.\n`),
    );
  expect(stderr).toContain("7 imported.");
});

test("gives one manifest to what lies in a project twice", async () => {
  const place = await folderOf(twice);
  const { stderr } = await registry.cli(["init", place, "-y"]);
  expect(stderr).toContain(
    ".cursor/commands/review.md is a copy of .claude/commands/review.md: it gets no manifest.\n",
  );
  expect(stderr).toContain("skills/other/SKILL.md has the text of .agents/skills/pdf/SKILL.md, ");
  expect(await readdir(join(place, ".claude/skills/pdf"))).not.toContain("promptreg.json");
  expect(await readdir(join(place, ".agents/skills/pdf"))).toContain("promptreg.json");
});

test("names a file that is called the same in every project after the project", async () => {
  const place = await folderOf({
    "acme web/AGENTS.md": "Be brief.",
    "acme web/CLAUDE.md": "Be brief.",
    "acme web/prompts/prompt.md": "Hello",
    "acme web/api/AGENTS.md": "Be long.",
  });
  const into = home.place();
  expect(await statuses(join(place, "acme web"), into)).toEqual([
    ["acme-web-agents", "new"],
    ["acme-web-claude", "new"],
    ["api-agents", "new"],
    ["acme-web-prompt", "new"],
  ]);
});

test("says what was refused and why, and that something was", async () => {
  const place = await folderOf({
    "a/SKILL.md": "No description",
    "prompts/b.md": "Two.",
    "prompts/empty.md": "\n",
    ".cursor/rules/none.mdc": "---\ndescription: None\n---\n",
  });
  await writeFile(join(place, "prompts/latin.md"), Buffer.from("caf\xe9", "latin1"));
  const { exitCode, stderr } = await bring(place, home.place());
  expect(exitCode).toBe(6);
  expect(stderr).toContain("a/SKILL.md was refused (Agent Skill): The skill has no description.\n");
  expect(stderr).toContain("prompts/empty.md was refused (Text in a folder for prompts): It has no text.\n");
  expect(stderr).toContain(
    "prompts/latin.md was refused (Text in a folder for prompts): It is not UTF-8 text.\n",
  );
  expect(stderr).toContain(".cursor/rules/none.mdc was refused (Cursor rule): It has no text.\n");
  expect(stderr).toContain("1 imported, 4 refused.\n");
  expect(await bring(join(place, "a"), home.place())).toMatchObject({ exitCode: 6, stdout: "" });
  expect(await bring(await folderOf({ "x.txt": "X" }), home.place())).toMatchObject({
    exitCode: 6,
    stderr: expect.stringContaining("has no prompts that are recognised"),
  });
});
