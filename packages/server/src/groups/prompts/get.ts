import type { Prompt, ResolvedBy, ResolvedVersion } from "@promptreg/core";
import { invalid } from "@promptreg/core/errors";
import { includesEtag } from "@promptreg/core/wire";
import type { Sql } from "../../database/sql.ts";
import type { HandlerWith } from "../../kernel/handler.ts";
import {
  loadResolved,
  type ResolvedRow,
  selectPrompt,
  shownWhole,
  type Timely,
  type Wanted,
} from "./get.sql.ts";
import { extend } from "./printed.ts";
import { versionsOf } from "./resolve.ts";
import { hasNo } from "./target.ts";
import type { Viewing } from "./summary.sql.ts";
import type { FileDetail } from "./version.sql.ts";

/** How the version was found, as responses say it. */
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

/** A label's future version is unknown. Its version now could be wrong by then. */
const inFuture = (at: string | undefined) =>
  invalid("/at", `${at} is in the future. Use a time in the past, or leave out at for the present.`);

/** Adds a printed version, and how it was found, to the other fields of a response. */
export const withVersion = <T>(fields: string, wanted: Wanted, version: string | null) =>
  extend<T>(fields, `"resolvedBy":${JSON.stringify(resolvedBy(wanted))},"version":${version}`);

/** The reply about a prompt. Its content can be newer than its ETag, which was made when it was loaded, and never older. */
export async function show(
  sql: Sql,
  { prompt, wanted, files, ...viewing }: { prompt: ResolvedRow; wanted: Wanted; files: FileDetail } & Viewing,
) {
  const { id: promptId, versionId } = prompt;
  const shown = await selectPrompt(sql, { promptId, versionId, files, ...viewing });
  return { status: 200 as const, json: withVersion<Prompt>(shown.fields, wanted, shown.versionText) };
}

/** What is shown of a version to an application, without its text and how it was found. */
export interface ShownVersion {
  versionTag: string | null;
  ref: string;
  isYanked: boolean;
}

/** The ETag of what is shown to an application. */
export const versionEtag = ({ versionTag, ref, isYanked }: ShownVersion): string =>
  `${versionTag ?? "none"}${isYanked ? ".yanked" : ""}.${ref}`;

type Row = ResolvedRow & Timely & { state?: string };

export const get: HandlerWith<"prompts.get", { target: Row }> = {
  load: (sql, { address, query, credential, server, ...request }) =>
    query.view === "version"
      ? versionsOf(server).resolve({ ...address, ...query, credential })
      : loadResolved<{ state: string }>(sql, { address, ...request }, query, shownWhole(sql, query)),

  async handle({ query, caller, target: prompt, ifNoneMatch, sql, server }) {
    if (prompt.isAhead) throw inFuture(query.at);
    const { versionId, versionTag, isYanked } = prompt;
    const isPinned = query.version !== undefined || query.label !== undefined;
    if (isPinned && versionId === null) throw hasNo(prompt, inWords(query));
    if (query.view !== "version") {
      const shown = { prompt, wanted: query, files: "full", caller, publicUrl: server.publicUrl } as const;
      return { ...(await show(sql, shown)), traffic: [{ act: "view", subject: prompt, versionId }] };
    }
    const ref = `${prompt.ownerHandle}/${prompt.slug}`;
    const etag = versionEtag({ versionTag, ref, isYanked });
    const names = [prompt.id, prompt.ownerId];
    if (includesEtag(ifNoneMatch, etag)) return { status: 304, etag, names };
    const text =
      versionId === null || versionTag === null
        ? null
        : await versionsOf(server).print({ versionId, versionTag, files: "full" });
    const head = `{"ref":"${ref}","yanked":${isYanked}}`;
    const json = withVersion<ResolvedVersion>(head, query, text);
    return { status: 200, json, etag, traffic: [{ act: "rawRead", subject: prompt, versionId }] };
  },
};
