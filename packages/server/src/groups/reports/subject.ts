import type { ReportedKind } from "@promptreg/core";
import type { RowOf } from "../../kernel/target.ts";

/** A thing that is reported. */
export interface Subject {
  kind: ReportedKind;
  /** As the column `subject_id` has it. */
  id: string;
  address: string;
  promptId: string | null;
  ownerId: string;
  /** Whether nobody but its owner sees it, or its prompt, yet. */
  isDraft: boolean;
}

/** The reported thing that a request is about. */
export function subjectOf(row: RowOf<ReportedKind>): Subject {
  const kind = row.type;
  const alone = { kind, promptId: null, isDraft: false };
  if (row.type === "user") return { ...alone, id: row.id, address: row.handle, ownerId: row.id };
  if (row.type === "collection") return { ...alone, id: row.id, address: row.id, ownerId: row.ownerId };
  if (row.type === "make")
    return { ...alone, id: row.id, address: row.slug, ownerId: row.ownerId, isDraft: row.status === "draft" };
  if (row.type === "post")
    return { ...alone, id: row.id, address: row.id, ownerId: row.ownerId, isDraft: row.publicId === null };
  // On a make or a post.
  if (row.type === "comment" && row.prompt === null)
    return { ...alone, id: row.id, address: row.id, ownerId: row.authorId };
  const prompt = row.type === "prompt" ? row : row.prompt;
  const of = { kind, promptId: prompt.id, isDraft: prompt.status === "draft" };
  const ref = `${prompt.ownerHandle}/${prompt.slug}`;
  switch (row.type) {
    case "prompt":
      return { ...of, id: row.id, address: ref, ownerId: row.ownerId };
    case "version":
      return { ...of, id: `${prompt.id}@${row.n}`, address: `${ref}@${row.n}`, ownerId: prompt.ownerId };
    case "change_request":
      return { ...of, id: `${prompt.id}!${row.n}`, address: `${ref}!${row.n}`, ownerId: row.authorId };
    default:
      return { ...of, id: row.id, address: row.id, ownerId: row.authorId };
  }
}
