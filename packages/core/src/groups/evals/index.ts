import { datasets } from "./datasets.ts";
import { runs } from "./runs.ts";

export * from "./case-schemas.ts";
export * from "./cases.ts";
export * from "./dataset-schemas.ts";
export * from "./datasets.ts";
export * from "./import.ts";
export * from "./results.ts";
export * from "./runs.ts";
export * from "./schemas.ts";

// `as typeof` makes the published declarations lead to a part of the group; otherwise they repeat its type, without the
// documentation that editors show.
// oxlint-disable typescript/no-unnecessary-type-assertion
export const evals = { datasets: datasets as typeof datasets, runs: runs as typeof runs };
