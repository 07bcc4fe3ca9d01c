import type { Change } from "@promptreg/core";
import {
  allChanges,
  hasMetrics,
  type MatchedRuns,
  maxDifferences,
  maxMetrics,
  type MeasuredRuns,
  measure,
  methodNumber,
  noChanges,
  type Sample,
} from "@promptreg/core/evals";
import postgres from "postgres";
import type { Fragment, Sql } from "../../database/sql.ts";
import type { ServerContext } from "../../kernel/server-context.ts";
import { Turns } from "../../kernel/http/turns.ts";
import {
  beginning,
  countAssertions,
  type Figures,
  givenKeys,
  type KeyRange,
  nextKeys,
  type RunPair,
  selectEndOfRange,
  selectFigures,
  selectKeys,
  selectMetrics,
} from "./compare.sql.ts";
import {
  bounds,
  insertComparison,
  storeFigures,
  pruneComparisons,
  selectStoredFigures,
  selectStoredKeys,
} from "./comparisons.sql.ts";
import type { RunRow } from "./target.ts";

/** Results of each run that a statement reads: with more it could take longer than a statement may. */
const resultsOfRange = 100_000;

/** Each takes a connection for as long as it takes. Whoever waits is not refused: the work is bounded. */
const turns = new Turns(3, 2 ** 31 - 1);
/** What is computed now, by the runs. */
const underWay = new Map<string, Promise<MeasuredRuns>>();

/** Two runs of a prompt. */
export interface Compared {
  a: RunRow;
  b: RunRow;
}

export const idsOf = ({ a, b }: Compared): RunPair => ({ a: a.id, b: b.id });
const storedKeyOf = (runs: Compared) => ({ ...idsOf(runs), method: methodNumber });

/** Runs that have ended do not change, so what they come to is stored. */
const isFinal = ({ a, b }: Compared): boolean => a.status !== "running" && b.status !== "running";

/** What two runs come to. It is computed once, and by one of those who ask at the same time. */
export async function figuresOf(server: ServerContext, runs: Compared): Promise<MeasuredRuns> {
  const stored = isFinal(runs) ? await selectStoredFigures(server.sql, storedKeyOf(runs)) : null;
  if (stored !== null) return stored;
  const key = `${runs.a.id} ${runs.b.id}`;
  let figures = underWay.get(key);
  if (figures === undefined) {
    figures = turns.take("", () => computeFigures(server, runs)).finally(() => underWay.delete(key));
    underWay.set(key, figures);
  }
  return figures;
}

async function computeFigures({ sql }: ServerContext, runs: Compared): Promise<MeasuredRuns> {
  if (!isFinal(runs)) return compute(sql, runs);
  try {
    return await computeAndKeep(sql, runs);
  } catch (error) {
    if (!isUnkept(error)) throw error;
    return compute(sql, runs);
  }
}

/** The database takes no rows, or not these: it is read-only or full, we may not write, or a run was deleted meanwhile. */
const isUnkept = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && ["25006", "53100", "42501", "23503"].includes(error.code);

function computeAndKeep(sql: ServerContext["sql"], runs: Compared): Promise<MeasuredRuns> {
  const stored = storedKeyOf(runs);
  const { id: promptId } = runs.a.prompt;
  return sql.begin(async (tx) => {
    if (!(await insertComparison(tx, stored, promptId)))
      return (await selectStoredFigures(tx, stored)) ?? compute(tx, runs);
    const figures = await compute(tx, runs, { keeps: true });
    await storeFigures(tx, stored, figures);
    await pruneComparisons(tx, bounds.prompt, promptId);
    return figures;
  });
}

/** Matches two runs and measures how they differ. `keeps`: stores the keys of their cases. */
export async function compute(
  sql: Sql,
  runs: Compared,
  { keeps = false, results = resultsOfRange } = {},
): Promise<MeasuredRuns> {
  let all = nothing;
  for await (const range of rangesOf(sql, runs, { results }))
    all = sum(all, await selectFigures(sql, idsOf(runs), { range, keeping: keeps ? methodNumber : null }));
  return measure({ ...all, metrics: await metricsOf(sql, runs) });
}

/** All cases of two runs after one, a range after the other. */
async function* rangesOf(
  sql: Sql,
  { a, b }: Compared,
  { after = beginning, results = resultsOfRange }: { after?: string; results?: number | undefined },
): AsyncGenerator<KeyRange> {
  const isOneRange = after === beginning && Math.max(a.total, b.total) <= results;
  if (isOneRange) yield null;
  for (let from = isOneRange ? null : after; from !== null; ) {
    const upTo = await selectEndOfRange(sql, idsOf({ a, b }), { after: from, results });
    if (upTo !== null) yield { after: from, upTo };
    from = upTo;
  }
}

const noSample: Sample = {
  pairs: 0,
  a: 0,
  b: 0,
  fell: 0,
  rose: 0,
  isWhole: true,
  lightest: null,
  heaviest: null,
  weight: 0,
  weightSquares: 0,
  sum: 0,
  squares: 0,
  weightedSum: 0,
  weightedSquares: 0,
  values: [],
};
const nothing: Omit<MatchedRuns, "metrics"> = {
  changes: noChanges,
  erroredInB: 0,
  missingWeight: 0,
  unequalAttempts: 0,
  passRate: noSample,
  score: noSample,
};

const sum = (one: typeof nothing, other: Figures): typeof nothing => ({
  changes: Object.fromEntries(
    allChanges.map((change) => [change, one.changes[change] + (other.changes[change] ?? 0)]),
  ) as typeof nothing.changes,
  erroredInB: one.erroredInB + other.erroredInB,
  missingWeight: one.missingWeight + other.missingWeight,
  unequalAttempts: one.unequalAttempts + other.unequalAttempts,
  passRate: sumOfSamples(one.passRate, other.passRate),
  score: sumOfSamples(one.score, other.score),
});

function sumOfSamples(one: Sample, other: Sample): Sample {
  const pairs = one.pairs + other.pairs;
  const weights = [one.lightest, one.heaviest, other.lightest, other.heaviest].filter(
    (weight) => weight !== null,
  );
  const values = one.values && other.values && [...one.values, ...other.values];
  const wanted = pairs <= maxDifferences ? values : values?.filter(({ difference }) => difference !== 0);
  return {
    pairs,
    a: one.a + other.a,
    b: one.b + other.b,
    fell: one.fell + other.fell,
    rose: one.rose + other.rose,
    isWhole: one.isWhole && other.isWhole,
    lightest: weights.length === 0 ? null : Math.min(...weights),
    heaviest: weights.length === 0 ? null : Math.max(...weights),
    weight: one.weight + other.weight,
    weightSquares: one.weightSquares + other.weightSquares,
    sum: one.sum + other.sum,
    squares: one.squares + other.squares,
    weightedSum: one.weightedSum + other.weightedSum,
    weightedSquares: one.weightedSquares + other.weightedSquares,
    values: wanted && wanted.length <= maxDifferences ? wanted : null,
  };
}

async function metricsOf(sql: Sql, runs: Compared): Promise<MatchedRuns["metrics"]> {
  const results = runs.a.total + runs.b.total;
  if (!hasMetrics({ results })) return null;
  const assertions = await countAssertions(sql, idsOf(runs));
  return hasMetrics({ results, assertions }) ? selectMetrics(sql, idsOf(runs), maxMetrics) : null;
}

/** Which cases of a comparison are wanted. */
interface Wanted {
  after: string;
  changes: readonly Change[];
  take: number;
  /** How many results of each run a statement matches. */
  results?: number;
}

/** A statement that gives keys. It would be sent if it were awaited by itself. */
interface Keys {
  keys: Fragment;
}

/**
 * A statement for the first keys of the wanted cases. Those that changed in one way are read from what is stored; where it could not
 * be stored, the runs are matched from there on until there are enough.
 */
export async function keysOf(server: ServerContext, runs: Compared, wanted: Wanted): Promise<Keys> {
  const { sql } = server;
  const { after, changes, take, results } = wanted;
  if (changes.length === allChanges.length) return { keys: nextKeys(sql, idsOf(runs), wanted) };
  const stored = isFinal(runs) ? await selectStoredKeys(sql, storedKeyOf(runs), wanted) : null;
  if (stored !== null) return { keys: givenKeys(sql, stored) };
  const keys: string[] = [];
  for await (const range of rangesOf(sql, runs, { after, results })) {
    keys.push(...(await selectKeys(sql, idsOf(runs), { range, changes, take: take - keys.length })));
    if (keys.length === take) break;
  }
  return { keys: givenKeys(sql, keys) };
}
