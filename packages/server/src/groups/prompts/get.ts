import type { Prompt, ResolvedBy, ResolvedVersion } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import type { HandlerWith } from "../../kernel/handler.ts";
import { loadResolved, type ResolvedRow, selectPrompt, type Wanted } from "./get.sql.ts";
import { extend } from "./printed.ts";
import type { Viewing } from "./summary.sql.ts";

/** How the version of an answer was found, in the words of the answer. */
const resolvedBy = ({ version, label }: Wanted): ResolvedBy =>
  version !== undefined
    ? { type: "version", value: version }
    : label !== undefined
      ? { type: "label", value: label }
      : { type: "latest", value: null };

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
    etag: `W/${prompt.revision}.${versionTag(prompt)}.${viewing.callerId ?? "anonymous"}`,
  };
}

const versionTag = ({ versionId, isYanked }: ResolvedRow) =>
  `${versionId ?? "none"}${isYanked ? ".yanked" : ""}`;

export const get: HandlerWith<"prompts.get", { target: ResolvedRow }> = {
  load: (sql, request) => loadResolved(sql, request, { wanted: request.query }),

  async handle({ query, caller, target: prompt, sql, server: { publicUrl } }) {
    const isPinned = query.version !== undefined || query.label !== undefined;
    if (isPinned && prompt.versionId === null) {
      const wanted = query.label === undefined ? `version ${query.version}` : `label ${query.label}`;
      throw apiError("not_found", { message: `${prompt.ownerHandle}/${prompt.slug} has no ${wanted}.` });
    }
    if (query.view === "version") {
      const head = `{"ref":"${prompt.ownerHandle}/${prompt.slug}","yanked":${prompt.isYanked}}`;
      return {
        status: 200,
        json: withVersion<ResolvedVersion>(head, query, prompt.versionText),
        etag: versionTag(prompt),
      };
    }
    return show(sql, { prompt, wanted: query, callerId: caller?.id ?? null, publicUrl });
  },
};
