import { createHash } from "node:crypto";
import type { ListedVersion, PromptSummary } from "@promptreg/core";
import { includesEtag } from "@promptreg/core/wire";
import type { Handler, HandlerWith } from "../../kernel/handler.ts";
import { outside } from "../../kernel/accounts/restriction.ts";
import { goesOn } from "../../kernel/lists/fitting.sql.ts";
import { versionEtag, withVersion } from "./get.ts";
import { listChanges } from "./list-changes.ts";
import { selectListedVersions } from "./list-versions.sql.ts";
import { selectPrompts } from "./list.sql.ts";
import { selectRelevant } from "./relevance.sql.ts";
import { versionsOf } from "./resolve.ts";

const show: Handler<"prompts.list"> = async (request) => {
  const { query, caller, page, sql, server } = request;
  // Elsewhere it sees of others what anybody sees, and there is no anybody here.
  if (server.isForMembers && caller?.restriction && query.owner !== "me")
    throw outside(caller, " List them with owner=me.");
  if (query.view === "version") return await listVersions(request);
  if (query.view === "changes") return await listChanges(request);
  const wanted = { query, page, caller, publicUrl: server.publicUrl };
  const sort = query.sort ?? (query.q === undefined ? "trending" : "relevance");
  const rows =
    sort === "relevance" ? await selectRelevant(sql, wanted) : await selectPrompts(sql, { ...wanted, sort });
  return page.reply<PromptSummary>(rows);
};

export const list: HandlerWith<"prompts.list", object> = {
  // Applications go by these.
  mustBeCurrent: ({ view }) => view !== undefined,
  handle: show,
};

/** A page of versions for an application. Its ETag is made of theirs, so that a 304 reads none of their files. */
async function listVersions({
  query,
  caller,
  page,
  ifNoneMatch,
  sql,
  server,
}: Parameters<Handler<"prompts.list">>[0]) {
  const found = await selectListedVersions(sql, { query, page, caller });
  const more = goesOn(found, page);
  const rows = found.slice(0, page.take - 1);
  const etag = createHash("sha256")
    .update(JSON.stringify([rows.map(versionEtag), more]))
    .digest("base64url");
  if (includesEtag(ifNoneMatch, etag)) return { status: 304 as const, etag };
  const keys = rows.map(({ versionId, versionTag }) => ({ versionId, versionTag, files: "full" as const }));
  const texts = await versionsOf(server).printAll(keys);
  const items = rows.map(({ key, ...shown }, nth) => {
    const head = { ref: shown.ref, yanked: shown.isYanked, etag: `"${versionEtag(shown)}"` };
    const item = withVersion<ListedVersion>(JSON.stringify(head), { label: query.label }, texts[nth] ?? null);
    return { key, item };
  });
  const traffic = rows.map(({ promptId, ownerId, versionId }) => ({
    act: "rawRead" as const,
    subject: { id: promptId, ownerId },
    versionId,
    isListed: true,
  }));
  return { ...page.reply<ListedVersion>(items, { goesOn: more }), etag, traffic };
}
