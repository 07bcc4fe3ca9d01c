import { readFile, writeFile } from "node:fs/promises";
import { createClient } from "@promptreg/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeOutputs, writeSummary } from "../src/evals/github.ts";
import { createOutput } from "../src/terminal/output.ts";
import { makeHome } from "./folders.ts";
import { startReal } from "./real.ts";

const registry = await startReal();
const home = await makeHome();
afterAll(() => registry.close());
beforeAll(async () => {
  const files = [{ path: "PROMPT.md", content: "One." }];
  const body = { kind: "text" as const, slug: "reply", title: "Reply", files };
  await createClient(registry).prompts.create({ body });
});

const forged = [
  "a\n::error::forged",
  "b\r\n::set-output name=x::forged",
  "c%0A::warning::forged",
  "d##[error]forged",
  "e,file=/etc/passwd,title=forged::",
  "f\u2028::stop-commands::forged",
];
const hostile = [
  ...forged.map((caseKey) => ({ caseKey, status: "failed", error: `${caseKey}\n::error::forged\u001b[2J` })),
  ...Array.from({ length: 10 }, (_, index) => ({ caseKey: `case-${index}`, status: "errored" })),
  { caseKey: "good", status: "passed" },
];

/** Commands as GitHub's runner finds them in a log: at the beginning of a line, or in the older form anywhere in it. */
function commandsIn(log: string) {
  const decode = (text: string) =>
    text.replaceAll("%0D", "\r").replaceAll("%0A", "\n").replaceAll("%25", "%");
  return log.split(/\r\n|\r|\n/).flatMap((line) => {
    const [, name, given = "", data = ""] = /^\s*::([\w-]+)(?: ([^]*?))?::([^]*)$/.exec(line) ?? [];
    if (name === undefined) return line.includes("##[") ? [{ name: "old", properties: {}, data: line }] : [];
    const pairs = given.split(",").map((pair) => {
      const [key = "", value = ""] = pair.split(/=([^]*)/);
      return [key, decode(value.replaceAll("%3A", ":").replaceAll("%2C", ","))];
    });
    return [{ name, properties: Object.fromEntries(pairs) as Record<string, string>, data: decode(data) }];
  });
}

function report(env: Record<string, string>, options: string[] = [], results: object[] = hostile) {
  const args = ["eval", "report", "-", "--prompt", "ada/reply@1", "--model", "m", ...options];
  return registry.cli(args, { stdin: JSON.stringify(results), env: { GITHUB_ACTIONS: "true", ...env } });
}

describe("in GitHub Actions a report", () => {
  test("annotates at most ten cases, on standard error, and no text of a result is a command", async () => {
    const { stdout, stderr, exitCode } = await report({});
    const commands = commandsIn(stderr);
    expect(commands.map(({ name }) => name)).toEqual(Array.from({ length: 10 }, () => "error"));
    for (const { properties } of commands) expect(Object.keys(properties)).toEqual(["title"]);
    expect(commands[0]?.properties.title).toContain("Failed: a");
    expect(commandsIn(stdout)).toEqual([]);
    expect(exitCode).toBe(8);
  });

  test("and what is read of it later begin no command with a name or an output of others", async () => {
    const named = (score: number) =>
      ["a", "b", "c", "d"].map((caseKey) => ({
        caseKey,
        status: score < 1 ? "failed" : "passed",
        output: "::stop-commands::pwn",
        assertions: [{ type: "::add-mask::e", passed: true, score }],
      }));
    const model = "::error title=forged::m";
    const run = async (score: number, options: string[]) =>
      report({}, ["--model", model, ...options], named(score));
    const { stdout: first } = await run(1, ["--json"]);
    const { stdout } = await run(0, ["--baseline", "version:1", "--threshold", "0"]);
    expect([stdout.includes("add-mask"), commandsIn(stdout)]).toEqual([true, []]);
    const { id } = JSON.parse(first).run as { id: string };
    const env = { GITHUB_ACTIONS: "true" };
    const later = /run_\w+/.exec(stdout)?.[0] ?? "";
    for (const args of [
      ["compare", id, later],
      ["compare", id, later, "--case", "a"],
      ["show", later, "--results"],
    ]) {
      const shown = await registry.cli(["eval", ...args], { env });
      expect([args, shown.stdout !== "", commandsIn(shown.stdout)]).toEqual([args, true, []]);
    }
  });

  test("prints JSON alone to standard output", async () => {
    const { stdout } = await report({}, ["--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ run: { verdict: "fail" }, comparison: null });
  });

  test("warns of failed cases if the verdict is pass", async () => {
    const { stderr } = await report(
      {},
      ["--threshold", "0.5"],
      [
        { caseKey: "a", status: "passed" },
        { caseKey: "b", status: "failed" },
      ],
    );
    expect(new Set(commandsIn(stderr).map(({ name }) => name))).toEqual(new Set(["warning"]));
  });

  test("sets the outputs of its step, and adds to its summary", async () => {
    const [summary, outputs] = [home.place(), home.place()];
    await writeFile(summary, "# Mine\n");
    await writeFile(outputs, "mine=1\n");
    await report(
      { GITHUB_STEP_SUMMARY: summary, GITHUB_OUTPUT: outputs },
      [],
      [
        { caseKey: "a", status: "passed" },
        { caseKey: "b", status: "failed" },
      ],
    );
    expect(outputsIn(await readFile(outputs, "utf8"))).toEqual({
      mine: "1",
      "run-id": expect.stringMatching(/^run_\w{26}$/),
      verdict: "fail",
      outcome: "",
      "pass-rate": "0.5",
    });
    expect(await readFile(summary, "utf8")).toMatch(/^# Mine\n<!-- promptreg:ada\/reply:m: -->\n/);
  });

  test("that cannot write them says so, and keeps its verdict", async () => {
    const nowhere = "/no/such/folder/file";
    const { exitCode, stderr } = await report({ GITHUB_STEP_SUMMARY: nowhere, GITHUB_OUTPUT: nowhere });
    expect(stderr).toContain("The step summary cannot be written: ENOENT");
    expect(stderr).toContain("The outputs of the step cannot be written: ENOENT");
    expect(exitCode).toBe(8);
  });
});

test("elsewhere nothing is annotated", async () => {
  const { stderr } = await report({ GITHUB_ACTIONS: "" });
  expect(stderr).toBe("");
});

/** Outputs as GitHub reads them: `name=value`, or `name<<end` and lines until `end`. */
function outputsIn(text: string): Record<string, string> {
  const found: Record<string, string> = {};
  const lines = text.split("\n");
  while (lines.length > 0) {
    const line = lines.shift() ?? "";
    const [, name, end] = /^([^=]+?)<<(.+)$/.exec(line) ?? [];
    if (name !== undefined) {
      const length = lines.indexOf(end ?? "");
      found[name] = lines.splice(0, length).join("\n");
      lines.shift();
    } else if (line !== "") found[line.split("=")[0] ?? ""] = line.split("=").slice(1).join("=");
  }
  return found;
}

describe("what is written for GitHub", () => {
  const written = { stdout: "", stderr: "" };
  const output = createOutput({
    stdout: { write: (text: string) => void (written.stdout += text) },
    stderr: { write: (text: string) => void (written.stderr += text) },
    env: {},
  } as never);

  test("no value of an output sets another one", async () => {
    const file = home.place();
    const values = { one: "1\ntwo=forged\nend_1\nthree<<x\nforged\nx", four: "4" };
    await writeOutputs({ GITHUB_OUTPUT: file }, values, output);
    expect(outputsIn(await readFile(file, "utf8"))).toEqual(values);
  });

  test("a summary that would be larger than GitHub shows is left out, and that is said", async () => {
    const file = home.place();
    const size = async () => (await readFile(file)).length;
    await writeFile(file, "x".repeat(1024 * 1024 - 101));
    await writeSummary({ GITHUB_STEP_SUMMARY: file }, "y".repeat(100), output);
    expect(await size()).toBe(1024 * 1024 - 101);
    await writeSummary({ GITHUB_STEP_SUMMARY: file }, "y".repeat(99), output);
    expect(await size()).toBe(1024 * 1024);
    expect(written.stderr).toContain("The step summary cannot be written: it would be larger than 1 MiB.");
  });
});
