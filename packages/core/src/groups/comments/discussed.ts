import * as z from "zod";
import { id, ref, slug } from "../../language/fields.ts";
import type { Schema } from "../../language/schema.ts";

const address = (pattern: RegExp, error: string): Schema<string> =>
  z.string().max(115, { abort: true }).regex(pattern, { error });

/** `owner/slug@3`. */
export const versionAddress: Schema<string> = address(
  /^[a-z0-9]+(-[a-z0-9]+)*\/[a-z0-9]+(-[a-z0-9]+)*@[1-9]\d{0,8}$/,
  "must be the address of a version, such as owner/slug@3",
);
/** `owner/slug!12`. */
export const changeRequestAddress: Schema<string> = address(
  /^[a-z0-9]+(-[a-z0-9]+)*\/[a-z0-9]+(-[a-z0-9]+)*![1-9]\d{0,8}$/,
  "must be the address of a change request, such as owner/slug!12",
);

/** What can be commented on, by kind, and how a request names it. One more kind is a line here and below. */
const discussed = {
  prompt: ref,
  version: versionAddress,
  change_request: changeRequestAddress,
  make: slug,
  post: id("pst"),
} as const satisfies Record<string, Schema<string>>;

/** A kind of what can be commented on. */
export type DiscussedKind = keyof typeof discussed;

/** Who may comment on each kind: whoever sees it. */
export const viewers = {
  prompt: "viewers",
  version: "viewers",
  change_request: "viewers",
  make: "viewers",
  post: "viewers",
} as const satisfies Record<DiscussedKind, "viewers">;

/** Who may lock the comments on each kind. */
export const lockers = {
  prompt: ["owner", "moderator"],
  version: ["owner", "moderator"],
  change_request: ["owner", "moderator"],
  make: ["maker", "moderator"],
  post: ["author", "moderator"],
} as const satisfies Record<DiscussedKind, readonly string[]>;

/** What is commented on. */
export interface CommentTarget {
  type: DiscussedKind;
  /** `owner/slug`, `owner/slug@3`, `owner/slug!12`, the slug of a make, or the id of a post. */
  id: string;
}
export const CommentTarget: Schema<CommentTarget> = z
  .discriminatedUnion("type", [
    z.strictObject({ type: z.literal("prompt"), id: discussed.prompt }).meta({ id: "OnPrompt" }),
    z.strictObject({ type: z.literal("version"), id: discussed.version }).meta({ id: "OnVersion" }),
    z
      .strictObject({ type: z.literal("change_request"), id: discussed.change_request })
      .meta({ id: "OnChangeRequest" }),
    z.strictObject({ type: z.literal("make"), id: discussed.make }).meta({ id: "OnMake" }),
    z.strictObject({ type: z.literal("post"), id: discussed.post }).meta({ id: "OnPost" }),
  ])
  .meta({ id: "CommentTarget" });

const unseen = address(
  /^(prm|mak)_[0-9a-hjkmnp-tv-z]{26}([@!][1-9]\d{0,8})?$/,
  "must be the id of a prompt or a make, such as prm_01jd…",
);
/** What a comment is on, as its author is shown it: by its address, or by its id if they do not see it any more. A post has one for both. */
export const ShownTarget: Schema<CommentTarget> = z.union([
  CommentTarget,
  z
    .strictObject({ type: z.enum(["prompt", "version", "change_request", "make"]), id: unseen })
    .meta({ id: "OnUnseen" }),
]);

const named =
  "(prompt:[^@!]{3,104}|version:[^@!]{3,104}@\\d{1,9}|change_request:[^@!]{3,104}!\\d{1,9}|make:[a-z0-9-]{1,64}|post:pst_[0-9a-hjkmnp-tv-z]{26})";
const text = (pattern: RegExp, error: string): Schema<string> =>
  z.string().max(140, { abort: true }).regex(pattern, { error });

/** What is commented on, as a query names it. */
export const discussedTarget: Schema<string> = text(
  new RegExp(`^${named}$`),
  "must be what is commented on, by its kind and its address, such as prompt:owner/slug",
);
/** The same, or a comment, whose replies are meant. */
export const threadTarget: Schema<string> = text(
  new RegExp(`^(${named}|comment:cmt_[0-9a-hjkmnp-tv-z]{26})$`),
  "must be what is commented on, by its kind and its address, such as prompt:owner/slug, or comment:…",
);

/** The id of a comment. */
export const commentId: Schema<string> = id("cmt");
