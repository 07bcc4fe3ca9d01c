import { chmod, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startInstallScene } from "./installed.ts";
import { promptOf, versionOf } from "./prompts.ts";
import { startRegistry } from "./registry.ts";

const scene = await startInstallScene();
afterAll(() => scene.registry.close());
afterEach(() => scene.registry.heal());

const record = "promptreg.installed.json";
const reply = ".agents/skills/reply/SKILL.md";
const skill = "---\nname: review\ndescription: Reviews.\n---\n\nReview.\n";

beforeAll(async () => {
  await scene.create("reply", "Dear {{name}}, one.");
  await scene.create("rules", "Use strict types.", "rule");
  await scene.create("style", "Write plainly.", "rule");
  await scene.create("review", skill, "skill", [
    { path: "scripts/run.sh", content: "#!/bin/sh\n", mode: "100755" },
    { path: "logo.png", content: "iVBORw0KGgr/AAA=", encoding: "base64" },
  ]);
});

describe("install", () => {
  test("shows what it writes, writes it where the tool looks, and records it", async () => {
    const { run, paths, read, record: recorded } = await scene.project();
    const { stdout, stderr, exitCode } = await run("install ada/reply --for agents");
    expect(exitCode).toBe(0);
    expect(stderr).toBe(`  create     ${reply}\n`);
    expect(stdout).toBe(`ada/reply@1 installed for agents: ${reply}\n`);
    expect(await paths()).toEqual([reply, record]);
    expect(await read(reply)).toContain("Dear <name>, one.");
    expect(await recorded()).toEqual({
      recordVersion: 1,
      prompts: {
        "ada/reply": {
          id: expect.stringMatching(/^prm_/),
          for: {
            agents: {
              asked: "latest",
              version: 1,
              files: { [reply]: expect.stringMatching(/^[0-9a-f]{64}$/) },
            },
          },
        },
      },
    });
  });

  test("keeps the files of a skill byte for byte, executable ones executable", async () => {
    const { run, files, folder } = await scene.project();
    await run("install ada/review --for claude");
    const installed = await files();
    expect(installed[".claude/skills/review/SKILL.md"]).toBe(skill);
    expect(installed[".claude/skills/review/scripts/run.sh"]).toBe("x #!/bin/sh\n");
    const logo = Buffer.from(installed[".claude/skills/review/logo.png"] ?? "", "latin1");
    expect(logo.toString("base64")).toBe("iVBORw0KGgr/AAA=");
    await chmod(join(folder, ".claude/skills/review/scripts/run.sh"), 0o644);
    expect((await run("install ada/review --for claude")).stdout).toContain("written again");
    expect(await files()).toEqual(installed);
  });

  test("asks before it writes what a tool does by itself, and says what that is", async () => {
    await scene.create("shell", skill.replace("\n---\n", "\nallowed-tools: Bash(*)\n---\n"), "skill");
    const { run, paths } = await scene.project();
    const refused = await run("install ada/shell --for claude");
    expect([refused.exitCode, await paths()]).toEqual([2, []]);
    for (const part of [
      "ada/shell for claude: Claude Code does not ask before it uses the tools that the skill names.",
      "--yes",
    ])
      expect(refused.stderr).toContain(part);
    const both = await run("install ada/shell --for claude --for cursor", { answers: [false] });
    expect(both.stderr.match(/does not ask before/g)).toHaveLength(1);
    expect(both.stderr).toContain("ada/shell for claude, cursor: Claude Code does not ask");
    expect((await run("install ada/shell --for claude --yes")).exitCode).toBe(0);
    expect((await run("install ada/shell --for claude")).exitCode).toBe(0);
  });

  test("takes several prompts, tools and formats at once, all or none", async () => {
    const { run, paths } = await scene.project();
    const all = "ada/reply ada/review --for agents --for claude";
    expect((await run(`install ${all} ada/nothing`)).exitCode).toBe(4);
    expect(await paths()).toEqual([]);
    expect((await run(`install ${all}`)).exitCode).toBe(0);
    expect((await run("install ada/reply --format openai-messages")).stdout).toContain("reply.json");
    expect((await paths()).filter((path) => path.endsWith(".md"))).toEqual([
      ".agents/skills/reply/SKILL.md",
      ".agents/skills/review/SKILL.md",
      ".claude/commands/reply.md",
      ".claude/skills/review/SKILL.md",
    ]);
  });

  test("a second time changes nothing, and writes again what was deleted", async () => {
    const { run, files, folder } = await scene.project();
    await run("install ada/reply --for agents");
    const before = await files();
    const again = await run("install ada/reply --for agents");
    expect(again).toMatchObject({ stderr: "", stdout: expect.stringContaining("already installed") });
    expect(await files()).toEqual(before);
    await rm(join(folder, reply));
    expect((await run("install ada/reply --for agents")).stdout).toContain("written again");
    expect(await files()).toEqual(before);
  });

  test("for all projects writes into the home folder, and records it there", async () => {
    const home = scene.place();
    const env = { HOME: home, XDG_DATA_HOME: join(home, "data") };
    await mkdir(home);
    expect(await scene.run("install ada/reply --for claude --global", { env })).toMatchObject({
      exitCode: 0,
    });
    expect(await readFile(join(home, ".claude/commands/reply.md"), "utf8")).toContain("Dear");
    const listed = await scene.run("installed --global", { env });
    expect(listed.stdout).toBe("ada/reply\t1\tlatest\tclaude\t1 file\n");
    await scene.run("uninstall ada/reply --global", { env });
    await expect(readFile(join(home, ".claude/commands/reply.md"))).rejects.toThrow("ENOENT");
    await scene.run("install ada/reply --for claude --global", { env: { HOME: home } });
    expect(await readFile(join(home, ".local/share/promptreg/installed.json"), "utf8")).toContain(
      "ada/reply",
    );
    for (const [what, why] of [
      ["ada/reply --format markdown", "--global needs --for"],
      ["ada/rules --for cursor", "cursor has no known folder for prompts of kind rule of all projects"],
    ]) {
      const refused = await scene.run(`install ${what} --global`, { env });
      expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(why ?? "") });
    }
  });

  test.each([
    ["install ada/reply", 2, "Name a tool with --for (claude, cursor"],
    ["install ada/reply --for agent", 2, "Did you mean agents?"],
    ["install ada/reply --format markdwon", 2, "Did you mean markdown?"],
    ["install ada/reply ada/reply@1 --for agents", 2, "names a prompt twice"],
    ["install ada/nothing --for agents", 4, "Not found."],
    ["install ada/reply@9 --for agents", 4, "version 9"],
    ["install ada/reply@never --for agents", 4, "label never"],
    [
      "install ada/rules --for gemini",
      6,
      "Gemini CLI takes no prompts of kind rule. It takes command, skill, text.",
    ],
    ["install ada/review --format openai-messages", 6, "cannot express a prompt of kind skill"],
  ])("%s is refused with a sentence, and nothing is written", async (line, exitCode, sentence) => {
    const { run, paths } = await scene.project();
    expect(await run(line)).toMatchObject({ exitCode, stderr: expect.stringContaining(sentence) });
    expect(await paths()).toEqual([]);
  });

  test("does not take a file for a project, nor a missing folder", async () => {
    const { folder, write } = await scene.project();
    await write("file", "");
    for (const place of [scene.place(), join(folder, "file"), join(folder, "file/in")])
      for (const command of ["install ada/reply --for agents", "update", "uninstall ada/reply", "installed"])
        expect(await scene.run(`${command} --project ${place}`)).toMatchObject({
          exitCode: 6,
          stdout: "",
          stderr: `error: ${place} is not a folder. --project names the folder of the project.\n`,
        });
  });
});

describe("while it reads", () => {
  test("Ctrl-C leaves everything as it is", async () => {
    const { run, paths } = await scene.project();
    const end = new AbortController();
    const fetch: typeof globalThis.fetch = (...args) => {
      end.abort();
      return scene.registry.fetch(...args);
    };
    const stopped = await run("install ada/reply --for agents", { fetch, interrupt: end.signal });
    expect(stopped).toMatchObject({ exitCode: 130, stderr: "error: Stopped. Nothing was installed.\n" });
    expect(await paths()).toEqual([]);
  });
});

test("Ctrl-C at a question changes nothing, whatever is answered", async () => {
  const { run, write, read, paths } = await scene.project();
  await write(reply, "Mine");
  const end = new AbortController();
  const confirm = async () => (end.abort(), true);
  const stopped = await run("install ada/reply --for agents", { confirm, interrupt: end.signal });
  expect([stopped.exitCode, await read(reply), await paths()]).toEqual([130, "Mine", [reply]]);
});

describe("what cannot be installed without a word", () => {
  test("is a yanked version: somebody has to agree", async () => {
    const { run, paths } = await scene.project();
    await scene.create("leaky", "One");
    await scene.commit("leaky", "Two");
    await scene.client.prompts.versions.yank({ owner: "ada", slug: "leaky", n: 2, body: {} });
    expect((await run("install ada/leaky --for agents")).stdout).toContain("ada/leaky@1");
    const refused = await run("install ada/leaky@2 --for agents");
    expect(refused).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("ada/leaky@2. Install it"),
    });
    expect((await run("install ada/leaky@2 --for agents --yes")).exitCode).toBe(0);
    await scene.client.prompts.versions.yank({ owner: "ada", slug: "leaky", n: 1, body: {} });
    const none = await run("install ada/leaky --for claude");
    expect(none).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining("every version is yanked"),
    });
    expect(await paths()).toEqual([".agents/skills/leaky/SKILL.md", record]);
  });

  test("is a draft, or a deleted prompt: there is nothing", async () => {
    const { run, paths } = await scene.project();
    await scene.client.prompts.create({
      body: {
        kind: "text",
        slug: "begun",
        title: "Begun",
        files: [{ path: "PROMPT.md", content: "x" }],
        publish: false,
      },
    });
    expect((await run("install ada/begun --for agents")).stderr).toContain("it is a draft");
    await scene.create("gone", "Gone");
    await scene.client.prompts.delete({ owner: "ada", slug: "gone" });
    expect(await run("install ada/gone --for agents")).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining("This was deleted."),
    });
    expect(await paths()).toEqual([]);
  });

  test("is anything while the registry is away", async () => {
    const { run, paths } = await scene.project();
    scene.registry.fail({ cut: "before" });
    expect((await run("install ada/reply --for agents")).exitCode).toBe(7);
    expect(await paths()).toEqual([]);
  });

  test("is what overwrites a file that was not installed: it asks, and without a terminal stops", async () => {
    const { run, write, read, paths } = await scene.project();
    await write(reply, "Mine");
    const install = "install ada/reply --for agents";
    const stopped = await run(install);
    expect(stopped).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("was not installed by promptreg"),
    });
    const no = await run(install, { answers: [false] });
    expect(no).toMatchObject({ exitCode: 130, asked: [`Overwrite ${reply}?`] });
    expect([await read(reply), await paths()]).toEqual(["Mine", [reply]]);
    expect((await run(install, { answers: [true] })).exitCode).toBe(0);
    expect(await read(reply)).toContain("Dear");
  });

  test("is not a file that is there already, to the last byte", async () => {
    const [first, second] = [await scene.project(), await scene.project()];
    await first.run("install ada/reply --for agents");
    await second.write(reply, await first.read(reply));
    expect(await second.run("install ada/reply --for agents")).toMatchObject({ exitCode: 0, asked: [] });
    expect(await second.record()).toEqual(await first.record());
  });
});

test("of many files the first are shown, and all that would be lost", async () => {
  const files = Array.from({ length: 40 }, (_, index) => ({ path: `docs/${index}.md`, content: "x" }));
  await scene.create("many", skill.replace("review", "many"), "skill", files);
  const { run, write } = await scene.project();
  await write(".claude/skills/many/docs/7.md", "Mine");
  const { stderr } = await run("install ada/many --for claude --yes");
  expect(stderr.split("\n").slice(-3)).toEqual([
    "  and 10 other files",
    "  overwrite  .claude/skills/many/docs/7.md  was not installed by promptreg",
    "",
  ]);
});

describe("AGENTS.md, which belongs to the project", () => {
  const agents = "AGENTS.md";
  const own = "# Our project\n\nBuild with make.\n";

  test("gets a section for each prompt, and is as before when they are gone", async () => {
    const { run, write, read, paths } = await scene.project();
    await write(agents, own);
    const { stderr, exitCode } = await run("install ada/rules ada/style --for agents");
    expect({ stderr, exitCode }).toEqual({ stderr: `  update     ${agents}\n`, exitCode: 0 });
    const both = await read(agents);
    expect(both.startsWith(own)).toBe(true);
    expect(both).toContain("Use strict types.");
    expect(both).toContain("Write plainly.");
    expect((await run("installed")).stdout).toBe(
      "ada/rules\t1\tlatest\tagents\t1 file\nada/style\t1\tlatest\tagents\t1 file\n",
    );
    await run("uninstall ada/rules");
    expect(await read(agents)).not.toContain("Use strict types.");
    expect(await read(agents)).toContain("Write plainly.");
    await run("uninstall ada/style");
    expect(await read(agents)).toBe(own);
    expect(await paths()).toEqual([agents]);
  });

  test("that was made for a prompt goes with it", async () => {
    const { run, paths } = await scene.project();
    await run("install ada/rules --for agents --for codex");
    await run("uninstall ada/rules --for agents");
    expect(await paths()).toEqual([agents, record]);
    await run("uninstall ada/rules");
    expect(await paths()).toEqual([]);
  });

  test("and is edited outside of a section asks nothing; inside of it, it does", async () => {
    const { run, write, read } = await scene.project();
    await run("install ada/rules --for agents");
    await write(agents, `${await read(agents)}\nMore of ours.\n`);
    expect(await run("install ada/rules --for agents")).toMatchObject({ exitCode: 0, stderr: "" });
    await write(agents, (await read(agents)).replace("strict", "very strict"));
    const asked = await run("uninstall ada/rules", { answers: [false] });
    expect(asked).toMatchObject({
      exitCode: 130,
      asked: ["Overwrite the section of ada/rules in AGENTS.md?"],
    });
    await write(agents, (await read(agents)).replace("promptreg:end", "promptreg:edn"));
    const damaged = await run("uninstall ada/rules --yes");
    expect(damaged).toMatchObject({
      exitCode: 6,
      stderr: expect.stringContaining("marks of ada/rules are damaged"),
    });
    expect(await read(agents)).toContain("More of ours.");
  });

  test("that is no text in UTF-8 stays as it is", async () => {
    const { run, folder } = await scene.project();
    const latin1 = Buffer.from("Für uns\n", "latin1");
    await writeFile(join(folder, agents), latin1);
    expect((await run("install ada/rules --for agents --yes")).exitCode).toBe(6);
    expect(await readFile(join(folder, agents))).toEqual(latin1);
  });
});

describe("two installs", () => {
  test("may share files that are the same, and the last one removes them", async () => {
    const { run, paths } = await scene.project();
    await run("install ada/reply --for agents --format agent-skill");
    await run("uninstall ada/reply --for agents");
    expect(await paths()).toEqual([reply, record]);
    await run("uninstall ada/reply");
    expect(await paths()).toEqual([]);
  });

  test("that want one path with different content are refused", async () => {
    const { run, files } = await scene.project();
    const bob = await scene.registry.createAccount("bob");
    const file = { path: "PROMPT.md", content: "Bob's" };
    const body = { kind: "text", slug: "reply", title: "R", visibility: "public", files: [file] };
    await scene.run(`api prompts.create --body ${JSON.stringify(body).replaceAll(" ", "")}`, {
      env: { PROMPTREG_TOKEN: bob.token },
    });
    await run("install ada/reply --for agents");
    const before = await files();
    const refused = await run("install bob/reply --for agents --yes");
    expect(refused.stderr).toContain(
      `ada/reply@1 for agents and bob/reply@1 for agents both want ${reply}, with different content.`,
    );
    expect(refused.exitCode).toBe(6);
    expect(await files()).toEqual(before);
  });

  test("at the same time are both recorded", async () => {
    const { run, record: recorded } = await scene.project();
    await Promise.all([run("install ada/reply --for agents"), run("install ada/review --for claude")]);
    expect(Object.keys((await recorded()).prompts)).toEqual(["ada/reply", "ada/review"]);
  });
});

describe("nothing is written outside of the project", () => {
  test.each([".agents", ".agents/skills/reply", reply])("through the link %s", async (link) => {
    const { run, folder, paths } = await scene.project();
    const outside = scene.place();
    await mkdir(outside);
    await mkdir(join(folder, link, ".."), { recursive: true });
    await symlink(link === reply ? join(outside, "SKILL.md") : outside, join(folder, link));
    const { stderr, exitCode } = await run("install ada/reply --for agents --yes");
    expect({ stderr, exitCode }).toEqual({
      stderr: expect.stringContaining("is a symbolic link"),
      exitCode: 6,
    });
    expect(await paths()).toEqual([]);
    expect(await readdir(outside)).toEqual([]);
  });

  test.each([".agents", reply])("nor where something else stands at %s", async (path) => {
    const { run, write, folder } = await scene.project();
    if (path === reply) await mkdir(join(folder, path), { recursive: true });
    else await write(path, "A file");
    expect(await run("install ada/reply --for agents --yes")).toMatchObject({
      exitCode: 6,
      stderr: expect.stringMatching(/needs a folder there|a file is needed there/),
    });
  });

  test.each([
    ["../../../outside", "has a . or .. segment"],
    ["/etc", "begins or ends with a slash"],
    ["a\\b", "holds a control character, a backslash"],
    [".git", "is .git"],
  ])("by a registry that calls a skill %j", async (name, problem) => {
    const fake = await startRegistry();
    const version = await versionOf(1, {
      "SKILL.md": `---\nname: ${JSON.stringify(name)}\ndescription: x\n---\n`,
    });
    const named = { ...version, entry: "SKILL.md", promptId: "prm_1" };
    const prompt = promptOf(named, { kind: "skill" });
    fake.answer("GET /prompts/ada/reply?view=version", {
      json: { ref: "ada/reply", resolvedBy: { type: "latest", value: null }, yanked: false, version: named },
    });
    fake.answer("GET /prompts/ada/reply?version=1", { json: prompt });
    const { folder, paths } = await scene.project();
    const args = ["install", "ada/reply", "--for", "agents", "--project", folder, "--yes"];
    const { stderr, exitCode } = await fake.cli(args);
    await fake.close();
    expect({ stderr, exitCode }).toEqual({ stderr: expect.stringContaining(problem), exitCode: 6 });
    expect(await paths()).toEqual([]);
  });

  test("by a record that somebody made up", async () => {
    const { run, write, folder } = await scene.project();
    const install = { asked: "latest", version: 1, files: { "../victim.md": "0".repeat(64) } };
    const made = { recordVersion: 1, prompts: { "ada/reply": { id: "prm_1", for: { agents: install } } } };
    await write(record, JSON.stringify(made));
    const victim = join(folder, "../victim.md");
    await writeFile(victim, "Mine");
    for (const line of ["uninstall ada/reply --yes", "installed", "update --yes"])
      expect(await run(line)).toMatchObject({ exitCode: 6, stderr: expect.stringContaining("segment") });
    expect(await readFile(victim, "utf8")).toBe("Mine");
  });

  test.each(["", "[]", "{}", '{"recordVersion":2,"prompts":{}}', '{"recordVersion":1,"prompts":{"a":{}}}'])(
    "and the record %j is refused as damaged",
    async (text) => {
      const { run, write } = await scene.project();
      await write(record, text);
      expect(await run("installed")).toMatchObject({
        exitCode: 6,
        stderr: expect.stringContaining("is damaged"),
      });
      await write(record, `<<<<<<< here\n${text}\n=======\n>>>>>>> there\n`);
      expect((await run("installed")).stderr).toContain("unfinished merge");
    },
  );
});
