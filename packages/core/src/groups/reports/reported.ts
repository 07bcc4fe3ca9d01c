import * as z from "zod";
import { handle, id, ref, slug } from "../../language/fields.ts";
import type { Schema } from "../../language/schema.ts";
import { changeRequestAddress, commentId, versionAddress } from "../comments/discussed.ts";

/** What can be reported, by kind, and how a request names it. One more kind is a line here, below, and in `actions.ts`. */
const reported = {
  prompt: ref,
  version: versionAddress,
  change_request: changeRequestAddress,
  comment: commentId,
  example: id("exm"),
  collection: id("col"),
  make: slug,
  post: id("pst"),
  user: handle,
} as const satisfies Record<string, Schema<string>>;

/** A kind of what can be reported. */
export type ReportedKind = keyof typeof reported;

/** Who may report each kind: whoever sees it. */
export const reporters = {
  prompt: "viewers",
  version: "viewers",
  change_request: "viewers",
  comment: "viewers",
  example: "viewers",
  collection: "viewers",
  make: "viewers",
  post: "viewers",
  user: "viewers",
} as const satisfies Record<ReportedKind, "viewers">;

/** What is reported. */
export interface ReportTarget {
  type: ReportedKind;
  /** `owner/slug`, `owner/slug@3`, `owner/slug!12`, the slug of a make, the handle of an account, or an id. */
  id: string;
}
export const ReportTarget: Schema<ReportTarget> = z
  .discriminatedUnion("type", [
    z.strictObject({ type: z.literal("prompt"), id: reported.prompt }).meta({ id: "ReportedPrompt" }),
    z.strictObject({ type: z.literal("version"), id: reported.version }).meta({ id: "ReportedVersion" }),
    z
      .strictObject({ type: z.literal("change_request"), id: reported.change_request })
      .meta({ id: "ReportedChangeRequest" }),
    z.strictObject({ type: z.literal("comment"), id: reported.comment }).meta({ id: "ReportedComment" }),
    z.strictObject({ type: z.literal("example"), id: reported.example }).meta({ id: "ReportedExample" }),
    z
      .strictObject({ type: z.literal("collection"), id: reported.collection })
      .meta({ id: "ReportedCollection" }),
    z.strictObject({ type: z.literal("make"), id: reported.make }).meta({ id: "ReportedMake" }),
    z.strictObject({ type: z.literal("post"), id: reported.post }).meta({ id: "ReportedPost" }),
    z.strictObject({ type: z.literal("user"), id: reported.user }).meta({ id: "ReportedUser" }),
  ])
  .meta({ id: "ReportTarget" });

/** What is reported, as a query names it. */
export const reportedTarget: Schema<string> = z
  .string()
  .max(140, { abort: true })
  .regex(/^(prompt|version|change_request|comment|example|collection|make|post|user):[a-z0-9@!_/-]+$/, {
    error: "must be what is reported, by its kind and its address, such as prompt:owner/slug",
  });
