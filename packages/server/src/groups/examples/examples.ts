import {
  type Example,
  type ExampleStatus,
  type JsonText,
  limits,
  type MediaKind,
  type OperationOf,
  type OrderedExamples,
} from "@promptreg/core";
import { apiError, invalid } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import { count } from "../../kernel/changes/counters.ts";
import { checkOrder } from "../../kernel/lists/exact-order.ts";
import { siteOf } from "../../kernel/media/looking.ts";
import { hideMedia, showMedia } from "../../kernel/media/uses.sql.ts";
import type { ServerContext } from "../../kernel/server-context.ts";
import { goesOn } from "../../kernel/lists/fitting.sql.ts";
import type { Context, Handler, HandlerWith, Replay } from "../../kernel/handler.ts";
import { hasNo, type PromptRow } from "../prompts/index.ts";
import {
  countPending,
  decideExample,
  deleteExample,
  exampleState,
  insertExample,
  orderExamples,
  selectApproved,
  selectExample,
  selectExamples,
  updateExample,
} from "./examples.sql.ts";
import type { ExampleRow } from "./target.ts";
import { owns, seesPrivate } from "../../kernel/accounts/ownership.ts";

const countApproved = (sql: Sql, { id }: PromptRow, delta: number) =>
  count(sql, { subjectId: id, name: "examples", delta });

const urlOf = (publicUrl: string, { ownerHandle, slug }: PromptRow, id: string) =>
  `${publicUrl}/api/v1/prompts/${ownerHandle}/${slug}/examples/${id}`;

/** @throws {ApiError} `validation_failed` unless an example has an answer. */
function requireAnswer(hasOne: boolean): void {
  if (!hasOne) throw invalid("/output", "An example needs an output, or media.");
}

const allKinds: readonly MediaKind[] = ["image", "video", "audio", "model3d", "file"];

const showWith = (
  sql: Sql,
  { id, mediaIds, authorId }: { id: string; mediaIds: readonly string[]; authorId: string },
) => showMedia(sql, { subjectId: id, ids: mediaIds, ownerId: authorId, kinds: allKinds, field: "/mediaIds" });

/** The example that is shown again if the first response was too long to be kept. */
const replay = ({ sql, server, subject }: Pick<Replay<unknown, unknown>, "sql" | "server" | "subject">) =>
  selectExample(sql, { id: subject.id, ...siteOf(server) });

export const list: Handler<"examples.list"> = async ({
  query,
  caller,
  target: prompt,
  page,
  sql,
  server,
}) => {
  const isChief = caller !== null && (caller.role === "admin" || seesPrivate(caller, prompt));
  const statuses: ExampleStatus[] = query.status ? [query.status] : ["approved", "pending"];
  const rows = await selectExamples(
    sql,
    {
      promptId: prompt.id,
      statuses,
      version: query.version,
      // Without an account there is no author.
      authorId: isChief ? null : (caller?.id ?? ""),
    },
    { ...page, ...siteOf(server) },
  );
  return page.reply<Example>(rows, { goesOn: goesOn(rows, page) });
};

/**
 * The position of one more approved example, after all others.
 * @throws {ApiError} `quota_exceeded`.
 */
async function nextPosition(sql: Sql, { id }: PromptRow): Promise<number> {
  const { ids, lastPosition } = await selectApproved(sql, id);
  if (ids.length < limits.approvedExamplesPerPrompt) return lastPosition + 1;
  throw apiError("quota_exceeded", {
    message: `A prompt can have ${limits.approvedExamplesPerPrompt} approved examples. Reject or delete one first.`,
  });
}

export const create: HandlerWith<"examples.create", {}> = {
  async handle({ body, caller, target: prompt, sql, notify, server }) {
    const { publicUrl } = server;
    const { versionNumber, title = null, mediaIds = [] } = body;
    requireAnswer(typeof body.output === "string" || mediaIds.length > 0);
    // Versions have no gaps.
    if ((versionNumber ?? 0) > prompt.lastVersion) throw hasNo(prompt, `version ${versionNumber}`);
    const of = { promptId: prompt.id, authorId: caller.id };
    const isOwn = owns(caller, prompt);
    if (!isOwn && (await countPending(sql, of)) >= limits.pendingExamplesPerAuthor) {
      throw apiError("quota_exceeded", {
        message: `You can have ${limits.pendingExamplesPerAuthor} pending examples of a prompt. Wait until its owner decides on one. If you delete one, it counts for another 24 hours.`,
      });
    }
    const position = isOwn ? await nextPosition(sql, prompt) : null;
    const id = await insertExample(sql, { ...of, example: body, position });
    if (mediaIds.length > 0) await showWith(sql, { id, mediaIds, authorId: caller.id });
    const location = urlOf(publicUrl, prompt, id);
    if (isOwn) await countApproved(sql, prompt, 1);
    else {
      const about = { prompt, userId: prompt.ownerId };
      await notify("example.submitted", about, { example: { id, title, url: location } });
    }
    const json = await selectExample(sql, { id, ...siteOf(server) });
    return { status: 201, json, location, subject: { id } };
  },
  replay,
};

export const get: HandlerWith<"examples.get", {}> = {
  state: exampleState,
  handle: async ({ target: { id }, sql, server }) => ({
    status: 200,
    json: await selectExample(sql, { id, ...siteOf(server) }),
  }),
};

export const update: Handler<"examples.update"> = async ({ body, target: example, sql, notify, server }) => {
  const { id, status, authorId, prompt } = example;
  const { output, mediaIds } = body;
  requireAnswer(
    (output === undefined ? example.hasOutput : output !== null) ||
      (mediaIds === undefined ? example.hasMedia : mediaIds.length > 0),
  );
  if (mediaIds !== undefined) await showWith(sql, { id, mediaIds, authorId });
  const isChanged = await updateExample(sql, { id, change: body });
  if (isChanged && status === "approved" && !owns({ id: authorId }, prompt)) {
    await decideExample(sql, { id, status: "pending" });
    await countApproved(sql, prompt, -1);
    const { title = example.title } = body;
    const named = { id, title, url: urlOf(server.publicUrl, prompt, id) };
    await notify("example.submitted", { prompt, userId: prompt.ownerId }, { example: named });
  }
  return { status: 200, json: await selectExample(sql, { id, ...siteOf(server) }) };
};

const remove: Handler<"examples.delete"> = async ({ target: { id, status, prompt }, sql, audit }) => {
  await hideMedia(sql, id);
  await deleteExample(sql, id);
  if (status === "approved") await countApproved(sql, prompt, -1);
  await audit("example.delete", id, { promptId: prompt.id });
  return { status: 204 };
};
export { remove as delete };

type Deciding = Pick<Context<OperationOf<"examples.approve">>, "caller" | "notify" | "audit" | "server">;

/** Notifies the author of an example of a decision, and records what an admin decided in place of the owner. */
async function notifyAuthor(
  { caller, notify, audit, server: { publicUrl } }: Deciding,
  { id, title, authorId, prompt }: ExampleRow,
  { status, reason = null }: { status: "approved" | "rejected"; reason?: string | null },
): Promise<void> {
  const named = { id, title, url: urlOf(publicUrl, prompt, id), status, reason };
  await notify("example.decided", { prompt, userId: authorId }, { example: named });
  if (!owns(caller, prompt)) await audit(`example.${status}`, id, { promptId: prompt.id, reason });
}

export const approve: HandlerWith<"examples.approve", {}> = {
  async handle(context) {
    const { target: example, sql, server } = context;
    const { id, status, prompt } = example;
    if (status !== "approved") {
      await decideExample(sql, { id, status: "approved", position: await nextPosition(sql, prompt) });
      await countApproved(sql, prompt, 1);
      await notifyAuthor(context, example, { status: "approved" });
    }
    return { status: 200, json: await selectExample(sql, { id, ...siteOf(server) }), subject: { id } };
  },
  replay,
};

export const reject: HandlerWith<"examples.reject", {}> = {
  async handle({ body, ...context }) {
    const { target: example, sql, server } = context;
    const { id, status, prompt, rejectReason } = example;
    const { reason = rejectReason } = body;
    if (status !== "rejected" || reason !== rejectReason) {
      await decideExample(sql, { id, status: "rejected", reason });
      if (status === "approved") await countApproved(sql, prompt, -1);
      await notifyAuthor(context, example, { status: "rejected", reason });
    }
    return { status: 200, json: await selectExample(sql, { id, ...siteOf(server) }), subject: { id } };
  },
  replay,
};

/** The approved examples of a prompt, as many as fit into a response. */
async function selectOrdered(
  sql: Sql,
  promptId: string,
  server: ServerContext,
): Promise<JsonText<OrderedExamples>> {
  const wanted = { promptId, statuses: ["approved"], authorId: null } as const;
  const page = { after: null, take: limits.approvedExamplesPerPrompt };
  const rows = await selectExamples(sql, wanted, { ...page, ...siteOf(server) });
  return `{"items":[${rows.map(({ item }) => item as string).join(",")}]}` as JsonText<OrderedExamples>;
}

export const reorder: HandlerWith<"examples.reorder", {}> = {
  async handle({ body: { ids }, caller, target: prompt, sql, audit, server }) {
    const { id } = prompt;
    checkOrder(ids, new Set((await selectApproved(sql, id)).ids));
    await orderExamples(sql, ids);
    if (!owns(caller, prompt)) await audit("example.reorder", id, { ids });
    return { status: 200, json: await selectOrdered(sql, id, server), subject: { id } };
  },
  replay: ({ sql, server, subject }) => selectOrdered(sql, subject.id, server),
};
