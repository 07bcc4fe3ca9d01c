import type { Contract } from "@promptreg/core";
import type { Handlers } from "../../kernel/handler.ts";
import { create } from "./create.ts";
import { diff } from "./diff.ts";
import * as draft from "./draft.ts";
import { get } from "./get.ts";
import * as labels from "./labels.ts";
import * as raw from "./raw.ts";
import * as versions from "./versions.ts";

export const prompts: Handlers<Contract["prompts"]> = {
  create,
  get,
  diff,
  draft,
  versions,
  labels,
  raw,
};
export { promptSummary, type Viewing } from "./summary.sql.ts";
export { type PromptRow, promptColumns, promptTarget } from "./target.ts";
