import {
  type Acting,
  contract,
  type Kind,
  listOperations,
  type OperationOf,
  type ReportAction,
  reportActions,
  type ReportedKind,
} from "@promptreg/core";
import { invalid } from "@promptreg/core/errors";
import { afterCommit } from "../../database/transaction.ts";
import type { Context } from "../../kernel/handler.ts";
import type { AnyRow, TargetKind } from "../../kernel/target.ts";
import { lockTarget } from "../../kernel/targets/load.ts";
import { permit } from "../../kernel/targets/permit.ts";
import { collections } from "../collections/index.ts";
import { comments } from "../comments/index.ts";
import { examples } from "../examples/index.ts";
import { makes } from "../makes/index.ts";
import { posts } from "../posts/index.ts";
import { prompts } from "../prompts/index.ts";
import { selectAddress, selectSlug } from "./reports.sql.ts";
import type { ReportRow } from "./target.ts";

type Handle = (context: object) => Promise<unknown>;

const handlers: Record<Acting["operation"], object> = {
  "prompts.update": prompts.handlers.update,
  "prompts.delete": prompts.handlers.delete,
  "prompts.versions.yank": prompts.handlers.versions.yank,
  "comments.hide": comments.handlers.hide,
  "comments.delete": comments.handlers.delete,
  "examples.reject": examples.handlers.reject,
  "examples.delete": examples.handlers.delete,
  "collections.update": collections.handlers.update,
  "collections.delete": collections.handlers.delete,
  "makes.delete": makes.handlers.delete,
  "posts.unpublish": posts.handlers.unpublish,
  "posts.delete": posts.handlers.delete,
};

/** What operations act on for each kind, and how it is found: a version by its prompt. */
const acted: Record<Exclude<ReportedKind, "change_request" | "user">, [Kind, TargetKind<AnyRow>]> = {
  prompt: ["prompt", prompts.targets.prompt],
  version: ["prompt", prompts.targets.prompt],
  comment: ["comment", comments.targets.comment],
  example: ["example", examples.targets.example],
  collection: ["collection", collections.targets.collection],
  make: ["make", makes.targets.make],
  post: ["post", posts.targets.post],
};

/** The address of what is acted on, with the parameters of a path that has it. */
async function addressOf({ sql }: Acts, { promptId, subjectId, kind }: ReportRow): Promise<object> {
  if (kind === "make") return { slug: await selectSlug(sql, subjectId) };
  if (promptId === null || (kind !== "prompt" && kind !== "version")) return { id: subjectId };
  const address = await selectAddress(sql, promptId);
  return kind === "version" ? { ...address, n: Number(subjectId.split("@")[1]) } : address;
}

type Acts = Context<OperationOf<"reports.update">, ReportRow>;

/**
 * Does something about a reported thing, by the handler of the operation that does so, with the permissions of that operation.
 * @throws {ApiError} `validation_failed` if this cannot be done about such a thing, or if it is no longer there; `forbidden`.
 */
export async function act(context: Acts, action: ReportAction, note: string | null): Promise<void> {
  const { target: report, caller, sql, server } = context;
  const { kind: reported } = report;
  const acting = reportActions[reported][action];
  if (acting === undefined || reported === "change_request" || reported === "user") {
    const possible = Object.keys(reportActions[reported]).join(" or ") || "none";
    throw invalid(
      "/action",
      `A ${reported.replaceAll("_", " ")} cannot be ${action} because of a report. Possible: ${possible}.`,
    );
  }
  const operation = listOperations(contract).find(({ id }) => id === acting.operation)?.operation;
  if (operation === undefined) throw new Error(`no such operation: ${acting.operation}`);
  const [kind, target] = acted[reported];
  const address = await addressOf(context, report);
  const row = await lockTarget(sql, target, address);
  const isTakenBack =
    reported === "post" && action === "hidden" && (row as { publicId?: unknown } | null)?.publicId === null;
  if (row === null || isTakenBack || target.visibility(row, caller) !== "visible")
    throw invalid(
      "/action",
      "This is not there any more: nothing can be done to it. Decide without an action.",
    );
  const body = { ...acting.body, ...(acting.reasonIn && { [acting.reasonIn]: note }) };
  const { access, fields = {} } = operation;
  permit(
    {
      aim: { about: { on: access.on ?? {} }, kinds: [{ kind, target }] },
      named: { kind: { kind, target }, address },
      row,
    },
    caller,
    { rules: fields, names: Object.keys(body) },
  );
  const handler = handlers[acting.operation] as Handle | { handle: Handle };
  const handle = typeof handler === "function" ? handler : handler.handle;
  await handle({ ...context, params: address, body, target: row });
  const changed = row.prompt ?? row;
  const { id } = changed;
  if (report.promptId !== null && id !== undefined)
    afterCommit(sql, () => server.bus.announce({ ...changed, id }));
}
