import type { CommentTarget, DiscussedKind } from "@promptreg/core";
import type { RowOf } from "../../kernel/target.ts";
import type { PromptRow } from "../prompts/index.ts";

/** What is commented on. */
export interface Discussion {
  /** As the column `target` has it. */
  key: string;
  /** Decides who sees it. */
  prompt: PromptRow;
}

/** The discussion of something that a request is about. */
export function discussionOf(row: RowOf<DiscussedKind>): Discussion {
  if (row.type === "prompt") return { key: row.id, prompt: row };
  const { prompt, n } = row;
  return { key: `${prompt.id}${row.type === "version" ? "@" : "!"}${n}`, prompt };
}

/** What is commented on, as answers and events name it: by its present address. */
export function addressOf({ key, prompt }: Discussion): CommentTarget {
  const rest = key.slice(prompt.id.length);
  const type = rest.startsWith("@") ? "version" : rest.startsWith("!") ? "change_request" : "prompt";
  return { type, id: `${prompt.ownerHandle}/${prompt.slug}${rest}` };
}

/** Where a comment is read, for programs and people. */
export function commentUrl(publicUrl: string, discussion: Discussion, id: string): string {
  const { type, id: address } = addressOf(discussion);
  return `${publicUrl}/api/v1/comments?target=${type}:${address}#${id}`;
}
