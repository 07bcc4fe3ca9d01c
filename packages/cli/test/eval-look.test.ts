import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { widthOf } from "../src/terminal/table.ts";
import { evaluating } from "./evaluated.ts";
import { labelling } from "./labelled.ts";
import { startReal } from "./real.ts";
import type { Around } from "./registry.ts";

const registry = await startReal();
afterAll(() => registry.close());
const { client, make, put } = labelling(registry);
const { dataset, report } = evaluating(client);
const bob = await registry.createAccount("bob");

const evals = (args: readonly string[], around: Around = {}) => registry.cli(["eval", ...args], around);
const terminal = (columns: number): Around => ({ isTTY: true, columns, env: { NO_COLOR: "1" } });
const asBob: Around = { env: { PROMPTREG_TOKEN: bob.token } };

describe("eval list", () => {
  test("lists the runs of a prompt, newest first, by what they are asked for", async () => {
    await make("listed", 2);
    const smoke = await dataset("listed", "smoke");
    const first = await report("listed", 1, { passed: 20 });
    const second = await report("listed", 2, { passed: 5, dataset: "smoke", model: "large" });
    const { stdout } = await evals(["list", "ada/listed"]);
    const time = "[\\dT:.-]+Z";
    expect(stdout).toMatch(
      new RegExp(
        `^${second.id}\t2\tlarge\tsmoke@1\tfail\t25%\t${time}\n` +
          `${first.id}\t1\tm\tnone\tpass\t100%\t${time}\n$`,
      ),
    );
    const running = await report("listed", 2, { passed: 1, isCompleted: false });
    for (const [filter, id] of [
      [["--status", "running"], running.id],
      [["--on-version", "1"], first.id],
      [["--verdict", "fail"], second.id],
      [["--model", "large"], second.id],
      [["--dataset", "smoke"], second.id],
      [["--dataset", smoke.id], second.id],
      [["--dataset", "none", "--status", "completed"], first.id],
    ] as const) {
      const { items } = JSON.parse((await evals(["list", "ada/listed", "--json", ...filter])).stdout);
      expect(items.map((run: { id: string }) => run.id)).toEqual([id]);
    }
  });

  test("says that there are more, or none", async () => {
    await make("more", 1);
    expect(await evals(["list", "ada/more"])).toMatchObject({ stdout: "", stderr: "No such runs.\n" });
    for (let n = 0; n < 2; n += 1) await report("more", 1, { passed: 20, isCompleted: false });
    const { stdout, stderr } = await evals(["list", "ada/more", "--limit", "1"]);
    expect(stdout).toMatch(/^run_.*\trunning\t.*\n$/);
    expect(stderr).toBe("There are more. --limit shows more of them.\n");
    expect(await evals(["list", "ada/more", "--dataset", "smoke"])).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining("ada/more has no dataset smoke, or you cannot see it."),
    });
  });
});

test.each(["list", "scores"])(
  "eval %s fits a terminal of 80 columns, with the names that models have",
  async (verb) => {
    const slug = `fitting-${verb}`;
    await make(slug, 1);
    await dataset(slug, "regressions-of-refunds");
    const model = "anthropic/claude-sonnet-4-5-20250929";
    const { id } = await report(slug, 1, { passed: 20, dataset: "regressions-of-refunds", model });
    const { stdout } = await evals([verb, `ada/${slug}`], terminal(80));
    expect(stdout).toContain(id);
    expect(stdout).toMatch(/anthropic\/cla.*… +regressions.*… /);
    for (const line of stdout.split("\n")) expect(widthOf(line)).toBeLessThanOrEqual(80);
  },
);

describe("eval show", () => {
  test("shows a run and what failed, and with --results all", async () => {
    await make("shown", 1);
    const { id } = await report("shown", 1, { passed: 18 });
    const { stdout } = await evals(["show", id]);
    expect(stdout).toContain(`run\t${id}\nprompt\tada/shown@1\nmodel\tm\ndataset\tnone\nverdict\tpass\n`);
    expect(stdout).toContain("pass rate\t90%, 50% needed\nresults\t18 passed, 2 failed\n");
    expect(stdout).toMatch(/\n\nfailed\tcase-18\t\tis not kind\nfailed\tcase-19\t\tis not kind\n$/);
    const all = await evals(["show", id, "--results", "--limit", "19"]);
    expect(all.stdout).toContain("\n\npassed\tcase-00\t\t\n");
    expect(all.stderr).toBe("There are more results. --limit shows more of them.\n");
  });

  test("says that a run fails because of errors, though enough passed", async () => {
    await make("overloaded", 1);
    const { id } = await report("overloaded", 1, { passed: 18, errored: 2 });
    const { stdout } = await evals(["show", id, "--limit", "1"]);
    expect(stdout).toContain(
      "pass rate\t90%, 50% needed, but 2 errored, and a run with errors fails\nresults\t18 passed, 2 errored\n",
    );
    expect(stdout).toMatch(/\n\nerrored\tcase-18\t\tis not kind\n$/);
  });

  test("shows others no results, and says why", async () => {
    await make("private-results", 1);
    const { id } = await report("private-results", 1, { passed: 1 });
    const { exitCode, stdout, stderr } = await evals(["show", id], asBob);
    expect(stdout).toContain("results\t1 passed, 19 failed\n");
    expect(stdout).not.toContain("case-");
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: "Only the owner of the prompt can read the results of this run.\n",
    });
    expect(await evals(["show", id], { env: { PROMPTREG_TOKEN: "" } })).toMatchObject({
      exitCode,
      stdout,
      stderr,
    });
    expect(JSON.parse((await evals(["show", id, "--json"], asBob)).stdout)).toMatchObject({
      run: { id },
      results: null,
    });
  });
});

describe("eval scores", () => {
  test("shows a line for each version, with its change and a small trend", async () => {
    await make("scored", 3);
    for (const [version, passed] of [
      [1, 20],
      [2, 4],
      [3, 12],
    ] as const)
      await report("scored", version, { passed });
    const { stdout } = await evals(["scores", "ada/scored"], terminal(140));
    expect(stdout.split("\n").map((line) => line.replace(/run_\w+/, "ID"))).toEqual([
      expect.stringMatching(
        /^version {2}model {2}dataset {2}passed {2}cases {2}change {2}trend {2}verdict {2}run$/,
      ),
      expect.stringMatching(/^3 +m +none +60% +20 +\+40 +█▂▅ +pass +ID$/),
      expect.stringMatching(/^2 +m +none +20% +20 +−80 +█▂ +fail +ID$/),
      expect.stringMatching(/^1 +m +none +100% +20 +█ +pass +ID$/),
      "",
    ]);
    expect((await evals(["scores", "ada/scored", "--on-version", "2"])).stdout).toMatch(
      /^2\tm\tnone\t20%\t20\t−80\tfail\trun_/,
    );
  });
});

describe("eval compare", () => {
  test("says what the verdict is and what it rests on, then the cases, the worst first", async () => {
    await make("compared", 2);
    const a = await report("compared", 1, { passed: 20 });
    const b = await report("compared", 2, { passed: 12 });
    const { exitCode, stdout } = await evals(["compare", a.id, b.id]);
    expect(stdout).toContain(`before\tversion 1, 100% passed (20 passed), ${a.id}\n`);
    expect(stdout).toContain(`now\tversion 2, 60% passed (12 passed, 8 failed), ${b.id}\n`);
    expect(stdout).toMatch(/\n\nRegression: .*\n8 broken|\n\nRegression: /);
    expect(stdout).toContain("Methods: McNemar 1947");
    expect(stdout).toContain("\n\nbroken\tcase-12\tpassed\tfailed\tis not kind\n");
    expect(stdout).not.toContain("case-11");
    expect(exitCode).toBe(0);
    const { stdout: limited, stderr } = await evals(["compare", a.id, b.id, "--all", "--limit", "10"]);
    expect(limited).toContain("\nstill passing\tcase-01\t");
    expect(stderr).toBe("10 of 20 cases are shown. --limit shows more of them.\n");
    const { items } = JSON.parse((await evals(["compare", b.id, a.id, "--only", "fixed", "--json"])).stdout);
    expect(items).toHaveLength(8);
  });

  test("fits the terminal, whatever the cases are called", async () => {
    await make("wide", 2);
    const ids: string[] = [];
    for (const [versionNumber, status] of [
      [1, "passed"],
      [2, "failed"],
    ] as const) {
      const { id } = await client.evals.runs.create({
        body: { prompt: "ada/wide", versionNumber, model: "m" },
      });
      const caseKey = "漢字".repeat(40);
      const results = [{ index: 0, caseKey, status, error: "because ".repeat(30) }];
      await client.evals.runs.appendResults({ id, body: { results } });
      await client.evals.runs.update({ id, body: { status: "completed" } });
      ids.push(id);
    }
    const { stdout } = await evals(["compare", ...ids], terminal(80));
    const [row = ""] = stdout.split("\n").filter((line) => line.startsWith("broken"));
    expect(row).toMatch(/^broken {2}漢[漢字]+… +passed {2}failed {2}because .*…$/);
    expect(widthOf(row)).toBeLessThanOrEqual(80);
  });

  test("takes versions and labels, and compares their latest runs of the same model and dataset", async () => {
    await make("named", 2);
    await dataset("named", "smoke");
    await put("named", "production", 1);
    await report("named", 1, { passed: 20, dataset: "smoke" });
    await report("named", 1, { passed: 20, model: "small" });
    await report("named", 2, { passed: 20, dataset: "smoke" });
    const { stdout } = await evals(["compare", "ada/named@production", "ada/named@2"]);
    expect(stdout).toContain("dataset\tsmoke@1\n");
    await report("named", 2, { passed: 20, model: "small" });
    expect((await evals(["compare", "ada/named@staging", "ada/named@2"])).exitCode).toBe(4);
    const several = await evals(["compare", "ada/named@production", "ada/named@2"]);
    expect(several).toMatchObject({ exitCode: 2, stdout: "" });
    expect(several.stderr).toContain("Several runs could be meant. Choose with --model and --dataset: ");
    const chosen = await evals(["compare", "ada/named@1", "ada/named@2", "--dataset", "none", "--json"]);
    expect(JSON.parse(chosen.stdout).b).toMatchObject({ model: "small", dataset: null });
  });

  test("exits with 10 or 11 with --fail-on-regression alone", async () => {
    await make("coded", 3);
    await dataset("coded", "smoke");
    const a = await report("coded", 1, { passed: 20 });
    const b = await report("coded", 2, { passed: 8 });
    const other = await report("coded", 2, { passed: 8, dataset: "smoke" });
    const fails = async (...args: string[]) =>
      (await evals(["compare", ...args, "--fail-on-regression"])).exitCode;
    expect(await fails(a.id, b.id)).toBe(10);
    expect(await fails(a.id, b.id, "--max-drop", "0.7")).toBe(0);
    expect(await fails(b.id, a.id)).toBe(0);
    expect(await fails(a.id, other.id)).toBe(11);
    expect((await evals(["compare", a.id, other.id])).exitCode).toBe(0);
    expect(await fails(a.id, "ada/coded@2")).toBe(10);
    expect(await evals(["compare", "ada/coded@1", other.id])).toMatchObject({
      exitCode: 11,
      stderr: expect.stringContaining("no completed runs with the same model and dataset"),
    });
    for (const option of ["--model", "--dataset"])
      expect((await evals(["compare", a.id, b.id, option, "m"])).exitCode).toBe(2);
    const missing = await evals(["compare", "ada/coded@1", "ada/coded@3"]);
    expect(missing).toMatchObject({ exitCode: 11, stdout: "" });
    expect(missing.stderr).toContain("Report one: promptreg eval report <files…> --prompt ada/coded@3");
  });

  test("shows a case's outputs beside each other on a wide terminal, else below, with what differs marked", async () => {
    await make("cased", 2);
    const a = await report("cased", 1, { passed: 20 });
    const b = await report("cased", 2, { passed: 12 });
    const args = ["compare", a.id, b.id, "--case", "case-15"];
    const { stdout: wide } = await evals(args, terminal(120));
    expect(wide).toMatch(/^case-15 {2}broken\n\nbefore: passed +│ now: failed\n/);
    expect(wide).toMatch(/\n +│ is not kind\n/);
    expect(wide).toMatch(/Thank you for \[-your order-\]\. +│ Thank you for \{\+nothing\+\}\.\n/);
    expect(Math.max(...wide.split("\n").map((line) => line.length))).toBeLessThanOrEqual(120);
    const { stdout: narrow } = await evals(args, terminal(60));
    expect(narrow).toContain("before: passed\n\nThank you for [-your order-].\n\n");
    expect(narrow).toContain("now: failed\nis not kind\n\nThank you for {+nothing+}.\n");
    const colored = await evals(args, { isTTY: true, columns: 120, env: { FORCE_COLOR: "1" } });
    expect(colored.stdout).toContain("\u001b[31myour order\u001b[39m");
    expect(await evals(["compare", a.id, b.id, "--case", "absent"])).toMatchObject({
      exitCode: 4,
      stdout: "",
    });
  });

  test("begins the lines that both outputs have beside each other", async () => {
    await make("aligned", 2);
    const ids: string[] = [];
    for (const [versionNumber, output] of [
      [1, "Dear Ada,\nall is well.\n\nYours"],
      [2, "Dear Ada,\nnothing is well,\nand nothing will be.\n\nYours"],
    ] as const) {
      const { id } = await client.evals.runs.create({
        body: { prompt: "ada/aligned", versionNumber, model: "m" },
      });
      const results = [{ index: 0, caseKey: "letter", status: "failed" as const, output }];
      await client.evals.runs.appendResults({ id, body: { results } });
      await client.evals.runs.update({ id, body: { status: "completed" } });
      ids.push(id);
    }
    const { stdout } = await evals(["compare", ...ids, "--case", "letter"], terminal(100));
    const rows = stdout.split("\n").map((line) => line.split("│").map((side) => side.trim()));
    expect(rows).toContainEqual(["Dear Ada,", "Dear Ada,"]);
    expect(rows).toContainEqual(["Yours", "Yours"]);
  });

  test("writes the page and the comment", async () => {
    await make("written", 2);
    const a = await report("written", 1, { passed: 20 });
    const b = await report("written", 2, { passed: 12 });
    const folder = await mkdtemp(join(tmpdir(), "promptreg-compare-"));
    const [page, comment] = [join(folder, "page.html"), join(folder, "comment.md")];
    await evals(["compare", a.id, b.id, "--html", page, "--markdown", comment]);
    for (const file of [page, comment]) expect(await readFile(file, "utf8")).toContain("case-15");
    const refused = await evals(["compare", a.id, b.id, "--html", join(folder, "absent/page.html")]);
    expect(refused).toMatchObject({ exitCode: 6, stderr: expect.stringContaining("cannot be written") });
    await rm(folder, { recursive: true });
  });

  test("shows others the verdict and no cases", async () => {
    await make("hidden-cases", 2);
    const a = await report("hidden-cases", 1, { passed: 20 });
    const b = await report("hidden-cases", 2, { passed: 12 });
    const { exitCode, stdout, stderr } = await evals(["compare", a.id, b.id], asBob);
    expect(stdout).toContain("\n\nRegression: ");
    expect(stdout).not.toContain("case-");
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: "Only the owner of the prompt can read the cases of these runs.\n",
    });
    expect(await evals(["compare", a.id, b.id, "--case", "case-15"], asBob)).toMatchObject({ exitCode: 3 });
  });

  test("shows hostile outputs as text, and folds wide characters", async () => {
    await make("hostile", 2);
    const output = ["\u001b[2Jgone", "漢".repeat(80), "👩‍👩‍👧".repeat(30)].join("\n");
    const ids: string[] = [];
    for (const versionNumber of [1, 2]) {
      const { id } = await client.evals.runs.create({
        body: { prompt: "ada/hostile", versionNumber, model: "m" },
      });
      const results = [
        { index: 0, caseKey: "c\u202e", status: "failed" as const, output: output + versionNumber },
      ];
      await client.evals.runs.appendResults({ id, body: { results } });
      await client.evals.runs.update({ id, body: { status: "completed" } });
      ids.push(id);
    }
    const { stdout } = await evals(["compare", ...ids, "--case", "c\u202e"], terminal(120));
    expect(stdout).toMatch(/^c\\u202e {2}still failing\n/);
    expect(stdout).toContain("\\x1b[2Jgone");
    expect(stdout).not.toContain("\u001b");
    const [line = ""] = stdout.split("\n").filter((one) => one.includes("漢"));
    expect(line).toBe(`${"漢".repeat(29)} │ ${"漢".repeat(29)}`);
  });
});
