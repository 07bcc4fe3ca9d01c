import { hash } from "node:crypto";
import {
  type ChangeRequest,
  type CommittedVersion,
  contentHash,
  entryFiles,
  type JsonText,
  type MergedChangeRequest,
} from "@promptreg/core";
import { mergeFiles, type MergedFiles } from "@promptreg/core/content";
import { apiError } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import { count } from "../../kernel/changes/counters.ts";
import type { HandlerWith } from "../../kernel/handler.ts";
import {
  addVersion,
  copyVersion,
  readCommitted,
  selectEntry,
  selectSide,
  type Side,
} from "../prompts/index.ts";
import { asProposal, baseOf, eventDataOf } from "./propose.ts";
import { selectRequest, writeMerge } from "./requests.sql.ts";
import { mergedFiles, selectFiles, selectMergeSides } from "./sides.sql.ts";
import type { ChangeRequestRow } from "./target.ts";

const print = (changeRequest: JsonText<ChangeRequest>, version: JsonText<CommittedVersion>) =>
  `{"changeRequest":${changeRequest},"version":${version}}` as JsonText<MergedChangeRequest>;

export const merge: HandlerWith<"changeRequests.merge", {}> = {
  async handle({ body, caller, target: request, sql, emit, notify, server }) {
    const { prompt, n, source, sourceN, title, authorId } = request;
    const { publicUrl } = server;
    refuse(request, body.expectedVersionNumber);
    const at = { promptId: prompt.id, n };
    const merged = await readMerge(sql, request, body.strategy);
    const message = body.message ?? title;
    const from = { promptId: source.id, versionNumber: sourceN };
    const origin = { type: "merge" as const, ...from, changeRequest: n };
    const version = await addVersion(
      { sql, emit, caller, server },
      {
        prompt,
        message,
        origin,
        warnings: [],
        contents: [],
        ...merged,
        write: (next, { id }) =>
          copyVersion(sql, { ...merged, id, promptId: prompt.id, n: next, message, origin }, caller),
      },
    );
    await writeMerge(sql, at, { mergedN: version.n, callerId: caller.id });
    await count(sql, { subjectId: prompt.id, name: "openChangeRequests", delta: -1 });
    const { changeRequest } = eventDataOf({ ...request, publicUrl });
    const data = { changeRequest: { ...changeRequest, mergedVersionNumber: version.n } };
    await emit("change_request.merged", { prompt }, data);
    // The event goes to the owner, who did it. The author waits to hear of it.
    await notify("change_request.merged", { prompt, userId: authorId }, data);
    return {
      status: 200,
      json: print(await selectRequest(sql, { ...at, caller, publicUrl }), version.json),
      subject: { versionId: version.id },
    };
  },

  async replay({ caller, target: { prompt, n }, sql, server: { publicUrl }, subject }) {
    const request = await selectRequest(sql, { promptId: prompt.id, n, caller, publicUrl });
    return print(request, await readCommitted(sql, subject.versionId));
  },
};

/** @throws {ApiError} if the change request cannot be merged, whatever its files are. */
function refuse({ status, isAvailable, prompt }: ChangeRequestRow, expected?: number): void {
  if (status === "merged") throw apiError("change_request_merged");
  if (status === "closed") throw apiError("change_request_closed");
  if (!isAvailable) throw apiError("source_unavailable");
  if (expected !== undefined && expected !== prompt.lastVersion) {
    throw apiError("version_conflict", {
      message: `You expected version ${expected} to be the newest, but that is ${prompt.lastVersion}.`,
    });
  }
}

/**
 * The merged version. Its files are stored already. What is read from an entry file comes from the version that has it.
 * @throws {ApiError} `merge_conflict`, with the files.
 */
async function readMerge(sql: Sql, request: ChangeRequestRow, strategy: "auto" | "theirs" | undefined) {
  const { prompt, n } = request;
  const { three, ...sides } = await selectMergeSides(sql, { promptId: prompt.id, n });
  const merged = mergeFiles(three, strategy);
  refuseConflicts(merged);
  const files = mergedFiles(sql, sides, merged);
  const isEntryTheirs = merged.fromSource.includes(entryFiles[prompt.kind]);
  return {
    contentHash: await contentHash(await selectFiles(sql, files), (bytes) => hash("sha256", bytes)),
    from: isEntryTheirs ? sides.sourceVersionId : sides.targetVersionId,
    text: await selectEntry(sql, isEntryTheirs ? theirs(request) : ours(request)),
    files,
  };
}

const theirs = ({ source, sourceN: n }: ChangeRequestRow) => ({ promptId: source.id, n });
/** The version that a merge changes. If every version of the prompt is yanked, the base stands for it. */
const ours = (request: ChangeRequestRow) => {
  const { id, latestVersion } = request.prompt;
  return latestVersion === null ? baseOf(asProposal(request)) : { promptId: id, n: latestVersion };
};

/**
 * The latest version, and what a merge would make of it. Where both sides changed a file, that is the proposed one.
 * @throws {ApiError} if it cannot be merged.
 */
export async function previewMerge(sql: Sql, request: ChangeRequestRow): Promise<{ from: Side; to: Side }> {
  refuse(request);
  const { prompt } = request;
  const { files } = await readMerge(sql, request, "theirs");
  const [from, proposed, merged] = await Promise.all([
    selectSide(sql, ours(request)),
    selectSide(sql, theirs(request)),
    selectFiles(sql, files),
  ]);
  if (from === null || proposed === null)
    throw new Error(`a change request without its versions: ${prompt.id}`);
  const isEntryTheirs = merged.some(
    ({ path, sha256 }) =>
      path === entryFiles[prompt.kind] &&
      proposed.files.some((file) => file.path === path && file.sha256 === sha256),
  );
  const about = isEntryTheirs ? proposed : from;
  return { from, to: { ...about, n: prompt.lastVersion + 1, files: merged } };
}

function refuseConflicts({ conflicts }: MergedFiles): void {
  const [first] = conflicts;
  if (first === undefined) return;
  const others = conflicts.length > 1 ? ` ${conflicts.length - 1} more in details.` : "";
  const details = conflicts.map(({ path, code, message }) => ({ path, code, message }));
  throw apiError("merge_conflict", { message: `${first.message}${others}`, details });
}
