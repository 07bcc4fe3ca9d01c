import type { JsonText, RunComparison } from "@promptreg/core";
import { changesOf, obstacleBetween, verdictOf } from "@promptreg/core/evals";
import { apiError } from "@promptreg/core/errors";
import { goesOn } from "../../kernel/lists/fitting.sql.ts";
import type { Handler } from "../../kernel/handler.ts";
import { Turns } from "../../kernel/http/turns.ts";
import { beginning, givenKeys, selectCases } from "./compare.sql.ts";
import { figuresOf, idsOf, keysOf } from "./comparison.ts";
import { selectRun } from "./runs.sql.ts";
import { seesPrivate } from "../../kernel/accounts/ownership.ts";

/** Limits concurrent comparisons of an address: those of the largest runs read half a million results. */
const turns = new Turns(2);

export const compare: Handler<"evals.compare"> = async ({
  query,
  caller,
  target: a,
  others: { b },
  network,
  page,
  sql,
  server,
}) => {
  if (a.prompt.id !== b.prompt.id) throw apiError("runs_not_comparable");
  const isOwner = seesPrivate(caller, a.prompt);
  const areItemsVisible = isOwner || (a.isOpen && b.isOpen);
  const { publicUrl } = server;
  const runs = { a, b };
  return turns.take(network, async () => {
    const first = page.after === null ? await firstPage() : { summary: null, verdict: null };
    const [runA, runB, rows] = await Promise.all([
      selectRun(sql, { id: a.id, publicUrl, isOwner }),
      selectRun(sql, { id: b.id, publicUrl, isOwner }),
      areItemsVisible ? casesOfPage() : [],
    ]);
    const { json: items } = page.reply(rows, { goesOn: goesOn(rows, page) });
    const fields = JSON.stringify({ ...first, areItemsVisible });
    const json =
      `{"a":${runA},"b":${runB},${fields.slice(1, -1)},${items.slice(1)}` as JsonText<RunComparison>;
    return { status: 200, json };
  });

  /** What is shown on the first page alone. */
  async function firstPage() {
    const figures = await figuresOf(server, runs);
    // The names of metrics come from the results.
    const shown = areItemsVisible ? figures : { ...figures, metrics: null };
    const obstacle = obstacleBetween(runs);
    return { summary: figures.changes, verdict: verdictOf(shown, { obstacle, maxDrop: query.maxDrop }) };
  }

  async function casesOfPage() {
    const { only, caseKey } = query;
    const changes = changesOf(only);
    const after = (page.after?.[0] as string | undefined) ?? beginning;
    const { keys } =
      caseKey === undefined
        ? await keysOf(server, runs, { after, changes, take: page.take })
        : { keys: givenKeys(sql, [caseKey]) };
    const datasetId = { a: a.liveDatasetId, b: b.liveDatasetId };
    return selectCases(sql, idsOf(runs), { keys, changes, datasetId });
  }
};
