import type { DiffStats, EventData } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import { diffStats, hasNo, type PromptRow, selectSide, selectStored, type Side } from "../prompts/index.ts";
import { type Base, type Proposal, selectOpen } from "./requests.sql.ts";
import type { ChangeRequestRow } from "./target.ts";

/** What was compared before anything was locked. */
export interface Compared extends Proposal {
  stats: DiffStats;
}

/** What a change request proposes. */
export const asProposal = ({ prompt, source, sourceN, baseN, baseSourceN }: ChangeRequestRow): Proposal => ({
  targetId: prompt.id,
  sourceId: source.id,
  sourceN,
  baseN,
  baseSourceN,
});

/** The base of a proposal. */
export const baseOf = ({ targetId, sourceId, baseN, baseSourceN }: Omit<Proposal, "sourceN">) =>
  baseSourceN === null ? { promptId: targetId, n: baseN } : { promptId: sourceId, n: baseSourceN };

/** The two versions of a proposal. They never change, so that no lock is needed. */
export async function selectProposal(sql: Sql, proposal: Proposal): Promise<{ from: Side; to: Side }> {
  const { sourceId, sourceN } = proposal;
  const [from, to] = await Promise.all([
    selectSide(sql, baseOf(proposal)),
    selectSide(sql, { promptId: sourceId, n: sourceN }),
  ]);
  if (from === null || to === null) throw new Error(`a proposal without its versions: ${sourceId}`);
  return { from, to };
}

const compare = async (sql: Sql, proposal: Proposal): Promise<DiffStats> =>
  diffStats(sql, await selectProposal(sql, proposal));

/** Compares a proposal that was found before the transaction; null if there is none. */
export const compareLikely = async (sql: Sql, likely: Proposal | null): Promise<Compared | null> =>
  likely && { ...likely, stats: await compare(sql, likely) };

/**
 * The stats of a proposal: those that were prepared, unless a version came between.
 * @throws {ApiError} `no_changes` if it is equal to its base.
 */
export async function statsOf(sql: Sql, proposal: Proposal, prepared: Compared | null): Promise<DiffStats> {
  const isPrepared =
    prepared?.sourceId === proposal.sourceId &&
    prepared.sourceN === proposal.sourceN &&
    prepared.baseN === proposal.baseN &&
    prepared.baseSourceN === proposal.baseSourceN;
  const stats = isPrepared ? prepared.stats : await compare(sql, proposal);
  if (stats.files > 0) return stats;
  const { sourceN, baseN } = proposal;
  throw apiError("no_changes", {
    message: `Version ${sourceN} of the fork has the same files as its base, version ${baseN} of the prompt. Change it first.`,
  });
}

/**
 * The base that the author of a proposal declares.
 * @throws {ApiError} `not_found`.
 */
export async function requireBase(sql: Sql, prompt: PromptRow, n: number): Promise<Base> {
  if ((await selectStored(sql, { promptId: prompt.id, n })) === null) throw hasNo(prompt, `version ${n}`);
  return { baseN: n, baseSourceN: null };
}

/** The error about a second open change request of a source. */
export async function existsError(sql: Sql, sourceId: string) {
  const n = await selectOpen(sql, sourceId);
  return apiError("change_request_exists", {
    message: `This fork has the open change request ${n}. Edit or close that one.`,
  });
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
export const eventDataOf = ({
  n,
  title,
  prompt,
  source,
  publicUrl,
  ...about
}: Omit<Told, "sourceId" | "targetId">): EventData<"change_request.opened"> => ({
  changeRequest: {
    n,
    title,
    url: requestUrl(publicUrl, prompt, n),
    source: {
      ref: source.visibility === "public" ? `${source.ownerHandle}/${source.slug}` : null,
      versionNumber: about.sourceN,
    },
    baseVersionNumber: about.baseN,
  },
});
