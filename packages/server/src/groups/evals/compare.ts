import type { Change, JsonText, RunComparison } from "@promptreg/core";
import { verdictOf, type VerdictOptions } from "@promptreg/core/evals";
import { apiError } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import { goesOn } from "../../kernel/fitting.sql.ts";
import type { Handler } from "../../kernel/handler.ts";
import { Turns } from "../../kernel/turns.ts";
import {
  countAssertions,
  type RunPair,
  selectFirstPage,
  selectMetrics,
  selectNextPage,
} from "./compare.sql.ts";
import { selectRun } from "./runs.sql.ts";
import type { RunRow } from "./target.ts";

/** Limits concurrent comparisons of an address: those of the largest runs read half a million results. */
const turns = new Turns(2);

const noChanges: Record<Change, number> = {
  fixed: 0,
  broken: 0,
  samePass: 0,
  sameFail: 0,
  onlyA: 0,
  onlyB: 0,
  errored: 0,
};
const maxMetrics = 20;
/** More would take seconds. */
const most = { results: 20_000, assertions: 200_000 };

export const compare: Handler<"evals.compare"> = async ({
  query,
  caller,
  target: a,
  others: { b },
  network,
  page,
  sql,
  server: { publicUrl },
}) => {
  if (a.prompt.id !== b.prompt.id) throw apiError("runs_not_comparable");
  const runs = { a: a.id, b: b.id };
  const isOwner = caller?.id === a.prompt.ownerId;
  const areItemsVisible = isOwner || (a.isOpen && b.isOpen);
  const [runA, runB] = await Promise.all([a, b].map(({ id }) => selectRun(sql, { id, publicUrl, isOwner })));
  const wanted = {
    runs,
    datasetId: { a: a.liveDatasetId, b: b.liveDatasetId },
    wanted: query,
    page: areItemsVisible ? page : { ...page, take: 0 },
  };
  return turns.take(network, async () => {
    const { rows, ...more } =
      page.after === null
        ? await firstPage(
            sql,
            { ...wanted, areItemsVisible },
            { obstacle: obstacleBetween(a, b), maxDrop: query.maxDrop },
          )
        : { summary: null, verdict: null, rows: areItemsVisible ? await selectNextPage(sql, wanted) : [] };
    const { json: items } = page.reply(rows, { goesOn: goesOn(rows, page) });
    const fields = JSON.stringify({ ...more, areItemsVisible });
    const json =
      `{"a":${runA},"b":${runB},${fields.slice(1, -1)},${items.slice(1)}` as JsonText<RunComparison>;
    return { status: 200, json };
  });
};

async function firstPage(
  sql: Sql,
  { areItemsVisible, ...wanted }: Parameters<typeof selectFirstPage>[1] & { areItemsVisible: boolean },
  options: VerdictOptions,
) {
  const {
    rows,
    figures: { changes, ...figures },
  } = await selectFirstPage(sql, wanted);
  // Their names come from the results.
  const metrics = areItemsVisible ? await metricsOf(sql, wanted.runs) : null;
  const summary = { ...noChanges, ...changes };
  return { summary, verdict: verdictOf({ ...figures, changes: summary, metrics }, options), rows };
}

async function metricsOf(sql: Sql, runs: RunPair) {
  const assertions = await countAssertions(sql, runs, most.results);
  return assertions === null || assertions > most.assertions ? null : selectMetrics(sql, runs, maxMetrics);
}

/** Why two runs of a prompt say nothing about each other, whatever their results are. */
function obstacleBetween(a: RunRow, b: RunRow): string | undefined {
  if (a.id === b.id) return "Not comparable: this is one run. Compare it with another one.";
  const [open] = [a, b].filter(({ status }) => status !== "completed");
  if (open) {
    const which = open === a ? "first" : "second";
    return open.status === "running"
      ? `Not comparable: the ${which} run is still running. Complete it.`
      : `Not comparable: the ${which} run failed. Report it again.`;
  }
  if (a.datasetId !== b.datasetId)
    return "Not comparable: the runs are of different datasets, or one of them is of none.";
  if (a.datasetRevision !== b.datasetRevision)
    return "Not comparable: the cases of the dataset changed between the runs. Report the first version again.";
  return undefined;
}
