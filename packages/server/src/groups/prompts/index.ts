import type { ServerGroup } from "../../kernel/group.ts";
import { create } from "./create.ts";
import { diff } from "./diff.ts";
import { download } from "./download.ts";
import * as draft from "./draft.ts";
import { delete as remove } from "./delete.ts";
import { get } from "./get.ts";
import * as labels from "./labels.ts";
import { list } from "./list.ts";
import * as raw from "./raw.ts";
import { update } from "./update.ts";
import { rankPrompts } from "./rank.sql.ts";
import { promptTarget } from "./target.ts";
import { versionTarget } from "./version-target.ts";
import * as versions from "./versions.ts";

export const prompts = {
  handlers: { list, create, get, update, delete: remove, diff, draft, versions, labels, raw, download },
  targets: { prompt: promptTarget, version: versionTarget },
  work: ({ sql }, { trends }) => ({ hourly: () => rankPrompts(sql, trends) }),
} satisfies ServerGroup<"prompts">;
export { wantedNumber } from "./get.sql.ts";
export { promptSummary, type Viewing } from "./summary.sql.ts";
export { hasNo, type PromptRow, promptColumns, promptTarget } from "./target.ts";
export { isListed, isPromptVisible, isVisibleTo } from "./visibility.sql.ts";
