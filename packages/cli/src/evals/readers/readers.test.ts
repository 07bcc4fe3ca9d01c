import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ResultInput } from "@promptreg/core";
import { describe, expect, test } from "vitest";
import { checkResults, readResults } from "../results.ts";
import { type ResultFile, withFiles } from "./files.ts";
import type { ReadOptions } from "./reader.ts";

const nothing = (async function* () {})();

/** Everything that some files say. */
async function readAll(files: readonly ResultFile[], options: Partial<ReadOptions> = {}) {
  const all = { passScore: 0.5, ...options };
  const report = await checkResults(files, all);
  const results: ResultInput[] = [];
  for await (const result of readResults(files, all, new Map())) results.push(result);
  return { ...report, results, brief: results.map(brief) };
}
const brief = ({ caseKey, attempt, status }: ResultInput) =>
  `${status}: ${caseKey}${attempt === undefined ? "" : ` (${attempt})`}`;
const read = (names: readonly string[], options?: Partial<ReadOptions>) =>
  withFiles(
    names.map((name) => join(import.meta.dirname, "fixtures", name)),
    nothing,
    (files) => readAll(files, options),
  );
const readText = (text: string) =>
  readAll([
    {
      name: "results",
      async *bytes() {
        yield Buffer.from(text);
      },
    },
  ]);

const ask = "Answer politely: {{question}}";

test("a pipe is read as a file is, as a shell makes one of a command", async () => {
  const folder = await mkdtemp(join(tmpdir(), "promptreg-pipe-"));
  const pipe = join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  const writing = writeFile(pipe, '{"caseKey": "a", "status": "passed"}\n');
  const { brief } = await withFiles([pipe], nothing, (files) => readAll(files));
  await writing;
  expect(brief).toEqual(["passed: a"]);
  await rm(folder, { recursive: true });
});

describe("promptfoo", () => {
  test("keeps a case that broke apart from one that failed", async () => {
    const { models, brief, results } = await read(["promptfoo.json"]);
    expect(models).toEqual(["fake"]);
    expect(brief.toSorted()).toEqual([
      "errored: Breaks · question=please break",
      "failed: lang=en, question=Where is my parcel?",
      "passed: No assertion · question=Hello",
      "passed: Refund · question=Where is my money?",
    ]);
    expect(results.find(({ status }) => status === "errored")).toMatchObject({
      error: "The provider answered with 500.",
    });
    expect(results.find(({ caseKey }) => caseKey.startsWith("Refund"))).toMatchObject({
      score: 1,
      output: "Echo: Answer politely: Where is my money?",
      assertions: [
        { type: "contains", passed: true, score: 1, reason: "Assertion passed" },
        { type: "tone", passed: true, score: 1, reason: "Assertion passed" },
      ],
      latencyMs: expect.any(Number),
      inputTokens: 20,
      outputTokens: 10,
      costUsd: 0.0001,
    });
  });

  test("names no case by its row in a CSV, which changes when a row is added", async () => {
    const row = (description: string) =>
      JSON.stringify({
        promptIdx: 0,
        testIdx: 0,
        provider: { id: "fake" },
        testCase: { description },
        vars: { question: "Hello" },
        success: true,
      });
    expect((await readText(row("Row #12"))).brief).toEqual(["passed: question=Hello"]);
    expect((await readText(row("Row #12 of my table"))).brief).toEqual([
      "passed: Row #12 of my table · question=Hello",
    ]);
  });

  test("with several providers or prompts needs the choice of one, and reads its repeats as attempts", async () => {
    const several = ["promptfoo-several.jsonl"];
    await expect(read(several)).rejects.toThrow("They are several runs: choose one with --p");
    await expect(read(several, { promptLabel: ask })).rejects.toThrow(
      /several providers, such as "(echo|fake)" and "(echo|fake)".+ --provider/,
    );
    await expect(read(several, { provider: "fake" })).rejects.toThrow(/several prompts.+ --prompt-label/);
    await expect(read(several, { provider: "gpt" })).rejects.toThrow(/holds no such run.+--provider "echo"/);
    const { brief } = await read(several, { provider: "fake", promptLabel: ask });
    expect(brief.toSorted()).toEqual([
      "errored: Breaks · question=please break",
      "errored: Breaks · question=please break (2)",
      "failed: lang=en, question=Where is my parcel?",
      "failed: lang=en, question=Where is my parcel? (2)",
      "passed: Refund · question=Where is my money?",
      "passed: Refund · question=Where is my money? (2)",
    ]);
  });

  test("of 2023 is read too", async () => {
    const { models, brief, results } = await read(["promptfoo-2023.json"]);
    expect(models).toEqual(["fake"]);
    expect(brief.toSorted()).toEqual([
      "errored: question=please break",
      "failed: lang=en, question=Where is my parcel?",
      "passed: question=Hello",
      "passed: question=Where is my money?",
    ]);
    expect(results.find(({ status }) => status === "failed")?.assertions).toMatchObject([
      { type: "contains", passed: false, reason: 'Expected output to contain "sorry"' },
    ]);
  });

  const early = (question: string, rest: object, display = "Answer: {{question}}") => ({
    prompt: { raw: `Answer: ${question}`, display },
    vars: { question },
    success: false,
    ...rest,
  });
  const earlyResults = [
    early("Hello", { response: { output: "Hi" }, success: true }),
    early("Late?", { response: { output: "No" }, error: "Expected output to contain sorry" }),
    early("Broken?", { error: "API call error" }),
  ];
  test.each([
    ["without gradings", { results: { version: 1, results: earlyResults, table: {}, stats: {} } }],
    ["without a summary around them", { results: earlyResults, stats: {}, table: [["Prompt", "Output"]] }],
  ])("reads its first files, %s", async (_, file) => {
    const { models, brief, results } = await readText(JSON.stringify(file));
    expect(models).toEqual([]);
    expect(brief).toEqual(["passed: question=Hello", "failed: question=Late?", "errored: question=Broken?"]);
    expect(results[1]?.assertions).toEqual([
      { type: "assertion", passed: false, reason: "Expected output to contain sorry" },
    ]);
  });

  test("tells the prompts of its first files apart by their templates", async () => {
    const results = [early("Hello", {}), early("Hello", {}, "Say: {{question}}")];
    await expect(readText(JSON.stringify({ results }))).rejects.toThrow(
      'several prompts, such as "Answer: {{question}}" and "Say: {{question}}"',
    );
  });

  test("is the only one whose runs are chosen", async () => {
    await expect(read(["vitest.json"], { provider: "fake" })).rejects.toThrow(
      /choose one of the runs that a file of promptfoo holds. .+ is read as Vitest or Jest JSON/,
    );
  });
});

test("promptfoo fails a test whose assertions passed, if its score is too low, and says so", async () => {
  const score = "Aggregate score 0.58 < 0.9 threshold";
  const { results } = await readText(
    JSON.stringify({
      promptIdx: 0,
      testIdx: 0,
      vars: { a: 1 },
      success: false,
      score: 0.58,
      failureReason: 1,
      error: score,
      gradingResult: {
        pass: false,
        reason: score,
        componentResults: [{ pass: true, score: 1, assertion: { type: "contains" } }],
      },
    }),
  );
  expect(results).toMatchObject([
    {
      status: "failed",
      assertions: [
        { type: "contains", passed: true },
        { type: "threshold", passed: false, reason: score },
      ],
    },
  ]);
});

describe("test runners:", () => {
  test("a file of tests that failed although none of them did is an error of its own", async () => {
    const suite = { name: "/a.test.js", status: "failed", message: "boom" };
    const of = (...statuses: string[]) =>
      readText(
        JSON.stringify({
          numTotalTests: 2,
          testResults: [
            { ...suite, assertionResults: statuses.map((status) => ({ title: status, status })) },
          ],
        }),
      );
    const { brief, results } = await of("passed", "skipped");
    expect(brief).toEqual([
      "passed: a.test.js > passed",
      "skipped: a.test.js > skipped",
      "errored: a.test.js",
    ]);
    expect(results[2]?.error).toBe("boom");
    expect((await of("passed", "failed")).brief).toHaveLength(2);
  });

  test("JUnit XML of Vitest", async () => {
    const { brief, results } = await read(["vitest.junit.xml"]);
    expect(brief).toEqual([
      "failed: v/broken.test.ts",
      "passed: v/replies.test.ts > replies > names the money",
      "failed: v/replies.test.ts > replies > is sorry",
      "skipped: v/replies.test.ts > replies > is short",
      "skipped: v/replies.test.ts > replies > is kind",
      "passed: v/replies.test.ts > replies > same name",
      "failed: v/replies.test.ts > replies > same name (2)",
    ]);
    expect(results[2]?.assertions).toEqual([
      {
        type: "AssertionError",
        passed: false,
        reason: "expected 'Where is my parcel?' to contain 'sorry'",
      },
    ]);
  });

  test("JUnit XML of promptfoo", async () => {
    const { brief, results } = await read(["promptfoo.junit.xml"]);
    expect(brief).toEqual([
      "passed: [fake] prompt 1 > test 1: Refund",
      "failed: [fake] prompt 1 > test 2",
      "errored: [fake] prompt 1 > test 3: Breaks",
      "passed: [fake] prompt 1 > test 4: No assertion",
    ]);
    expect(results[2]?.error).toBe("Evaluation error");
  });

  test("Vitest's JSON, where a file that cannot be loaded is an error", async () => {
    const { brief, results } = await read(["vitest.json"]);
    expect(brief).toEqual([
      "errored: broken.test.ts",
      "passed: replies.test.ts > replies > names the money",
      "failed: replies.test.ts > replies > is sorry",
      "skipped: replies.test.ts > replies > is short",
      "skipped: replies.test.ts > replies > is kind",
      "passed: replies.test.ts > replies > same name",
      "failed: replies.test.ts > replies > same name (2)",
    ]);
    expect(results[0]?.error).toBe("cannot be loaded");
    expect(results[2]?.assertions?.[0]?.reason).toMatch(/^AssertionError: expected 'Where is my parcel\?'/);
  });
});

describe("tools that give scores:", () => {
  test("evalite passes a case from --pass-score on", async () => {
    const { brief, results } = await read(["evalite.json"]);
    expect(brief).toEqual([
      "passed: Replies · Where is my money?",
      "failed: Replies · Where is my parcel?",
      "errored: Replies · please break",
    ]);
    expect(results[2]).toMatchObject({ error: "The model was busy." });
    const { brief: lenient } = await read(["evalite.json"], { passScore: 0 });
    expect(lenient[1]).toMatch(/^passed/);
  });

  test("deepeval, where a metric that broke is no verdict", async () => {
    const { brief, results } = await read(["deepeval.json"]);
    expect(brief).toEqual([
      "passed: Where is my money?",
      "failed: test_reply[parcel] · Where is my parcel?",
      "errored: Hello",
      "passed: A customer asks twice.",
    ]);
    expect(results[0]).toMatchObject({ score: 0.9, latencyMs: 1250, inputTokens: 20, costUsd: 0.0002 });
    expect(results[2]?.error).toBe("Answer Relevancy: Timed out after 30 s");
    expect(results[3]?.output).toBe("Here I am.");
  });

  test("Inspect AI, with its epochs as attempts", async () => {
    const { models, brief, results } = await read(["inspect.json"]);
    expect(models).toEqual(["openai/gpt-4.1-mini"]);
    expect(brief).toEqual(["passed: 1 (1)", "failed: 1 (2)", "errored: parcel (1)", "skipped: parcel (2)"]);
    expect(results[1]).toMatchObject({
      output: "On its way.",
      assertions: [{ type: "match" }, { type: "style.polite" }, { type: "style.short", score: 0.25 }],
    });
    await expect(read(["inspect.json", "inspect.json"])).rejects.toThrow("4 of 8 results cannot be reported");
  });

  test("OpenAI evals, where a sample without a verdict is an error", async () => {
    const { models, brief, results } = await read(["openai-evals.jsonl"]);
    expect(models).toEqual(["gpt-4.1-mini"]);
    expect(brief).toEqual([
      "passed: replies.dev.0",
      "failed: replies.dev.1",
      "passed: replies.dev.3",
      "errored: replies.dev.2",
    ]);
    expect(results[1]).toMatchObject({ output: "No idea.", assertions: [{ reason: "expected sorry" }] });
  });

  test("Braintrust, by the rows of cases and not of their steps", async () => {
    const { brief, results } = await read(["braintrust.json"]);
    expect(brief).toEqual([
      "passed: question=Where is my money?",
      "failed: question=Where is my parcel?",
      "errored: question=please break",
    ]);
    expect(results[0]).toMatchObject({ score: 0.875, latencyMs: 1500, outputTokens: 8, costUsd: 0.0002 });
  });

  test("Langfuse, by the items of its experiments", async () => {
    const { brief, results } = await read(["langfuse.json"]);
    expect(brief).toEqual(["passed: money", "failed: parcel", "errored: breaks"]);
    expect(results[0]).toMatchObject({ score: 0.875, latencyMs: 1500 });
  });
});

describe("a result that says almost nothing", () => {
  test.each([
    [
      "deepeval",
      { testCases: [{ metricsData: [{ error: "x" }] }, { metricsData: [], name: "test_case_1" }] },
      [
        { index: 0, caseKey: "case", status: "errored", error: "metric: x" },
        { index: 1, caseKey: "test_case_1", status: "skipped" },
      ],
    ],
    [
      "evalite",
      { run: {}, evals: [{ results: [{ scores: [{ score: 1 }] }] }] },
      [
        {
          index: 0,
          caseKey: "case",
          status: "passed",
          score: 1,
          assertions: [{ type: "score", passed: true, score: 1 }],
        },
      ],
    ],
    [
      "Inspect AI",
      { eval: { task: "t", model: "m" }, samples: [{ error: {}, model_usage: { m: {} } }] },
      [
        {
          index: 0,
          caseKey: "sample",
          attempt: 1,
          status: "errored",
          error: "error",
          inputTokens: 0,
          outputTokens: 0,
        },
      ],
    ],
    [
      "Langfuse",
      { itemResults: [{ evaluations: [{ value: 0.25 }] }] },
      [
        {
          index: 0,
          caseKey: "item",
          status: "failed",
          score: 0.25,
          assertions: [{ type: "score", passed: false, score: 0.25 }],
        },
      ],
    ],
    [
      "Braintrust",
      [{ root_span_id: "r", span_id: "r", scores: { one: 1, two: 7 }, metrics: { end: 5 } }],
      [
        {
          index: 0,
          caseKey: "case",
          status: "passed",
          score: 1,
          assertions: [
            { type: "one", passed: true, score: 1 },
            { type: "two", passed: true, score: 7 },
          ],
        },
      ],
    ],
    [
      "OpenAI evals",
      { run_id: "r", event_id: 0, sample_id: "s", type: "error", data: {} },
      [{ index: 0, caseKey: "s", status: "errored", error: "error" }],
    ],
  ])("has a name and a verdict: %s", async (_, file, results) => {
    expect((await readText(JSON.stringify(file))).results).toEqual(results);
  });
});

test.each([
  ["test case of deepeval", '{"testCases":[{"metricsData":[]},3]}'],
  ["result of evalite", '{"run":{},"evals":[{"name":"n","results":[3]}]}'],
  ["sample of Inspect AI", '{"eval":{"task":"t","model":"m"},"samples":[3]}'],
  ["item of a Langfuse experiment", '[{"experimentId":"e","experimentItemId":"i"},3]'],
  ["row of Braintrust", '[{"root_span_id":"r","span_id":"r","scores":{}},3]'],
  ["event of OpenAI evals", '{"run_id":"r","event_id":0,"sample_id":"s"}\n3'],
  ["result of promptfoo", '{"promptIdx":0,"testIdx":0}\n3'],
])("a number is no %s", async (what, text) => {
  await expect(readText(text)).rejects.toThrow(new RegExp(`line \\d: this is not an? ${what}\\.`));
});

test("several experiments of Langfuse are several runs", async () => {
  const items = ["a", "a", "b"].map((experimentId) => ({ experimentId, experimentItemId: "i" }));
  await expect(readText(JSON.stringify(items))).rejects.toThrow("line 1: it holds several experiments.");
  expect((await readText(JSON.stringify(items.slice(0, 2)))).results).toHaveLength(2);
});

test("a file of ours may say a model, or none, and a threshold from 0 to 1", async () => {
  const of = (head: object) =>
    readText(JSON.stringify({ ...head, results: [{ caseKey: "a", status: "passed" }] }));
  expect(await of({ model: "m", threshold: 0 })).toMatchObject({ models: ["m"], brief: ["passed: a"] });
  expect(await of({ model: null, threshold: 1 })).toMatchObject({ models: [], brief: ["passed: a"] });
  await expect(of({ model: 3 })).rejects.toThrow("model must be text.");
  for (const threshold of [-0.1, 1.1, "1", null])
    await expect(of({ threshold })).rejects.toThrow("threshold must be a number from 0 to 1.");
});

test("several files are one run, and the same case in the next file is the next attempt", async () => {
  const { results, brief } = await read(["vitest.json", "promptfoo.junit.xml", "promptfoo.junit.xml"]);
  expect(results.map(({ index }) => index)).toEqual(Array.from({ length: 15 }, (_, index) => index));
  expect(brief.at(-1)).toBe("passed: [fake] prompt 1 > test 4: No assertion (2)");
});
