import { compare } from "./compare.ts";
import { datasets } from "./datasets.ts";
import { runs } from "./runs.ts";
import { scores } from "./scores.ts";

export * from "./assertions.ts";
export * from "./case-schemas.ts";
export * from "./cases.ts";
export * from "./compare.ts";
export * from "./dataset-schemas.ts";
export * from "./datasets.ts";
export * from "./import.ts";
export * from "./results.ts";
export * from "./runs.ts";
export * from "./schemas.ts";
export * from "./scores.ts";

// `as typeof` makes the published declarations lead to a part of the group; otherwise they repeat its type, without the
// documentation that editors show.
// oxlint-disable typescript/no-unnecessary-type-assertion
export const evals = {
  /**
   * Compares two runs of one prompt, case by case, and says whether the second is worse by more than noise. Cases are
   * matched by their key and listed by it. Whoever sees both runs sees the verdict; the cases need the right to read the
   * results of both. A page ends early at about 8 MiB.
   */
  compare: compare as typeof compare,
  datasets: datasets as typeof datasets,
  runs: runs as typeof runs,
  /**
   * Lists how the versions of a prompt did, the newest version first: of each, the latest completed run per model and
   * dataset.
   */
  scores: scores as typeof scores,
};
