import * as z from "zod";
import { id, versionNumberText } from "../../language/fields.ts";
import { type Page, type PageQuery, pageOf, pageQuery } from "../../language/list.ts";
import { empty, json, op } from "../../operations/operation.ts";
import type { Schema } from "../../language/schema.ts";
import { PromptPath, promptPath } from "../prompts/schemas.ts";
import { CreateExample, Example, ExampleStatus, RejectExample, UpdateExample } from "./schemas.ts";

/** Which examples of a prompt to list. */
export interface ListExamples extends PageQuery {
  /** Only those with this status. Default: approved and pending ones. */
  status?: ExampleStatus;
  /** Only those of this version. */
  version?: number;
}
const ListExamples: Schema<ListExamples> = z.strictObject({
  ...pageQuery(),
  status: ExampleStatus.optional(),
  version: versionNumberText.optional(),
});

/** The new order of the approved examples of a prompt. */
export interface ReorderExamples {
  /** The id of every approved example, each once. */
  ids: string[];
}
const ReorderExamples: Schema<ReorderExamples> = z
  .strictObject({ ids: z.array(id("exm")).max(1_000) })
  .meta({ id: "ReorderExamples" });

/** The approved examples of a prompt, in their order. */
export interface OrderedExamples {
  items: Example[];
}
const OrderedExamples: Schema<OrderedExamples> = z
  .strictObject({ items: z.array(Example) })
  .meta({ id: "OrderedExamples" });

/** The id of an example. */
export interface ExampleId {
  id: string;
}
const ExampleId: Schema<ExampleId> = z.strictObject({ id: id("exm") });

/** An example below the address of its prompt. */
export interface ExamplePath extends PromptPath, ExampleId {}
const ExamplePath: Schema<ExamplePath> = z.strictObject({ ...promptPath, id: id("exm") });

export const examples = {
  /**
   * Lists the examples of a prompt: the approved ones in their order, then pending ones, oldest first. The owner of the
   * prompt sees all pending and rejected examples, others only their own. A page ends early at about 8 MiB.
   */
  list: op({
    route: "GET /prompts/{owner}/{slug}/examples",
    access: { auth: "optional", scope: "read", on: { prompt: "viewers" }, restricted: {} },
    params: PromptPath,
    query: ListExamples,
    results: { 200: json<Page<Example>>(pageOf(Example)) },
    errors: ["invalid_cursor"],
  }),
  /**
   * Adds an example to a prompt. If the prompt is yours, it is approved at once; otherwise it is pending, and the owner is
   * notified. 20 of your examples of a prompt can be pending. One that you delete counts for another 24 hours.
   */
  create: op({
    route: "POST /prompts/{owner}/{slug}/examples",
    access: { auth: "required", scope: "write", on: { prompt: "viewers" } },
    params: PromptPath,
    body: json(CreateExample),
    results: { 201: json(Example), 204: empty() },
    errors: ["quota_exceeded", "media_not_ready"],
  }),
  /** Gets an example. One that is not approved is visible to its author, the owner of its prompt and admins. */
  get: op({
    route: "GET /prompts/{owner}/{slug}/examples/{id}",
    access: { auth: "optional", scope: "read", on: { example: "viewers" }, restricted: {} },
    params: ExamplePath,
    results: { 200: json(Example) },
  }),
  /**
   * Edits your example. If it was approved and the prompt is not yours, it is pending again until the owner approves it. A
   * rejected one stays rejected.
   */
  update: op({
    route: "PATCH /prompts/{owner}/{slug}/examples/{id}",
    access: { auth: "required", scope: "write", on: { example: ["author"] } },
    params: ExamplePath,
    body: json(UpdateExample),
    results: { 200: json(Example), 204: empty() },
    errors: ["quota_exceeded", "media_not_ready"],
  }),
  /** Deletes an example. */
  delete: op({
    route: "DELETE /prompts/{owner}/{slug}/examples/{id}",
    access: { auth: "required", scope: "write", on: { example: ["author", "owner", "admin"] } },
    params: ExamplePath,
    results: { 204: empty() },
  }),
  /**
   * Puts the approved examples of a prompt in another order. The list must name each of them once. The response ends early
   * at about 8 MiB.
   */
  reorder: op({
    route: "POST /prompts/{owner}/{slug}/examples/reorder",
    access: { auth: "required", scope: "write", on: { prompt: ["owner", "admin"] } },
    params: PromptPath,
    body: json(ReorderExamples),
    results: { 200: json(OrderedExamples), 204: empty() },
    errors: ["order_mismatch"],
  }),
  /** Approves an example, and puts it after the others. It stays where it is if it is approved already. */
  approve: op({
    route: "POST /examples/{id}/approve",
    access: { auth: "required", scope: "write", on: { example: ["owner", "admin"] } },
    params: ExampleId,
    results: { 200: json(Example), 204: empty() },
    errors: ["quota_exceeded"],
  }),
  /** Rejects an example. An approved one is taken down. */
  reject: op({
    route: "POST /examples/{id}/reject",
    access: { auth: "required", scope: "write", on: { example: ["owner", "admin"] } },
    params: ExampleId,
    body: json(RejectExample),
    results: { 200: json(Example), 204: empty() },
  }),
};
