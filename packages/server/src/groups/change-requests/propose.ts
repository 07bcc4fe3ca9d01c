import type { DiffStats, EventData } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import { diffStats, hasNo, type PromptRow, selectSides, selectStored } from "../prompts/index.ts";
import type { Proposal } from "./requests.sql.ts";

/** What was compared before anything was locked. */
export interface Compared extends Proposal {
  stats: DiffStats;
}

/** Compares the two versions of a proposal. They never change, so that no lock is needed. */
export async function compare(sql: Sql, proposal: Proposal): Promise<DiffStats> {
  const { sourceId: promptId, baseSourceN, sourceN } = proposal;
  const range = { from: { version: baseSourceN }, to: { version: sourceN } };
  const { from, to } = await selectSides(sql, { promptId, ...range });
  if (from === null || to === null) throw new Error(`a proposal without its versions: ${promptId}`);
  return diffStats(sql, { from, to });
}

/** Compares a proposal that was found before the transaction; null if there is none. */
export const compareLikely = async (sql: Sql, likely: Proposal | null): Promise<Compared | null> =>
  likely && { ...likely, stats: await compare(sql, likely) };

/** The stats of a proposal: those that were prepared, unless a version came between. */
export async function statsOf(sql: Sql, proposal: Proposal, prepared: Compared | null): Promise<DiffStats> {
  const isPrepared =
    prepared?.sourceId === proposal.sourceId &&
    prepared.sourceN === proposal.sourceN &&
    prepared.baseSourceN === proposal.baseSourceN;
  return isPrepared ? prepared.stats : compare(sql, proposal);
}

/**
 * Checks that a version of a source can be proposed, and gives its number. Default: the latest.
 * @throws {ApiError} `not_found` or `version_yanked`.
 */
export async function requireProposable(sql: Sql, source: PromptRow, wanted?: number): Promise<number> {
  const n = wanted ?? source.latestVersion;
  const stored = n === null ? null : await selectStored(sql, { promptId: source.id, n });
  if (n !== null && stored === null) throw hasNo(source, `version ${n}`);
  if (n === null || stored?.isYanked !== false) {
    const what = n === null ? "Every version of the fork" : `Version ${n}`;
    throw apiError("version_yanked", { message: `${what} was yanked and cannot be proposed.` });
  }
  return n;
}

/** A change request, as its events name it. */
interface Told extends Proposal {
  n: number;
  title: string;
  prompt: PromptRow;
  source: PromptRow;
  publicUrl: string;
}

/** The address of a change request in the API. */
export const requestUrl = (publicUrl: string, { ownerHandle, slug }: PromptRow, n: number) =>
  `${publicUrl}/api/v1/prompts/${ownerHandle}/${slug}/change-requests/${n}`;

/** The data of its events. One body serves all who receive it, so that it names no fork that is not public. */
export const told = ({
  n,
  title,
  prompt,
  source,
  publicUrl,
  ...about
}: Omit<Told, "sourceId">): EventData<"change_request.opened"> => ({
  changeRequest: {
    n,
    title,
    url: requestUrl(publicUrl, prompt, n),
    source: {
      ref:
        source.visibility === "public" && !source.isDeleted ? `${source.ownerHandle}/${source.slug}` : null,
      versionNumber: about.sourceN,
    },
    baseVersionNumber: about.baseN,
  },
});
