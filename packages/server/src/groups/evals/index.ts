import type { Contract } from "@promptreg/core";
import type { Handlers } from "../../kernel/handler.ts";
import * as runs from "./runs.ts";

export const evals: Handlers<Contract["evals"]> = { runs };
export { pruneRuns } from "./prune.ts";
export { runTarget } from "./target.ts";
export { timeOutRuns } from "./time-out.ts";
