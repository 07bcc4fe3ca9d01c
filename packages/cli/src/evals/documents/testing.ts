import type { Change, Result, Run, VersionScore } from "@promptreg/core";
import { type MatchedRuns, maxDifferences, measure, verdictOf } from "@promptreg/core/evals";
import type { DocumentCase, DocumentSide, EvalDocument } from "./document.ts";
import { changeWords, orderOf } from "./words.ts";

/** A result, as the registry gives it. */
export const resultOf = (fields: Partial<Result>): Result => ({
  id: "res_1",
  index: 0,
  caseId: null,
  caseKey: "refund",
  attempt: 1,
  status: "passed",
  score: null,
  output: null,
  outputTruncated: false,
  assertions: [],
  latencyMs: null,
  inputTokens: null,
  outputTokens: null,
  costUsd: null,
  error: null,
  weight: 1,
  ...fields,
});

/** One attempt of a case. */
export function sideOf(fields: Partial<Result>): DocumentSide {
  const result = resultOf(fields);
  const counts = result.status === "passed" || result.status === "failed";
  return {
    attempts: Number(counts),
    passRate: counts ? Number(result.status === "passed") : null,
    score: result.score,
    result,
    cut: 0,
  };
}

/** A run of `ada/support-reply`, with the totals of its results. */
export function runOf(
  versionNumber: number,
  sides: readonly (DocumentSide | null)[],
  fields: Partial<Run> = {},
): Run {
  const results = sides.flatMap((side) => (side === null ? [] : [side.result]));
  const count = (status: Result["status"]) => results.filter((one) => one.status === status).length;
  const scores = results.flatMap(({ score }) => (score === null ? [] : [score]));
  const [passed, failed, errored, skipped] = [
    count("passed"),
    count("failed"),
    count("errored"),
    count("skipped"),
  ];
  const counted = passed + failed + errored;
  const passRate = counted === 0 ? null : passed / counted;
  const threshold = 0.8;
  return {
    id: `run_01k000000000000000000000${String(versionNumber).padStart(2, "0")}`,
    prompt: { ref: "ada/support-reply" },
    versionNumber,
    dataset: { id: "eds_01k00000000000000000000000", name: "Support questions", revision: 7 },
    model: "gpt-5-mini",
    modelId: null,
    params: {},
    status: "completed",
    verdict: passRate === null ? null : passRate >= threshold ? "pass" : "fail",
    verdictSource: passRate === null ? null : "computed",
    pinned: false,
    threshold,
    summary: {
      total: results.length,
      passed,
      failed,
      errored,
      skipped,
      cases: new Set(results.filter(({ status }) => status !== "skipped").map(({ caseKey }) => caseKey)).size,
      passRate,
      score: scores.length === 0 ? null : scores.reduce((sum, score) => sum + score) / scores.length,
      latencyMsP50: 840 + 60 * versionNumber,
      latencyMsP95: 2100 + 180 * versionNumber,
      inputTokens: 61_240,
      outputTokens: 30_400 + 2100 * versionNumber,
      costUsd: 0.0412 + 0.003 * versionNumber,
    },
    error: null,
    source: {
      provider: "github-actions",
      url: "https://github.com/ada/support/actions/runs/9412",
      commit: "3f2c9e1b7a60",
      branch: "shorter-replies",
      tool: "promptreg",
    },
    externalId: null,
    createdBy: null,
    createdAt: "2026-11-20T09:12:00.000Z",
    finishedAt: "2026-11-20T09:14:00.000Z",
    ...fields,
  };
}

type Case = Pick<DocumentCase, "caseKey" | "before" | "now">;

/** The document of version 8, compared with version 7, with the verdict of the registry. Every case has one attempt. */
export function documentOf(given: readonly Case[], fields: Partial<EvalDocument> = {}): EvalDocument {
  const cases = given.map((one) => ({ ...one, change: changeOf(one) }));
  const count = (change: string) => cases.filter((one) => one.change === change).length;
  const summary = Object.fromEntries(Object.keys(changeWords).map((change) => [change, count(change)]));
  const run = runOf(
    8,
    cases.map(({ now }) => now),
  );
  return {
    run,
    uncompared: null,
    comparison: {
      before: runOf(
        7,
        cases.map(({ before }) => before),
      ),
      summary: summary as MatchedRuns["changes"],
      verdict: verdictOf(
        measure({
          changes: summary as MatchedRuns["changes"],
          erroredInB: 0,
          missingWeight: 0,
          unequalAttempts: 0,
          passRate: sampleOf(cases, ({ passRate }) => passRate),
          score: sampleOf(cases, ({ score }) => score),
          metrics: metricsOf(cases),
        }),
      ),
    },
    cases: cases.sort((one, other) => orderOf(one) - orderOf(other)),
    unread: 0,
    areCasesVisible: true,
    scores: scoresUpTo(run),
    ...fields,
  };
}

function changeOf({ before, now }: Case): Change {
  if (before === null) return "onlyB";
  if (now === null) return "onlyA";
  if (before.passRate === null || now.passRate === null) return "errored";
  if (before.passRate !== now.passRate) return now.passRate > before.passRate ? "fixed" : "broken";
  return now.passRate === 1 ? "samePass" : "sameFail";
}

function sampleOf(cases: readonly Case[], valueOf: (side: DocumentSide) => number | null) {
  const pairs = cases.flatMap(({ before, now }) => {
    const [a, b] = [before && valueOf(before), now && valueOf(now)];
    return a === null || b === null ? [] : [{ a, b }];
  });
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const differences = pairs.map(({ a, b }) => b - a);
  const squares = sum(differences.map((difference) => difference ** 2));
  const values = differences
    .filter((difference) => pairs.length <= maxDifferences || difference !== 0)
    .map((difference) => ({ difference, weight: 1 }));
  return {
    pairs: pairs.length,
    a: sum(pairs.map(({ a }) => a)),
    b: sum(pairs.map(({ b }) => b)),
    fell: differences.filter((difference) => difference < 0).length,
    rose: differences.filter((difference) => difference > 0).length,
    isWhole: differences.every(Number.isInteger),
    lightest: 1,
    heaviest: 1,
    weight: pairs.length,
    weightSquares: pairs.length,
    sum: sum(differences),
    squares,
    weightedSum: sum(differences),
    weightedSquares: squares,
    values: values.length > maxDifferences ? null : values,
  };
}

function metricsOf(cases: readonly Case[]) {
  const scoreIn = (name: string) => (side: DocumentSide) =>
    side.result.assertions.find(({ type }) => type === name)?.score ?? null;
  const names = cases.flatMap(({ now }) => now?.result.assertions.map(({ type }) => type) ?? []);
  return [...new Set(names)].slice(0, 20).map((name) => ({ name, ...sampleOf(cases, scoreIn(name)) }));
}

const rates = [0.71, 0.74, 0.735, 0.79, 0.82, 0.865, 0.885];

const scoresUpTo = ({ id, summary, model, dataset, finishedAt }: Run): VersionScore[] =>
  [...rates, summary.passRate].map((passRate, at) => ({
    versionNumber: at + 1,
    model,
    dataset,
    runId: id,
    verdict: "pass",
    cases: 40,
    passRate,
    score: passRate === null ? null : passRate - 0.06 + 0.01 * (at % 3),
    finishedAt: finishedAt ?? "",
    pinnedRunId: null,
    trend: null,
  }));

/** Texts that a model or a stranger can write, which must be seen as they are, and do nothing. */
export const hostileTexts: readonly string[] = [
  "<script>document.title='owned'</script>",
  "</script><script>document.title='owned'</script>",
  "</pre></td></tr></table><img src=x onerror=\"document.title='owned'\">",
  '" onmouseover="document.title=\'owned\'" data-x="',
  "<!-- ]]> --> &lt;script&gt; &amp;",
  "--><b>out</b><!--",
  "\u0000\u0001\u001b[2J\u0007\u009b31m\u007f",
  "\u202eright to left\u202c \u2066isolated \u2028line \u2029paragraph",
  "lone \ud800 and \udc00 and \ufffe\uffff",
  "| a | b |\n|---|---|\n\\| `code` ``more`` \\",
  "[link](https://evil.example) ![image](https://evil.example/x.png) <https://evil.example>",
  "https://evil.example www.evil.example mail@evil.example",
  "@ada @ada/team #12 GH-12 ada/support#12 3f2c9e1b7a60d4f0a1b2c3d4e5f60718293a4b5c",
  "# heading\n- list\n> quote\n***\n```\nfence\n~~~",
  "</details></summary>",
];

/** A case for each hostile text, which stands in its key, its output, its error and its assertions. */
export const hostileCases = (): Pick<DocumentCase, "caseKey" | "before" | "now">[] =>
  hostileTexts.map((text, at) => {
    const caseKey = `${at}: ${text}`;
    const assertions = [{ type: text, passed: false, score: 0.5, reason: text }];
    return {
      caseKey,
      before: sideOf({
        caseKey,
        output: `${text} before`,
        score: 0.9,
        assertions: [{ ...assertions[0]!, score: 0.7 }],
      }),
      now: sideOf({
        caseKey,
        status: "failed",
        output: `${text} now`,
        error: at % 2 ? text : null,
        score: 0.2,
        assertions,
      }),
    };
  });
