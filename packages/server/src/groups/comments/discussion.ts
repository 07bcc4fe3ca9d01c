import type { CommentTarget, DiscussedKind } from "@promptreg/core";
import { owns } from "../../kernel/accounts/ownership.ts";
import type { Caller } from "../../kernel/accounts/caller.ts";
import type { RowOf, Visibility } from "../../kernel/target.ts";
import { type MakeRow, makeTarget } from "../makes/index.ts";
import { type PostRow, postTarget } from "../posts/index.ts";
import { type PromptRow, promptTarget } from "../prompts/index.ts";

/** What is commented on that is no part of a prompt. */
export type OtherPlace = (MakeRow & { type: "make" }) | (PostRow & { type: "post" });

/** What is commented on. Its prompt, or the other place, decides who sees it. */
export type Discussion = {
  /** As the column `target` has it. */
  key: string;
} & ({ prompt: PromptRow; other: null } | { prompt: null; other: OtherPlace });

/** The discussion of something that a request is about. */
export function discussionOf(row: RowOf<DiscussedKind>): Discussion {
  if (row.type === "make" || row.type === "post") return { key: row.id, prompt: null, other: row };
  if (row.type === "prompt") return { key: row.id, prompt: row, other: null };
  const { prompt, n } = row;
  return { key: `${prompt.id}${row.type === "version" ? "@" : "!"}${n}`, prompt, other: null };
}

/** The prompt, or what else a discussion is about. */
const placeOf = ({ prompt, other }: Discussion): PromptRow | OtherPlace => prompt ?? other;

/** Whose the thing is that is discussed. */
export const ownerIdOf = (discussion: Discussion): string => placeOf(discussion).ownerId;
export const ownsDiscussed = (caller: Pick<Caller, "id">, discussion: Discussion): boolean =>
  owns(caller, placeOf(discussion));
/** Whether only its owner sees it yet. */
export const isDraft = (discussion: Discussion): boolean =>
  discussion.other?.type === "post"
    ? discussion.other.publicId === null
    : placeOf(discussion).status === "draft";
/** The id of what its comments are counted for. */
export const placeIdOf = (discussion: Discussion): string => placeOf(discussion).id;

/** Whether an account sees what is discussed. */
export function sees({ prompt, other }: Discussion, caller: Pick<Caller, "id" | "role"> | null): Visibility {
  if (prompt !== null) return promptTarget.visibility(prompt, caller);
  return other.type === "make" ? makeTarget.visibility(other, caller) : postTarget.visibility(other, caller);
}

/** What is commented on, as answers and events name it: by its present address. */
export function addressOf({ key, prompt, other }: Discussion): CommentTarget {
  if (prompt === null) return { type: other.type, id: other.type === "make" ? other.slug : other.id };
  const rest = key.slice(prompt.id.length);
  const type = rest.startsWith("@") ? "version" : rest.startsWith("!") ? "change_request" : "prompt";
  return { type, id: `${prompt.ownerHandle}/${prompt.slug}${rest}` };
}

/** Where a comment is read, for programs and people. */
export function commentUrl(publicUrl: string, discussion: Discussion, id: string): string {
  const { type, id: address } = addressOf(discussion);
  return `${publicUrl}/api/v1/comments?target=${type}:${address}#${id}`;
}
