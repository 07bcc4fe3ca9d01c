import { type ChangeRequest, limits } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import { parseRef } from "@promptreg/core/refs";
import { count } from "../../kernel/changes/counters.ts";
import type { Handler, HandlerWith } from "../../kernel/handler.ts";
import { type Rendered, render } from "../../kernel/markdown/rendered.ts";
import { promptIdAt, showDiff } from "../prompts/index.ts";
import { diffState, requestState } from "./columns.sql.ts";
import { previewMerge } from "./merge.ts";
import {
  asProposal,
  type Compared,
  compareLikely,
  existsError,
  requestUrl,
  requireBase,
  requireProposable,
  selectProposal,
  statsOf,
  eventDataOf,
} from "./propose.ts";
import {
  countRecent,
  insertRequest,
  selectBase,
  selectLikely,
  selectRequest,
  selectRequests,
} from "./requests.sql.ts";

export { merge } from "./merge.ts";
export { update } from "./update.ts";

export const list: Handler<"changeRequests.list"> = async ({ query, caller, target, page, sql, server }) => {
  const { publicUrl } = server;
  return page.reply<ChangeRequest>(
    await selectRequests(sql, { promptId: target.id, query, page, caller, publicUrl }),
  );
};

export const create: HandlerWith<
  "changeRequests.create",
  { prepared: { compared: Compared | null; text: Rendered } }
> = {
  async prepare({ body: { source, body = null }, caller, server: { sql } }) {
    const wanted = { sourceId: promptIdAt(sql, parseRef(source.ref)), n: source.versionNumber };
    const likely = await selectLikely(sql, { ...wanted, callerId: caller.id });
    return { compared: await compareLikely(sql, likely), text: await render(body) };
  },

  async handle({ body, caller, target: prompt, others: { source }, prepared, sql, emit, server }) {
    const { publicUrl } = server;
    const { title, baseVersionNumber } = body;
    const base = await selectBase(sql, { sourceId: source.id, targetId: prompt.id });
    if (base === null) throw apiError("not_a_fork");
    const sourceN = await requireProposable(sql, source, body.source.versionNumber);
    const declared = baseVersionNumber && (await requireBase(sql, prompt, baseVersionNumber));
    // Each is told to the owner, whom nobody may flood.
    if (
      (await countRecent(sql, { targetId: prompt.id, authorId: caller.id })) >= limits.changeRequestsPerDay
    ) {
      throw apiError("quota_exceeded", {
        message: `You opened ${limits.changeRequestsPerDay} change requests for this prompt in 24 hours. Edit one of them, or wait.`,
      });
    }
    const proposal = { ...base, ...declared, targetId: prompt.id, sourceId: source.id, sourceN };
    const n = await insertRequest(sql, {
      ...proposal,
      authorId: caller.id,
      title,
      body: prepared.text,
      stats: await statsOf(sql, proposal, prepared.compared),
    });
    if (n === null) throw await existsError(sql, source.id);
    await count(sql, { subjectId: prompt.id, name: "openChangeRequests", delta: 1 });
    const about = { n, title, prompt, source, publicUrl, ...proposal };
    await emit("change_request.opened", { prompt }, eventDataOf(about));
    return {
      status: 201,
      json: await selectRequest(sql, { promptId: prompt.id, n, caller, publicUrl }),
      location: requestUrl(publicUrl, prompt, n),
      subject: { n },
    };
  },

  replay: ({ caller, target: prompt, sql, server: { publicUrl }, subject }) =>
    selectRequest(sql, { promptId: prompt.id, n: subject.n, caller, publicUrl }),
};

export const get: HandlerWith<"changeRequests.get", {}> = {
  state: (sql) => requestState(sql),

  handle: async ({ caller, target: { prompt, n }, sql, server: { publicUrl } }) => ({
    status: 200,
    json: await selectRequest(sql, { promptId: prompt.id, n, caller, publicUrl }),
  }),
};

export const diff: HandlerWith<"changeRequests.diff", {}> = {
  // Versions never change. Another one that is proposed raises the revision.
  state: (sql) => diffState(sql),

  async handle({ query: { against, ...query }, target: request, accept, sql }) {
    const sides =
      against === "latest"
        ? await previewMerge(sql, request)
        : await selectProposal(sql, asProposal(request));
    return showDiff(sql, sides, { ...query, accept });
  },
};
