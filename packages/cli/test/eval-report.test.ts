import { writeFileSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { refusal, startRegistry } from "./registry.ts";

const registry = await startRegistry();
afterEach(registry.reset);
afterAll(registry.close);

const results = [
  { caseKey: "refund", status: "passed" },
  { caseKey: "anger", status: "failed", error: "too long" },
];
const summary = { total: 2, passed: 1, failed: 1, errored: 0, skipped: 0, passRate: 0.5 };
const run = (fields: object = {}) => ({
  id: "run_1",
  prompt: { ref: "ada/reply" },
  versionNumber: 2,
  model: "m",
  status: "running",
  verdict: null,
  threshold: 0.8,
  summary,
  ...fields,
});

function hold(verdict: "pass" | "fail" | null, created: object = {}) {
  registry.answer("POST /evals/runs", ({ body }) => {
    const { model, versionNumber = 2 } = body as { model: string; versionNumber?: number };
    const empty = { ...summary, total: 0 };
    return { status: 201, json: run({ model, versionNumber, summary: empty, ...created }) };
  });
  registry.answer("POST /evals/runs/run_1/results", { json: { appended: 2, total: 2 } });
  registry.answer("PATCH /evals/runs/run_1", { json: run({ status: "completed", verdict }) });
}
const report = (content: unknown, options: string[] = [], env: Record<string, string> = {}) => {
  const stdin = typeof content === "string" ? content : JSON.stringify(content);
  return registry.cli(["eval", "report", "-", "--prompt", "ada/reply@staging", ...options], { stdin, env });
};
const bodies = (path: string) => registry.seen.filter((one) => one.path === path).map(({ body }) => body);

describe("a report", () => {
  test("makes a run, brings the results and prints the verdict", async () => {
    hold("pass");
    const { exitCode, stdout } = await report({ model: "m", threshold: 0.8, results });
    expect(registry.seen.map(({ method, body }) => ({ method, body }))).toEqual([
      {
        method: "POST",
        body: {
          prompt: "ada/reply",
          label: "staging",
          model: "m",
          threshold: 0.8,
          source: { tool: "promptreg" },
        },
      },
      {
        method: "POST",
        body: {
          results: [
            { index: 0, ...results[0] },
            { index: 1, ...results[1] },
          ],
        },
      },
      { method: "PATCH", body: { status: "completed" } },
    ]);
    expect(stdout).toBe(
      `${[
        "pass",
        "pass rate  50%, 80% needed",
        "passed     1",
        "failed     1",
        "errored    0",
        "skipped    0",
        "run        run_1 of ada/reply@2, m",
        "failed     anger  too long",
      ].join("\n")}\n`,
    );
    expect(exitCode).toBe(0);
  });

  test("of a failed run exits with 8, and prints it nevertheless", async () => {
    hold("fail");
    const { exitCode, stdout } = await report(results, ["--model", "m", "--json"]);
    expect(exitCode).toBe(8);
    expect(JSON.parse(stdout)).toEqual({
      run: run({ status: "completed", verdict: "fail" }),
      outcome: null,
      notes: [],
      comparison: null,
    });
  });

  test("of a run in which nothing counts fails nothing, and says so", async () => {
    hold(null);
    const { exitCode, stdout } = await report(results, ["--model", "m"]);
    expect(stdout).toMatch(/^no verdict: no results count\n/);
    expect(exitCode).toBe(0);
  });

  test("of a run that failed by its errors alone says so: enough passed", async () => {
    hold("fail");
    const counts = { ...summary, total: 10, passed: 9, failed: 0, errored: 1, passRate: 0.9 };
    const json = run({ status: "completed", verdict: "fail", verdictSource: "computed", summary: counts });
    registry.answer("PATCH /evals/runs/run_1", { json });
    const { stdout } = await report(results, ["--model", "m"]);
    expect(stdout).toContain("90%, 80% needed, but 1 errored, and a run with errors fails\n");
  });

  test("shortens a name of a case that is made of its input", async () => {
    hold("fail");
    const caseKey = `act=Poet, prompt=${"Write a poem. ".repeat(12)}`;
    const { stdout } = await report([{ caseKey, status: "failed" }], ["--model", "m"]);
    expect(stdout).toContain(`failed     ${caseKey.slice(0, 79)}…\n`);
  });

  test.each([
    ["JavaScript", "Error: too long\n    at check (/ci/a.test.ts:4:56)\n    at new Promise (<anonymous>)"],
    ["the JVM", "Error: too long\n\tat org.acme.Check.run(Check.java:12)"],
    ["Vitest", "Error: too long\n ❯ a.test.ts:12:34"],
    [
      "Python",
      'Traceback (most recent call last):\n  File "a.py", line 3, in check\n    raise Error(text)\nError: too long',
    ],
  ])("names the reason without the stack of %s", async (_, error) => {
    hold("fail");
    const { stdout } = await report([{ caseKey: "anger", status: "failed", error }], ["--model", "m"]);
    expect(stdout).toMatch(/^failed {5}anger {2}Error: too long$/m);
    expect(bodies("/evals/runs/run_1/results")).toMatchObject([{ results: [{ error }] }]);
  });

  test("names a case once, however often it was tried", async () => {
    hold("fail");
    const bad = { status: "failed", error: "too long" };
    const attempts = Array.from({ length: 12 }, (_, index) => ({
      caseKey: "anger",
      attempt: index + 1,
      ...bad,
    }));
    const others = Array.from({ length: 11 }, (_, index) => ({ caseKey: `case-${index}`, ...bad }));
    const { stdout } = await report([...attempts, ...others], ["--model", "m"]);
    expect(stdout.match(/anger/g)).toHaveLength(1);
    expect(stdout).toMatch(/^failed {5}case-8 {2}too long\nand 2 more$/m);
  });

  test("takes options before what the file says", async () => {
    hold("pass");
    await report({ model: "m", threshold: 0.8, results }, [
      "--model",
      "n",
      "--threshold",
      "0.5",
      "--verdict",
      "pass",
    ]);
    expect(bodies("/evals/runs")).toMatchObject([{ model: "n", threshold: 0.5 }]);
    expect(bodies("/evals/runs/run_1")).toEqual([{ status: "completed", verdict: "pass" }]);
  });

  test("reads JSON Lines, and a single line too", async () => {
    hold("pass");
    await report(`${results.map((result) => JSON.stringify(result)).join("\n")}\n\n`, ["--model", "m"]);
    await report(JSON.stringify(results[0]), ["--model", "m"]);
    expect(bodies("/evals/runs/run_1/results")).toMatchObject([{ results }, { results: [results[0]] }]);
  });

  test("says on GitHub Actions where it was made", async () => {
    hold("pass");
    await report(results, ["--model", "m", "--external-id", "build-7"], {
      GITHUB_ACTIONS: "true",
      GITHUB_SERVER_URL: "https://github.com",
      GITHUB_REPOSITORY: "ada/shop",
      GITHUB_RUN_ID: "7",
      GITHUB_SHA: "abc",
      GITHUB_HEAD_REF: "warmer",
      GITHUB_REF_NAME: "12/merge",
    });
    expect(bodies("/evals/runs")).toMatchObject([
      {
        externalId: "build-7",
        source: {
          provider: "github-actions",
          url: "https://github.com/ada/shop/actions/runs/7",
          commit: "abc",
          branch: "warmer",
          tool: "promptreg",
        },
      },
    ]);
    await report(results, ["--model", "m"], { GITHUB_ACTIONS: "true", GITHUB_REF_NAME: "main" });
    expect(bodies("/evals/runs").at(-1)).toMatchObject({
      source: { provider: "github-actions", url: null, commit: null, branch: "main" },
    });
  });

  test("goes in batches of at most a thousand results and eight mebibytes", { tags: "long" }, async () => {
    hold("pass");
    const many = Array.from({ length: 1001 }, (_, index) => ({ caseKey: `case-${index}`, status: "passed" }));
    const output = "x".repeat(3 * 1024 * 1024);
    const large = [1, 2, 3].map((index) => ({ caseKey: `large-${index}`, status: "passed", output }));
    await report([...many, ...large], ["--model", "m"]);
    const sizes = bodies("/evals/runs/run_1/results").map((body) => (body as { results: [] }).results.length);
    expect(sizes).toEqual([1000, 3, 1]);
  });

  test("that was finished before adds nothing and gives its verdict again", async () => {
    hold("pass", { status: "completed", verdict: "fail" });
    const { exitCode, stderr } = await report(results, ["--model", "m", "--external-id", "build-7"]);
    expect(exitCode).toBe(8);
    expect(stderr).toBe("The run build-7 was already finished. Nothing was added.\n");
    expect(registry.seen).toHaveLength(1);
  });

  test("that failed before is refused: it has no verdict", async () => {
    hold("pass", { status: "failed" });
    const { exitCode, stderr } = await report(results, ["--model", "m", "--external-id", "build-7"]);
    expect(stderr).toContain("The run run_1 with this --external-id has failed. Nothing was added.");
    expect(exitCode).toBe(5);
    expect(registry.seen).toHaveLength(1);
  });

  test.each<[string, object, string[]]>([
    ["another model", { model: "n" }, []],
    ["another version", { versionNumber: 3 }, ["--prompt", "ada/reply@2"]],
    ["another dataset", { dataset: { id: "dst_2", name: "large" } }, ["--dataset", "smoke"]],
    ["no dataset", { dataset: null }, ["--dataset", "smoke"]],
  ])("whose external id belongs to a run of %s adds nothing", async (_, created, options) => {
    hold("pass", { dataset: null, ...created });
    const { exitCode } = await report(results, ["--model", "m", "--external-id", "build-7", ...options]);
    expect([exitCode, registry.seen.length]).toEqual([6, 1]);
  });

  test.each(["smoke", "dst_1"])("goes on with the run of its dataset, named %s", async (name) => {
    hold("pass", { dataset: { id: "dst_1", name: "smoke" } });
    const { exitCode } = await report(results, [
      "--model",
      "m",
      "--external-id",
      "build-7",
      "--dataset",
      name,
    ]);
    expect([exitCode, registry.seen.length]).toEqual([0, 3]);
  });

  test("of a file that changes meanwhile is left unfinished", async () => {
    hold("pass");
    const file = join(await mkdtemp(join(tmpdir(), "promptreg-report-")), "results.json");
    await writeFile(file, JSON.stringify(results));
    registry.answer("POST /evals/runs", () => {
      writeFileSync(file, JSON.stringify([...results, { caseKey: "late", status: "soon" }]));
      return { status: 201, json: run({ summary: { ...summary, total: 0 } }) };
    });
    const args = ["eval", "report", file, "--prompt", "ada/reply@2", "--model", "m"];
    expect(await registry.cli(args)).toMatchObject({
      exitCode: 6,
      stderr: expect.stringContaining("The results changed while they were reported."),
    });
    expect(bodies("/evals/runs/run_1")).toEqual([]);
  });

  test("that is interrupted sends nothing more and exits with 130", async () => {
    hold("pass");
    const args = ["eval", "report", "-", "--prompt", "ada/reply@2", "--model", "m"];
    const stopped = await registry.cli(args, {
      stdin: JSON.stringify(results),
      interrupt: AbortSignal.abort(),
    });
    expect(stopped).toMatchObject({
      exitCode: 130,
      stderr: expect.stringContaining("Stopped. The run run_1 is unfinished: 0 of 2 results reported."),
    });
    expect(bodies("/evals/runs/run_1")).toEqual([]);
  });

  test("that breaks off says how to go on", async () => {
    hold("pass");
    registry.answer("POST /evals/runs/run_1/results", refusal(413, "payload_too_large"));
    const { exitCode, stderr } = await report(results, ["--model", "m"]);
    expect(exitCode).toBe(6);
    expect(stderr).toContain("The run run_1 is unfinished: 0 of 2 results reported. With --external-id, a");
  });
});

describe("what looks like a secret", () => {
  // Put together here, so that nothing which looks like one stands in this file.
  const secret = ["ghp", "q7Rk2mXv9TzL4wBn8sHd3jYc6gPf1aUe5oKi"].join("_");
  const leaky = [
    { caseKey: "refund", status: "passed", output: `Use ${secret}` },
    { caseKey: "anger", status: "failed", error: `401 for ${secret}`, output: "Sorry" },
    {
      caseKey: `token=${secret}`,
      status: "failed",
      assertions: [{ type: "a", passed: false, reason: secret }],
    },
    { caseKey: "late", status: "passed", output: "Soon" },
  ];
  const note = "[left out: looks like a secret (github token)]";

  test("is left out of what is sent and printed, and named by its case", async () => {
    hold("fail");
    const { exitCode, stdout, stderr } = await report(leaky, ["--model", "m"]);
    expect(stderr).toBe(
      `3 results hold what looks like secrets: refund (github token), anger (github token), ${note} 88428b4b4449 (github token). These texts are left out. --allow-secrets sends them.\n`,
    );
    expect(stdout).toContain(`failed     anger  ${note}\n`);
    expect(stdout).not.toContain(secret);
    expect(bodies("/evals/runs/run_1/results")).toMatchObject([
      {
        results: [
          { caseKey: "refund", output: note },
          { caseKey: "anger", error: note, output: "Sorry" },
          { caseKey: `${note} 88428b4b4449`, assertions: [{ type: "a", passed: false, reason: note }] },
          leaky[3],
        ],
      },
    ]);
    expect(exitCode).toBe(8);
  });

  test("is sent with --allow-secrets", async () => {
    hold("pass");
    const { stderr } = await report(leaky, ["--model", "m", "--allow-secrets"]);
    expect(bodies("/evals/runs/run_1/results")).toMatchObject([{ results: leaky }]);
    expect(stderr).toBe("");
  });

  test("is named of the first cases alone", async () => {
    hold("pass");
    const many = Array.from({ length: 7 }, (_, index) => ({ ...leaky[0], caseKey: `case-${index}` }));
    const { stderr } = await report(many, ["--model", "m"]);
    expect(stderr).toMatch(/^7 results .+, case-4 \(github token\) and 2 more\. These texts/);
  });
});

describe("while the server asks to wait, a report", () => {
  const busy = () => {
    hold("pass");
    let isBusy = true;
    return async (...[url, init]: Parameters<typeof fetch>) => {
      const { pathname } = new URL(new Request(url).url);
      if (!isBusy || !pathname.endsWith("/results")) return fetch(url, init);
      isBusy = false;
      return new Response("", { status: 429, headers: { "retry-after": "2" } });
    };
  };
  const wait = (options: string[], around: object) =>
    registry.cli(["eval", "report", "-", "--prompt", "ada/reply@2", "--model", "m", ...options], {
      stdin: JSON.stringify(results),
      fetch: busy(),
      ...around,
    });

  test("shows on a terminal how far it came and how long it waits, and takes that away", {
    tags: "long",
  }, async () => {
    const { stderr, exitCode } = await wait([], { isTTY: true, columns: 80 });
    expect(stderr).toMatch(/0 of 2 results reported; the server asks to wait 1 second/);
    expect(stderr.endsWith("\r\u001b[2K")).toBe(true);
    expect(exitCode).toBe(0);
    expect(bodies("/evals/runs/run_1/results")).toHaveLength(1);
  });

  test("says it once in a pipe", { tags: "long" }, async () => {
    const { stderr } = await wait([], {});
    expect(stderr).toBe("The server asks to wait 2 seconds.\n");
  });
});

describe("a report that takes long", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
  afterEach(() => void vi.useRealTimers());

  const takeLong = (options: string[], around: object) => {
    hold("pass");
    return registry.cli(["eval", "report", "-", "--prompt", "ada/reply@2", "--model", "m", ...options], {
      stdin: JSON.stringify(results),
      fetch: async (...request) => {
        if (new URL(new Request(...request).url).pathname.endsWith("/results"))
          vi.advanceTimersByTime(25_000);
        return fetch(...request);
      },
      ...around,
    });
  };

  test.each([
    ["in a pipe", {}],
    ["in CI that has a terminal", { isTTY: true, env: { CI: "true" } }],
  ])("adds a line every ten seconds %s", async (_, around) => {
    expect((await takeLong([], around)).stderr).toBe("0 of 2 results reported\n".repeat(2));
  });

  test("adds none with --json, since programs read it", async () => {
    expect((await takeLong(["--json"], {})).stderr).toBe("");
  });
});

describe("files of other tools", () => {
  const fixture = (name: string) => join(import.meta.dirname, "../src/evals/readers/fixtures", name);
  const reportFiles = (names: readonly string[], options: readonly string[] = []) =>
    registry.cli(["eval", "report", ...names.map(fixture), "--prompt", "ada/reply@3", ...options]);

  test("name the model, and say why a case failed", async () => {
    hold("fail");
    const { exitCode, stdout } = await reportFiles(["promptfoo.json"]);
    expect(bodies("/evals/runs")).toMatchObject([{ model: "fake", versionNumber: 3 }]);
    expect(stdout).toContain('question=Where is my parcel?  contains: Expected output to contain "sorry"');
    expect(stdout).toContain("errored    Breaks · question=please break  The provider answered with 500.");
    expect(exitCode).toBe(8);
  });

  test("are one run together", async () => {
    hold("pass");
    await reportFiles(["vitest.junit.xml", "evalite.json"], ["--model", "m", "--pass-score", "0"]);
    const [{ results: sent }] = bodies("/evals/runs/run_1/results") as [{ results: { index: number }[] }];
    expect(sent.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(sent[8]).toMatchObject({ caseKey: "Replies · Where is my parcel?", status: "passed" });
  });

  test.each([
    [["promptfoo-several.jsonl"], [], 6, "They are several runs: choose one with --pro"],
    [["vitest.json"], ["--provider", "fake"], 2, "choose one of the runs that a file of promptfoo holds"],
    [["promptfoo.json", "inspect.json"], [], 2, "several models, such as fake and openai/gpt-4.1-mini"],
    [["evalite.json", "evalite.json"], [], 2, "evalite.json is named twice"],
    [["README.md"], [], 6, 'It begins with "# Files of results that tools wrote'],
    [["."], [], 6, "cannot be read: it is a folder, not a file"],
  ])("%j with %j are refused before a run is made", async (names, options, code, reason) => {
    const { exitCode, stderr } = await reportFiles(names, options);
    expect(stderr).toContain(reason);
    expect({ exitCode, seen: registry.seen }).toEqual({ exitCode: code, seen: [] });
  });
});

describe("a file of results", () => {
  test.each([
    ["", "contains no results"],
    ["nonsense", 'not recognised as results. It begins with "nonsense"'],
    ['{"caseKey": "a", "status": "passed"}\n{', "line 2"],
    ["3", 'not recognised as results. It begins with "3"'],
    [[], "contains no results"],
    [{ results: [results[0], 3] }, "results.1: must be an object"],
    [{ results: 3 }, "Promptreg's own JSON and JSON Lines (each result has caseKey and status)"],
    [{ results, treshold: 1 }, "treshold; only model, threshold and results are allowed"],
    [{ results, threshold: 80 }, "threshold must be a number from 0 to 1"],
    [[{ caseKey: "a", status: "ok" }], "results.0.status: must be one of"],
    [[null], "not recognised as results"],
    [[results[0], results[0]], "results.1: the same case and attempt as results.0"],
    [[{ ...results[0], __proto__: null, extra: 1 }], "must not have extra"],
  ])("that is %j is refused before a run is made", async (content, reason) => {
    const { exitCode, stderr } = await report(content, ["--model", "m"]);
    expect(stderr).toContain(reason);
    expect({ exitCode, seen: registry.seen }).toEqual({ exitCode: 6, seen: [] });
  });

  test("names the first twenty results that are wrong, and how many there are", async () => {
    const { stderr } = await report(
      Array.from({ length: 21 }, (_, index) => ({ caseKey: `case-${index}`, status: "ok" })),
      ["--model", "m"],
    );
    expect(stderr).toContain("21 of 21 results cannot be reported");
    expect(stderr.match(/results\.\d+\.status/g)).toHaveLength(20);
  });

  test("holds at most a thousand attempts of a case", async () => {
    hold("pass");
    const attempts = (count: number) =>
      `<testsuite name="s">${'<testcase name="one"/>'.repeat(count)}</testsuite>`;
    expect((await report(attempts(1000), ["--model", "m"])).exitCode).toBe(0);
    expect(await report(attempts(1001), ["--model", "m"])).toMatchObject({
      exitCode: 6,
      stderr: expect.stringContaining("more than 1000 attempts of one case"),
    });
  });

  test("that names no model needs --model", async () => {
    const { exitCode, stderr } = await report(results);
    expect(stderr).toContain("Name the model: --model, or model in the file.");
    expect(exitCode).toBe(2);
  });

  test("that is not there is named", async () => {
    const { exitCode, stderr } = await registry.cli(["eval", "report", "/no/such.json", "--prompt", "a/b@1"]);
    expect(stderr).toBe("error: /no/such.json does not exist.\n");
    expect(exitCode).toBe(6);
  });
});
