import { proveLabels } from "./labels.ts";
import { proveLists } from "./lists.ts";
import type { Figure } from "./measure.ts";
import { proveRanking } from "./ranking.ts";
import { proveSearches } from "./searches.ts";
import type { World } from "./world.ts";

/** What is proved on which registries, and who hears of each figure at once. */
type Scale = Omit<World, "onFigure" | "onProblem"> & Partial<Pick<World, "onFigure">>;

/** Proves that the size of a registry slows nobody down. `slow` has the figures that are over their limits. */
export async function proveScale({ onFigure, ...given }: Scale) {
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
  await proveLabels(world);
  await proveLists(world);
  await proveSearches(world);
  await proveRanking(world);
  return { figures, problems, slow: figures.filter(({ ratio, limit }) => ratio > limit) };
}
