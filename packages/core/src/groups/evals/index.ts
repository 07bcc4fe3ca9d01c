import { runs } from "./runs.ts";

export * from "./results.ts";
export * from "./runs.ts";
export * from "./schemas.ts";

// `as typeof` makes the published declarations lead to a part of the group; otherwise they repeat its type, without the
// documentation that editors show.
// oxlint-disable typescript/no-unnecessary-type-assertion
export const evals = { runs: runs as typeof runs };
