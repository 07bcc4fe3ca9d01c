import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createProgram } from "../src/program.ts";
import { git, makeHome } from "./folders.ts";
import { startReal } from "./real.ts";

const registry = await startReal();
const home = await makeHome();
const start = process.cwd();
afterEach(() => process.chdir(start));
afterAll(() => registry.close());
const { cli } = registry;

/** A project with the prompt ada/reply, at version 2, and ada/triage. */
const project = home.place();
const reply = join(project, "prompts/reply");
beforeAll(async () => {
  await home.prompt(reply, "reply", { "PROMPT.md": "Hello {{name}}\n", "notes/tone.md": "Warm\n" });
  await home.prompt(join(project, "prompts/triage"), "triage");
  await cli(["push", project]);
  await writeFile(join(reply, "PROMPT.md"), "Good day {{name}}\n");
  await cli(["push", reply, "-m", "Warmer", "--label", "staging"]);
  git(project, "init", "-q");
});

describe("words of other tools", () => {
  test.each([
    [["ls"], ["list"]],
    [
      ["ls", "-n", "1"],
      ["list", "--limit", "1"],
    ],
    [
      ["view", "ada/reply"],
      ["show", "ada/reply"],
    ],
    [
      ["label", "ls", "ada/reply"],
      ["label", "list", "ada/reply"],
    ],
    [["-v"], ["--version"]],
    [
      ["label", "help"],
      ["label", "--help"],
    ],
    [
      ["diff", "ada/reply@1", "ada/reply@2"],
      ["diff", "ada/reply", "1..2"],
    ],
    [
      ["diff", "ada/reply", "1", "staging"],
      ["diff", "ada/reply", "1..staging"],
    ],
    [
      ["diff", "ada/reply@1..ada/reply@2"],
      ["diff", "ada/reply", "1..2"],
    ],
  ])("%j does what %j does", async (typed, ours) => {
    const [one, other] = [await cli(typed), await cli(ours)];
    expect(one).toEqual(other);
    expect(one.exitCode).toBe(0);
    expect(one.stdout).not.toBe("");
  });

  test("label set, -m, yank, unyank and restore with the number behind the address do what they say", async () => {
    for (const command of [
      ["yank", "ada/reply", "1", "-y"],
      ["unyank", "ada/reply", "1"],
      ["restore", "ada/reply", "1", "-m", "Back again"],
      ["label", "set", "ada/reply", "beta", "3", "-y"],
    ])
      expect(await cli(command)).toMatchObject({ exitCode: 0 });
    expect((await cli(["log", "ada/reply"])).stdout).toMatch(/^3\tbeta\tada\t.*Back again/m);
    const both = await cli(["yank", "ada/reply@1", "2", "-y"]);
    expect(both).toMatchObject({ exitCode: 2, stderr: "error: Write one version: owner/slug@3.\n" });
  });

  test.each([
    [["auth", "login"], "`promptreg login` stores a token"],
    [["get", "ada/reply"], "`promptreg cat owner/slug` prints a prompt"],
    [["promote", "ada/reply@staging", "production"], "`promptreg label move owner/slug production 4`"],
    [["commit", "-am", "Warmer"], "`promptreg push` sends what changed."],
    [["rollback"], "`promptreg label rollback owner/slug production`"],
    [["rm", "ada/reply"], "`promptreg uninstall owner/slug` removes a prompt from a project."],
    [["webhook", "trigger"], "`promptreg webhook test` does that."],
    [["post", "publish", "first.md"], "`promptreg post submit` does that."],
    [["post", "show", "first.md"], "`promptreg post view` does that."],
    [["post", "approve", "first.md"], "`promptreg post review` does that."],
    [["label", "rm", "ada/reply", "beta"], "`promptreg label remove` does that."],
    [["webhook", "add", "https://example.com"], "`promptreg webhook create` does that."],
    [["star", "ada/reply"], "Say what to do with it: add, remove, list."],
    [["help", "auth"], "`promptreg login` stores a token"],
    [["push", "-f"], "`--onto latest` replaces the newest version"],
    [["push", "-v"], "Write --version alone."],
    [["show", "ada/reply", "--version", "2"], "A version of a prompt is written owner/slug@3."],
    [["list", "--token", "x"], "or set PROMPTREG_TOKEN"],
    [["constructor"], "Unknown command constructor."],
    [["diff", "ada/reply@1", "ada/triage@1"], "Only versions of one prompt can be compared."],
    [
      ["diff", "ada/reply@1"],
      "Write two versions of ada/reply, such as `promptreg diff ada/reply 1..latest`.",
    ],
    [["diff", "1..2"], '"1..2" is not owner/slug. Write owner/slug and a range'],
  ])("%j is answered with what does it here", async (typed, answer) => {
    const { exitCode, stdout, stderr } = await cli(typed);
    expect(stderr).toContain(answer);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  });

  test("every command in an answer exists", async () => {
    const { commandOf, words } = await import("../src/grammar/habits.ts");
    const program = createProgram({} as never, () => {});
    const named = Object.values(words).flatMap((text) =>
      [...text.matchAll(/`promptreg ([a-z][\w -]*)/g)].map(([, line = ""]) => line),
    );
    expect(named.length).toBeGreaterThan(20);
    for (const line of named) {
      const [noun = "", verb = ""] = line.split(" ");
      const command = commandOf(program, noun);
      expect({ line, isThere: command !== undefined }).toEqual({ line, isThere: true });
      if (command && command.commands.length > 0 && command.registeredArguments.length === 0 && verb !== "")
        expect({ line, isThere: commandOf(command, verb) !== undefined }).toEqual({ line, isThere: true });
    }
  });

  test("stand neither in the help nor in completions", async () => {
    const listed = (await cli(["--help"])).stdout + (await cli(["__complete", "--", ""])).stdout;
    expect(listed).not.toMatch(/^ *(ls|view|get|auth|promote|i)\b/m);
    expect((await cli(["push", "--help"])).stdout).not.toContain("--force");
    expect((await cli(["__complete", "--", "ls", "--pu"])).stdout).toContain("--public");
  });
});

describe("the folder that is meant", () => {
  test("is the prompt around this one, as git looks for its own", { tags: "long" }, async () => {
    process.chdir(join(reply, "notes"));
    await writeFile(join(reply, "PROMPT.md"), "Hi {{name}}\n");
    for (const command of [["status"], ["diff"], ["check"], ["push", "--dry-run"]])
      expect(await cli(command)).toEqual(await cli([command[0] ?? "", "..", ...command.slice(1)]));
    expect((await cli(["push", "--onto", "latest"])).stdout).toMatch(/^ada\/reply is now at version \d+\n$/);
    expect((await cli(["status"])).stdout).toMatch(/^\.\.\tada\/reply\tunchanged/);
  });

  test("for status and check are else the prompts below; a push wants them named", async () => {
    process.chdir(project);
    expect((await cli(["status"])).stdout).toMatch(/ada\/reply\t.*\n.*ada\/triage\t/);
    expect(await cli(["push"])).toMatchObject({
      exitCode: 2,
      stderr: "error: This folder is in no prompt. `promptreg push .` sends all prompts below it.\n",
    });
  });

  test("is not looked for beyond the work tree", async () => {
    const inner = join(reply, "vendored");
    await mkdir(inner);
    git(inner, "init", "-q");
    process.chdir(inner);
    expect((await cli(["push"])).exitCode).toBe(2);
  });

  test("of what is installed is the nearest with a record", async () => {
    process.chdir(project);
    await cli(["install", "ada/triage", "--for", "cursor"]);
    process.chdir(join(reply, "notes"));
    expect((await cli(["installed"])).stdout).toContain("ada/triage");
    expect((await cli(["uninstall", "ada/triage"])).stdout).toContain("ada/triage");
    expect((await cli(["installed"])).stdout).toBe("");
  });

  test("of a lockfile is the nearest that has one, also for the command that writes it", async () => {
    process.chdir(project);
    await cli(["lock", "ada/triage@1"]);
    process.chdir(join(reply, "notes"));
    for (const command of ["ci", "verify", "outdated", "lock"])
      expect((await cli([command])).stdout).toMatch(/^\.\.\/\.\.\/\.\.\/promptreg\.lock/);
    expect((await cli(["codegen", "--json"])).stdout).toContain('"out": "../../../promptreg.d.ts"');
  });
});

test("a list in JSON says that there is more", async () => {
  for (const command of [["list"], ["log", "ada/reply"], ["label", "history", "ada/reply", "staging"]]) {
    const { stdout } = await cli([...command, "--json", "-n", "1"]);
    expect(JSON.parse(stdout)).toMatchObject({ items: [{}], hasMore: command[0] !== "label" });
  }
});
