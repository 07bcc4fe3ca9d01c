import { apiError, type CaseComparison, type ComparedAttempts } from "@promptreg/core";
import {
  changesOf,
  compareTexts,
  hasMetrics,
  type MatchedAttempts,
  matchCases,
  type MatchedCase,
  measure,
  obstacleBetween,
  sumUp,
  verdictOf,
} from "@promptreg/core/evals";
import type { Handler } from "../handler.ts";
import { pageOf } from "../page.ts";
import type { World } from "../world.ts";
import { sizeOfResult } from "./runs.ts";
import { casesByKey, isOpen, isOwnerOf, liveDatasetOf, promptOf, showResult, showRun } from "./show.ts";
import type { StoredResult, StoredRun } from "./stored.ts";

/** Attempts of both runs that a page reads: one of cases with many of them ends early. */
const attemptsOfPage = 10_000;

export const compare: Handler<"evals.compare"> = ({ query, caller, target: a, others: { b }, world }) => {
  const isOwner = isOwnerOf(promptOf(world, a), caller);
  const areItemsVisible = isOwner || (isOpen(world, a) && isOpen(world, b));
  const matched = matchCases(attemptsIn(a), attemptsIn(b));
  const changes = changesOf(query.only);
  const shown = matched.filter(
    ({ change, caseKey }) =>
      areItemsVisible && changes.includes(change) && caseKey === (query.caseKey ?? caseKey),
  );
  const sidesOf = ({ a: ofA, b: ofB }: MatchedCase<StoredResult>) => [ofA, ofB].flatMap((side) => side ?? []);
  const { json: page } = pageOf(shown, {
    list: ["evals.compare"],
    query,
    keyOf: ({ caseKey }) => caseKey,
    isAfter: ({ caseKey }, key) => query.caseKey !== undefined || compareTexts(caseKey, key) > 0,
    bounds: [
      { of: (one) => sum(sidesOf(one), ({ results }) => results.at(-1)!.attempt), most: attemptsOfPage },
      { of: (one) => sum(sidesOf(one), ({ results }) => sizeOfResult(worstOf(results))) },
    ],
    show: showCases(world, { a, b }),
  });
  if (a.promptId !== b.promptId) throw apiError("runs_not_comparable");
  const first =
    query.cursor === undefined ? judge({ a, b, matched }, { areItemsVisible, maxDrop: query.maxDrop }) : none;
  const [runA, runB] = [showRun(world, a, { isOwner }), showRun(world, b, { isOwner })];
  return { status: 200, json: { a: runA, b: runB, ...first, areItemsVisible, ...page } };
};

const none = { summary: null, verdict: null };

/** The results of a run, the attempts of a case in their order. */
const attemptsIn = ({ results }: StoredRun): StoredResult[] =>
  [...results.values()].sort((one, other) => one.attempt - other.attempt);

const sum = <T>(items: readonly T[], of: (item: T) => number) =>
  items.reduce((all, item) => all + of(item), 0);

/** What is shown on the first page alone. */
function judge(
  { a, b, matched }: { a: StoredRun; b: StoredRun; matched: MatchedCase<StoredResult>[] },
  { areItemsVisible, maxDrop }: { areItemsVisible: boolean; maxDrop: number | undefined },
) {
  const all = [...a.results.values(), ...(a.id === b.id ? [] : b.results.values())];
  const size = {
    results: a.results.size + b.results.size,
    assertions: sum(all, ({ assertions }) => assertions.length),
  };
  const figures = measure(sumUp(matched, { hasMetrics: hasMetrics(size) }));
  // The names of metrics come from the results.
  const shown = areItemsVisible ? figures : { ...figures, metrics: null };
  const obstacle = obstacleBetween({ a: asCompared(a), b: asCompared(b) });
  return { summary: figures.changes, verdict: verdictOf(shown, { obstacle, maxDrop }) };
}

const asCompared = ({ id, status, dataset }: StoredRun) => ({
  id,
  status,
  datasetId: dataset?.id ?? null,
  datasetRevision: dataset?.revision ?? null,
});

function showCases(world: World, { a, b }: { a: StoredRun; b: StoredRun }) {
  const sides = { a: sideOf(world, a), b: sideOf(world, b) };
  return (one: MatchedCase<StoredResult>): CaseComparison => ({
    caseKey: one.caseKey,
    change: one.change,
    a: one.a && sides.a(one.a),
    b: one.b && sides.b(one.b),
  });
}

function sideOf(world: World, run: StoredRun) {
  const cases = casesByKey(liveDatasetOf(world, run));
  return ({ attempts, passRate, score, results }: MatchedAttempts<StoredResult>): ComparedAttempts => ({
    attempts,
    passRate,
    score,
    result: showResult(worstOf(results), cases),
  });
}

const badness = ["failed", "errored", "passed", "skipped"];
/** The attempt that says most about what is wrong. */
const worstOf = (results: readonly StoredResult[]): StoredResult =>
  results.toSorted((one, other) => badness.indexOf(one.status) - badness.indexOf(other.status))[0]!;
