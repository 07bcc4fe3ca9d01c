import { readFile } from "node:fs/promises";
import { createClient } from "@promptreg/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeHome } from "./folders.ts";
import { startReal } from "./real.ts";

const registry = await startReal();
const client = createClient(registry);
const home = await makeHome();
afterAll(() => registry.close());

let reporter: string;
beforeAll(async () => {
  ({ token: reporter } = await registry.createAccount("ada", { scopes: ["evals:write"] }));
});

const commit = (slug: string, content: string) =>
  client.prompts.versions.create({ owner: "ada", slug, body: { files: [{ path: "PROMPT.md", content }] } });
const point = (slug: string, versionNumber: number, name = "production") =>
  client.prompts.labels.put({ owner: "ada", slug, name, body: { versionNumber } });

/** A prompt with two versions, of which the first is in production. */
async function make(slug: string) {
  const files = [{ path: "PROMPT.md", content: "One." }];
  await client.prompts.create({ body: { kind: "text", slug, title: slug, files } });
  await commit(slug, "Two.");
  await point(slug, 1);
}

/** Results of 40 cases, of which the first ones fail. */
const results = (failing: number, prefix = "case") =>
  Array.from({ length: 40 }, (_, index) => ({
    caseKey: `${prefix}-${index}`,
    status: index < failing ? "failed" : "passed",
    assertions: [
      { type: "contains", passed: index >= failing, reason: index < failing ? "no apology" : null },
    ],
  }));

function report(prompt: string, given: object[], options = "", env: Record<string, string> = {}) {
  const args = ["eval", "report", "-", "--prompt", prompt, "--model", "m", "--threshold", "0.5"];
  return registry.cli([...args, ...options.split(" ").filter(Boolean)], {
    stdin: JSON.stringify(given),
    env,
  });
}
const gate = "--baseline production --fail-on-regression";

describe("a report with a baseline", () => {
  test("exits with 10 when cases broke by more than noise, and names them", async () => {
    await make("worse");
    await report("ada/worse@1", results(1));
    const { exitCode, stdout } = await report("ada/worse@2", results(15), gate);
    expect(stdout).toMatch(/^Regression: the pass rate fell by more than noise\.$/m);
    expect(stdout).toContain("14 broken, 0 fixed");
    expect(stdout).toMatch(/^broken +case-\d+ {2}contains: no apology$/m);
    expect(stdout).toMatch(/^and 4 more$/m);
    expect(stdout.match(/case-10\b/g)).toHaveLength(1);
    expect(stdout.match(/case-1\b/g)).toHaveLength(1);
    expect(exitCode).toBe(10);
  });

  test("exits with 0 if nothing got worse by more than noise, and names what is fixed", async () => {
    await make("flaky");
    await report("ada/flaky@1", results(3));
    const given = results(3).with(2, { caseKey: "case-2", status: "passed", assertions: [] });
    given[39] = { caseKey: "case-39", status: "failed", assertions: [] };
    const env = { GITHUB_ACTIONS: "true" };
    const { exitCode, stdout, stderr } = await report("ada/flaky@2", given, gate, env);
    expect(stderr.match(/^::.*?::/gm)?.toSorted()).toEqual([
      "::warning title=Broken%3A case-39::",
      "::warning title=Failed%3A case-0::",
      "::warning title=Failed%3A case-1::",
    ]);
    expect(stdout).toMatch(/^No regression/m);
    expect(stdout).toMatch(/^fixed +case-2$/m);
    expect(exitCode).toBe(0);
  });

  test("shows a regression and exits with 0, unless it is to fail on it", async () => {
    await make("shown");
    await report("ada/shown@1", results(1));
    const { exitCode, stdout } = await report("ada/shown@2", results(15), "--baseline production");
    expect(stdout).toMatch(/^Regression/m);
    expect(exitCode).toBe(0);
  });

  test("exits with 10, not with 8, if the verdict is fail too", async () => {
    await make("both");
    await report("ada/both@1", results(1));
    expect((await report("ada/both@2", results(30), gate)).exitCode).toBe(10);
    expect((await report("ada/both@2", results(30), "--baseline production")).exitCode).toBe(8);
  });

  test("allows the drop that --max-drop names", async () => {
    await make("allowed");
    await report("ada/allowed@1", results(1));
    const { exitCode } = await report("ada/allowed@2", results(15), `${gate} --max-drop 0.4`);
    expect(exitCode).toBe(0);
  });

  test("exits with 11 if the runs have no case in common", async () => {
    await make("others");
    await report("ada/others@1", results(1));
    const { exitCode, stdout } = await report("ada/others@2", results(1, "other"), gate);
    expect(stdout).toMatch(/^Not comparable/m);
    expect(exitCode).toBe(11);
  });

  test("is the first of its kind once: it exits with 0 and says so, and the next one with 11", async () => {
    await make("new");
    const first = await report("ada/new@2", results(1), gate);
    expect(first.stdout).toMatch(/^not compared\nVersion 1 of ada\/new has no completed run of model m/m);
    expect(first.stdout).toContain("This is the first run of this model and dataset");
    expect(first.exitCode).toBe(0);
    const next = await report("ada/new@2", results(1), gate, { GITHUB_ACTIONS: "true" });
    expect(next.stderr).toMatch(/^::warning title=Not compared::Version 1 of ada\/new has no/);
    expect(next.stdout).toContain("Report one: promptreg eval report <files…> --prompt ada/new@1 --model m");
    expect(next.exitCode).toBe(11);
    expect((await report("ada/new@2", results(1), "--baseline production")).exitCode).toBe(0);
    const [markdown, html] = [`${home.place()}.md`, `${home.place()}.html`];
    const written = await report(
      "ada/new@2",
      results(1),
      `${gate} --json --markdown ${markdown} --html ${html}`,
    );
    const why = "Version 1 of ada/new has no completed run of model m";
    expect(JSON.parse(written.stdout).notes).toEqual([expect.stringContaining(why)]);
    const [asMarkdown, page] = [await readFile(markdown, "utf8"), await readFile(html, "utf8")];
    expect(asMarkdown).toContain("Not compared · Pass");
    expect(asMarkdown).not.toContain("✅");
    expect(page).toContain("<span>Not compared</span>");
    for (const text of [asMarkdown, page])
      expect(text).toMatch(/Version 1 of \S*ada.+new\S* has no completed run/);
  });

  test("that is the first of its kind says nothing of passing if it fails", async () => {
    await make("new-and-bad");
    const { exitCode, stdout } = await report("ada/new-and-bad@2", results(30), gate);
    expect(stdout).toMatch(/^fail, not compared\n/);
    expect(stdout).toContain(
      "If the baseline has no run by the next report, --fail-on-regression fails that one.",
    );
    expect(stdout).not.toContain("this report passes");
    expect(exitCode).toBe(8);
  });

  test("compares a version that is in production itself with its run before, and says so", async () => {
    await make("same");
    await report("ada/same@1", results(1));
    const { exitCode, stdout } = await report("ada/same@1", results(2), gate);
    expect(stdout).toContain("The baseline is an earlier run of the same version 1");
    expect(exitCode).toBe(0);
    const again = `${gate} --external-id twice`;
    await report("ada/same@1", results(3), again);
    const { stdout: repeated } = await report("ada/same@1", results(3), again);
    expect(repeated).toContain("1 broken, 0 fixed");
  });

  test("may be a version or a run", async () => {
    await make("named");
    const { stdout } = await report("ada/named@1", results(1), "--json");
    const { id } = JSON.parse(stdout).run;
    for (const baseline of ["version:1", `run:${id}`]) {
      const { stdout, exitCode } = await report(
        "ada/named@2",
        results(15),
        `--json --fail-on-regression --baseline ${baseline}`,
      );
      expect(JSON.parse(stdout)).toMatchObject({
        run: { versionNumber: 2, summary: { total: 40 } },
        outcome: "regression",
        comparison: { a: { id }, summary: { broken: 14 }, verdict: { outcome: "regression" } },
      });
      expect(exitCode).toBe(10);
    }
  });

  test("that does not exist as a run is refused before anything is reported", async () => {
    await make("missing");
    const none = `run:run_${"0".repeat(26)}`;
    expect((await report("ada/missing@2", results(1), `--baseline ${none}`)).exitCode).toBe(4);
    const { items } = await client.evals.runs.list({ query: { prompt: "ada/missing" } });
    expect(items).toEqual([]);
  });
});

describe("a report on a dataset", () => {
  const id = async (slug: string) => {
    const created = await client.evals.datasets.create({ body: { prompt: `ada/${slug}`, name: "smoke" } });
    return created.id;
  };
  const add = (dataset: string, key: string) =>
    client.evals.datasets.cases.create({ id: dataset, body: { cases: [{ key, variables: {} }] } });

  test("names its revision, and is compared with runs of that dataset alone", async () => {
    await make("set");
    const dataset = await id("set");
    await add(dataset, "case-1");
    await report("ada/set@1", results(1));
    const first = await report("ada/set@2", results(15), `${gate} --dataset smoke`);
    expect(first.stdout).toContain("Version 1 of ada/set has no completed run of model m on dataset smoke");
    expect(first.exitCode).toBe(0);
    await report("ada/set@1", results(1), "--dataset smoke");
    expect((await report("ada/set@2", results(15), `${gate} --dataset smoke@2`)).exitCode).toBe(10);
    await add(dataset, "case-2");
    const { stdout, exitCode } = await report(
      "ada/set@2",
      results(15),
      `${gate} --dataset ${dataset} --json`,
    );
    expect(JSON.parse(stdout)).toMatchObject({
      run: { dataset: { name: "smoke", revision: 3 } },
      outcome: "not_comparable",
    });
    expect(exitCode).toBe(11);
  });

  test.each([
    ["other", 4],
    ["smoke@99", 6],
  ])("that is not there is refused: %s", async (name, code) => {
    const slug = `unset-${code}`;
    await make(slug);
    await id(slug);
    expect((await report(`ada/${slug}@1`, results(1), `--dataset ${name}`)).exitCode).toBe(code);
  });
});

describe("a token that may only report", () => {
  const env = () => ({ PROMPTREG_TOKEN: reporter });

  test("reports, and needs nothing else", async () => {
    await make("least");
    const summary = `${home.place()}.md`;
    const { exitCode, stdout, stderr } = await report("ada/least@1", results(1), "", {
      ...env(),
      GITHUB_ACTIONS: "true",
      GITHUB_STEP_SUMMARY: summary,
    });
    expect(stdout).toMatch(/^pass\n/);
    expect(stderr).toContain("::warning title=Failed%3A case-0::contains: no apology");
    expect(await readFile(summary, "utf8")).toMatch(/^<!-- promptreg:ada\/least:m: -->\n/);
    expect(exitCode).toBe(0);
  });

  test.each(["--baseline production", "--markdown out.md", "--html out.html"])(
    "is told which scope %s needs, before anything is reported",
    async (option) => {
      const slug = `scope-${option.slice(2, 6)}`;
      await make(slug);
      const { exitCode, stderr } = await report(`ada/${slug}@1`, results(1), option, env());
      expect(stderr).toContain(
        `lacks the scope read, which ${option.split(" ")[0]} needs. Nothing was reported.`,
      );
      expect(exitCode).toBe(3);
      const { items } = await client.evals.runs.list({ query: { prompt: `ada/${slug}` } });
      expect(items).toEqual([]);
    },
  );
});

test.each([
  ["--fail-on-regression", "--fail-on-regression needs --baseline"],
  ["--max-drop 0.1", "--max-drop needs --baseline"],
  ["--baseline run:7", "Write the id of a run"],
  ["--baseline version:x", "Write a version number"],
])("%s is a mistake in the use", async (options, reason) => {
  const { exitCode, stderr } = await report("ada/none@1", results(1), options);
  expect(stderr).toContain(reason);
  expect(exitCode).toBe(2);
});

test("a report writes its documents, and finds before it reports that it cannot", async () => {
  await make("written");
  await report("ada/written@1", results(1));
  const place = home.place();
  const options = `--junit ${place}.xml --markdown ${place}.md --html ${place}.html`;
  const { exitCode, stderr } = await report("ada/written@2", results(15), `${gate} ${options}`);
  expect({ exitCode, stderr }).toEqual({ exitCode: 10, stderr: "" });
  expect(await readFile(`${place}.xml`, "utf8")).toContain("<testcase");
  expect(await readFile(`${place}.md`, "utf8")).toMatch(
    /^<!-- promptreg:ada\/written:m: -->\n\n### ❌ Regression/,
  );
  expect(await readFile(`${place}.html`, "utf8")).toContain("case-1");
  const twice = await report("ada/written@2", results(15), `--html ${place}.x --markdown ${place}.x`);
  expect(twice).toMatchObject({ exitCode: 6, stderr: expect.stringContaining("is named for two documents") });
  const late = await report("ada/written@2", results(15), "--html /no/such/folder/out.html");
  expect(late).toMatchObject({ exitCode: 6, stderr: expect.stringContaining("its folder does not exist") });
  expect((await client.evals.runs.list({ query: { prompt: "ada/written" } })).items).toHaveLength(2);
});
