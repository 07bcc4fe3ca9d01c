import type { UpdateChangeRequest } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import { count } from "../../kernel/changes/counters.ts";
import type { HandlerWith } from "../../kernel/handler.ts";
import { type Rendered, render } from "../../kernel/markdown/rendered.ts";
import {
  asProposal,
  type Compared,
  compareLikely,
  existsError,
  requestUrl,
  requireBase,
  requireProposable,
  statsOf,
} from "./propose.ts";
import {
  type Proposal,
  selectBase,
  selectLikely,
  selectRequest,
  sourceOf,
  updateRequest,
} from "./requests.sql.ts";
import type { ChangeRequestRow } from "./target.ts";
import { owns } from "../../kernel/accounts/ownership.ts";

/** What was prepared: each is null if nothing of it is changed. */
interface Prepared {
  compared: Compared | null;
  text: Rendered | null;
}

export const update: HandlerWith<"changeRequests.update", { prepared: Prepared }> = {
  async prepare({ params, body: { versionNumber: n, body }, caller, server: { sql } }) {
    const likely = n === undefined ? null : { sourceId: sourceOf(sql, params), n, callerId: caller.id };
    return {
      compared: likely && (await compareLikely(sql, await selectLikely(sql, likely))),
      text: body === undefined ? null : await render(body),
    };
  },

  async handle({ body, caller, target: request, prepared, sql, audit, notify, server: { publicUrl } }) {
    const { prompt, n, title, authorId } = request;
    const at = { promptId: prompt.id, n };
    const state = body.state ?? request.status;
    if (isOther(request, body)) {
      if (request.status === "merged" || state === "merged") throw apiError("change_request_merged");
      const proposal = await proposalOf(sql, request, body);
      const isDone = await updateRequest(sql, at, {
        ...proposal,
        title: body.title ?? title,
        body: prepared.text,
        state,
        stats: await statsOf(
          sql,
          proposal,
          prepared.compared ?? { ...asProposal(request), stats: request.stats },
        ),
        callerId: caller.id,
      });
      if (!isDone) throw await existsError(sql, request.source.id);
      if (state !== request.status) {
        const delta = state === "open" ? 1 : -1;
        await count(sql, { subjectId: prompt.id, name: "openChangeRequests", delta });
        if (caller.id !== authorId && !owns(caller, prompt))
          await audit("change_request.moderate", prompt.id, { n, state });
        if (state === "closed") {
          const changeRequest = { n, title, url: requestUrl(publicUrl, prompt, n) };
          await notify("change_request.closed", { prompt, userId: authorId }, { changeRequest });
        }
      }
    }
    return { status: 200, json: await selectRequest(sql, { ...at, caller, publicUrl }) };
  },
};

/** Whether an edit changes anything. */
const isOther = (
  request: ChangeRequestRow,
  { title, body, versionNumber, baseVersionNumber, state }: UpdateChangeRequest,
) =>
  (baseVersionNumber !== undefined &&
    (baseVersionNumber !== request.baseN || request.baseSourceN !== null)) ||
  (title ?? request.title) !== request.title ||
  (body === undefined ? request.body : body) !== request.body ||
  (versionNumber ?? request.sourceN) !== request.sourceN ||
  (state ?? request.status) !== request.status;

/**
 * What an edited change request proposes. While it was closed, another one of its source may have been merged: if it is reopened,
 * it has another base, unless its author declared one.
 * @throws {ApiError} `source_unavailable`, `not_found` or `version_yanked`.
 */
async function proposalOf(
  sql: Sql,
  request: ChangeRequestRow,
  { versionNumber, baseVersionNumber, state }: UpdateChangeRequest,
): Promise<Proposal> {
  const { source, prompt, sourceN, baseSourceN } = request;
  const isOther = versionNumber !== undefined && versionNumber !== sourceN;
  if (isOther && source.isDeleted) throw apiError("source_unavailable");
  const isReopened = state === "open" && request.status === "closed" && baseSourceN !== null;
  const base = isReopened ? await selectBase(sql, { sourceId: source.id, targetId: prompt.id }) : null;
  const declared = baseVersionNumber && (await requireBase(sql, prompt, baseVersionNumber));
  return {
    ...asProposal(request),
    ...base,
    ...declared,
    sourceN: isOther ? await requireProposable(sql, source, versionNumber) : sourceN,
  };
}
