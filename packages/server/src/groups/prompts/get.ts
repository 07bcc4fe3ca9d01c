import type { Prompt, ResolvedBy, ResolvedVersion } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import type { HandlerWith } from "../../kernel/handler.ts";
import { loadResolved, type ResolvedRow, selectPrompt, type Wanted } from "./get.sql.ts";
import { extend } from "./printed.ts";
import { hasNo } from "./target.ts";
import type { Viewing } from "./summary.sql.ts";

/** How the version of an answer was found, in the words of the answer. */
const resolvedBy = ({ version, label }: Wanted): ResolvedBy =>
  version !== undefined
    ? { type: "version", value: version }
    : label !== undefined
      ? { type: "label", value: label }
      : { type: "latest", value: null };

const inWords = ({ version, label, at }: Wanted) =>
  label === undefined
    ? `version ${version}`
    : at === undefined
      ? `label ${label}`
      : `label ${label} at ${at}`;

/** Nobody knows where a label will be, and what it is now would later turn out to have been wrong. */
function inFuture(at: string | undefined) {
  const message = `${at} has yet to come. Ask for a time of the past, or leave at out for now`;
  return apiError("validation_failed", {
    message: `${message}.`,
    details: [{ path: "/at", code: "custom", message }],
  });
}

/** Puts a version, as it was printed, and how it was found beside the other fields of an answer. */
export const withVersion = <T>(fields: string, wanted: Wanted, version: string | null) =>
  extend<T>(fields, `"resolvedBy":${JSON.stringify(resolvedBy(wanted))},"version":${version}`);

/** A prompt as it is answered to somebody, under a tag that tells of everything in it but its counts. */
export async function show(
  sql: Sql,
  { prompt, wanted, ...viewing }: { prompt: ResolvedRow; wanted: Wanted } & Viewing,
) {
  const fields = await selectPrompt(sql, { promptId: prompt.id, ...viewing });
  return {
    status: 200 as const,
    json: withVersion<Prompt>(fields, wanted, prompt.versionText),
    etag: `W/${prompt.revision}.${versionTag(prompt)}.${viewing.caller ? `${viewing.caller.id}.${viewing.caller.role}` : "anonymous"}`,
  };
}

const versionTag = ({ versionId, isYanked }: ResolvedRow) =>
  `${versionId ?? "none"}${isYanked ? ".yanked" : ""}`;

export const get: HandlerWith<"prompts.get", { target: ResolvedRow }> = {
  load: (sql, request) => loadResolved(sql, request, { wanted: request.query }),

  async handle({ query, caller, target: prompt, sql, server: { publicUrl } }) {
    if (prompt.isAhead) throw inFuture(query.at);
    const isPinned = query.version !== undefined || query.label !== undefined;
    if (isPinned && prompt.versionId === null) throw hasNo(prompt, inWords(query));
    if (query.view === "version") {
      const head = `{"ref":"${prompt.ownerHandle}/${prompt.slug}","yanked":${prompt.isYanked}}`;
      return {
        status: 200,
        json: withVersion<ResolvedVersion>(head, query, prompt.versionText),
        etag: versionTag(prompt),
      };
    }
    return show(sql, { prompt, wanted: query, caller, publicUrl });
  },
};
