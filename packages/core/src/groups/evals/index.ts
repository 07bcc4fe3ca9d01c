import { runs } from "./runs.ts";

export const evals = { runs };
