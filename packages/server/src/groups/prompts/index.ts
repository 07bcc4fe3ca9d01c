import { workOnPurges } from "../../kernel/changes/purges.ts";
import type { ServerGroup } from "../../kernel/group.ts";
import { create } from "./create.ts";
import { diff } from "./diff.ts";
import { download } from "./download.ts";
import * as draft from "./draft.ts";
import { delete as remove } from "./delete.ts";
import { trend } from "./fork.sql.ts";
import * as forks from "./forks.ts";
import { get } from "./get.ts";
import * as labels from "./labels.ts";
import { list } from "./list.ts";
import * as raw from "./raw.ts";
import { update } from "./update.ts";
import { rankPrompts } from "./rank.sql.ts";
import { renewDocuments } from "./search.sql.ts";
import { addTextHashes } from "./text-hash.sql.ts";
import { promptTarget } from "./target.ts";
import { versionTarget } from "./version-target.ts";
import * as versions from "./versions.ts";

export const prompts = {
  handlers: {
    list,
    create,
    get,
    update,
    delete: remove,
    diff,
    download,
    forks,
    draft,
    versions,
    labels,
    raw,
  },
  targets: { prompt: promptTarget, version: versionTarget },
  trend,
  work(server, { trends }) {
    const { sql } = server;
    const purges = workOnPurges(server);
    return {
      ...purges,
      async everyMinute() {
        await renewDocuments(sql);
        await addTextHashes(sql);
        await purges.everyMinute?.();
      },
      hourly: () => rankPrompts(sql, trends),
    };
  },
} satisfies ServerGroup<"prompts">;
export { blobOfFile } from "./blob.sql.ts";
export { addVersion, checkContent, readCommitted } from "./commit.ts";
export { copyVersion, selectStored } from "./commit.sql.ts";
export { checkDraft, createDraft, slugOf } from "./create.ts";
export { diffStats, showDiff } from "./diff.ts";
export { type Side, selectSide, selectTexts } from "./diff.sql.ts";
export { selectFreeSlug } from "./fork.sql.ts";
export { loadResolved, type ResolvedRow, wantedNumber } from "./get.sql.ts";
export { isDecent, newest, selectByCount } from "./list.sql.ts";
export { extend } from "./printed.ts";
export { type FileText, fileText } from "./raw.sql.ts";
export { countedActs } from "./rank.sql.ts";
export { rankedPrompts } from "./relevance.sql.ts";
export { searchQuery, selectEntry, wanting, weighted } from "./search.sql.ts";
export { promptSummary, type Viewing } from "./summary.sql.ts";
export {
  accountsNamed,
  allYanked,
  hasNo,
  isAt,
  promptById,
  type PromptRow,
  promptColumns,
  promptIdAt,
  promptsAt,
  promptTarget,
} from "./target.ts";
export { isKnownToCaller, isListed, isPromptVisible, isVisibleTo, isVisibleToAll } from "./visibility.sql.ts";
