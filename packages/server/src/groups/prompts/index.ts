import type { Contract } from "@promptreg/core";
import type { Handlers } from "../../kernel/handler.ts";
import { create } from "./create.ts";
import { diff } from "./diff.ts";
import * as draft from "./draft.ts";
import { delete as remove } from "./delete.ts";
import { get } from "./get.ts";
import * as labels from "./labels.ts";
import { list } from "./list.ts";
import * as raw from "./raw.ts";
import { update } from "./update.ts";
import * as versions from "./versions.ts";

export const prompts: Handlers<Contract["prompts"]> = {
  list,
  create,
  get,
  update,
  delete: remove,
  diff,
  draft,
  versions,
  labels,
  raw,
};
export { promptSummary, type Viewing } from "./summary.sql.ts";
export { type PromptRow, promptColumns, promptTarget } from "./target.ts";
export { isPromptVisible, isVisibleTo } from "./visibility.sql.ts";
