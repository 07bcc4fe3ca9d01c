import type { ChangeRequest } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import { parseRef } from "@promptreg/core/refs";
import { count } from "../../kernel/counters.ts";
import { revisionAlone } from "../../kernel/etag.ts";
import type { Handler, HandlerWith } from "../../kernel/handler.ts";
import { selectSides, showDiff } from "../prompts/index.ts";
import { requestState } from "./columns.sql.ts";
import { type Compared, compareLikely, requestUrl, requireProposable, statsOf, told } from "./propose.ts";
import {
  insertRequest,
  selectBase,
  selectLikely,
  selectRequest,
  selectRequests,
  sourceAt,
} from "./requests.sql.ts";

export { merge } from "./merge.ts";
export { update } from "./update.ts";

export const list: Handler<"changeRequests.list"> = async ({ query, caller, target, page, sql, server }) => {
  const { publicUrl } = server;
  return page.reply<ChangeRequest>(
    await selectRequests(sql, { promptId: target.id, query, page, caller, publicUrl }),
  );
};

export const create: HandlerWith<"changeRequests.create", { prepared: Compared | null }> = {
  async prepare({ body: { source }, caller, server: { sql } }) {
    const wanted = { sourceId: sourceAt(sql, parseRef(source.ref)), n: source.versionNumber };
    return compareLikely(sql, await selectLikely(sql, { ...wanted, callerId: caller.id }));
  },

  async handle({ body, caller, target: prompt, others: { source }, prepared, sql, emit, server }) {
    const { publicUrl } = server;
    const base = await selectBase(sql, { sourceId: source.id, targetId: prompt.id });
    if (base === null) throw apiError("not_a_fork");
    const sourceN = await requireProposable(sql, source, body.source.versionNumber);
    const proposal = { ...base, sourceId: source.id, sourceN };
    const { title, body: text = null } = body;
    const n = await insertRequest(sql, {
      ...proposal,
      targetId: prompt.id,
      authorId: caller.id,
      title,
      body: text,
      stats: await statsOf(sql, proposal, prepared),
    });
    if (n === null) throw apiError("change_request_exists");
    await count(sql, { subjectId: prompt.id, name: "openChangeRequests", delta: 1 });
    const about = { n, title, prompt, source, publicUrl, ...proposal };
    await emit("change_request.opened", { prompt }, told(about));
    return {
      status: 201,
      json: await selectRequest(sql, { promptId: prompt.id, n, caller, publicUrl }),
      location: requestUrl(publicUrl, prompt, n),
      subject: { n },
    };
  },

  again: ({ caller, target: prompt, sql, server: { publicUrl }, subject }) =>
    selectRequest(sql, { promptId: prompt.id, n: subject.n, caller, publicUrl }),
};

export const get: HandlerWith<"changeRequests.get", {}> = {
  state: (sql, { viewerId }) => requestState(sql, { viewerId }),

  handle: async ({ caller, target: { prompt, n }, sql, server: { publicUrl } }) => ({
    status: 200,
    json: await selectRequest(sql, { promptId: prompt.id, n, caller, publicUrl }),
  }),
};

export const diff: HandlerWith<"changeRequests.diff", {}> = {
  // Versions never change. Another one that is proposed raises the revision.
  state: revisionAlone,

  async handle({ query, target: { source, baseSourceN, sourceN }, accept, sql }) {
    const range = { from: { version: baseSourceN }, to: { version: sourceN } };
    const { from, to } = await selectSides(sql, { promptId: source.id, ...range });
    if (from === null || to === null) throw apiError("not_found");
    return showDiff(sql, { from, to }, { ...query, accept });
  },
};
