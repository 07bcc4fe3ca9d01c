import { proveLabels } from "./labels.ts";
import { proveLists } from "./lists.ts";
import type { Figure } from "./measure.ts";
import { proveRanking } from "./ranking.ts";
import { proveSearches } from "./searches.ts";
import type { World } from "./world.ts";

const proofs = { labels: proveLabels, lists: proveLists, searches: proveSearches, ranking: proveRanking };

/** What is proved on which registries, and who hears of each figure at once. */
type Scale = Omit<World, "onFigure" | "onProblem"> & Partial<Pick<World, "onFigure">>;

/** Proves that the size of a registry slows nobody down. `slow` has the figures that are over their limits. `only` is how the name of a proof begins. */
export async function proveScale({ onFigure, ...given }: Scale, only = "") {
  const figures: Figure[] = [];
  const problems: string[] = [];
  const world = {
    ...given,
    onFigure(figure: Figure) {
      figures.push(figure);
      onFigure?.(figure);
    },
    onProblem: (problem: string) => void problems.push(problem),
  };
  for (const [name, prove] of Object.entries(proofs)) if (name.startsWith(only)) await prove(world);
  return { figures, problems, slow: figures.filter(({ ratio, limit }) => ratio > limit) };
}
