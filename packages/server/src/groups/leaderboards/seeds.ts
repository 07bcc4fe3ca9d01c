import type { Board } from "@promptreg/core";
import { promptsOf } from "../../../test/seed/prompts.ts";
import { accountsOf, dayMs, type Registry } from "../../../test/seed/registry.ts";
import { at, list, type Table } from "../../../test/seed/table.ts";
import { openRunsOf } from "../evals/seeds.ts";
import { makesOf } from "../makes/seeds.ts";

const most = 1_000;

/** What is on a board: all that it has room for, where there is as much. A draft or a failed run among them is not shown. */
const boards: Record<Board, (registry: Registry) => Iterable<{ id: string; run?: string }>> = {
  prompts: promptsOf,
  makes: makesOf,
  creators: accountsOf,
  evals: runsOfPrompts,
};

function* runsOfPrompts(registry: Registry) {
  for (const { id, promptId } of openRunsOf(registry)) yield { id: promptId, run: id };
}

function best<T>(all: Iterable<T>): T[] {
  const some: T[] = [];
  for (const one of all) if (some.push(one) === most) break;
  return some;
}

export const seeds: Table[] = [
  {
    name: "leaderboards",
    columns: ["board", "span", "computed_at", "target_ids", "scores", "run_ids"],
    *rows(registry) {
      for (const [board, read] of Object.entries(boards)) {
        const places = best(read(registry));
        const ids = list(places.map(({ id }) => id));
        const scores = list(places.map((_, nth) => String(places.length - nth)));
        const runs = list(places.map(({ run = "null" }) => run));
        for (const span of ["24h", "7d", "30d", "all"]) {
          // A day ago, so that a worker counts anew.
          for (const hour of [2, 1, 0])
            yield [board, span, at(registry.untilMs - dayMs - hour * 3_600_000), ids, scores, runs];
        }
      }
    },
  },
];
