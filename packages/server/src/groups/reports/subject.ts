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
}

/** The reported thing that a request is about. */
export function subjectOf(row: RowOf<ReportedKind>): Subject {
  const kind = row.type;
  if (row.type === "user") return { kind, id: row.id, address: row.handle, promptId: null, ownerId: row.id };
  if (row.type === "collection")
    return { kind, id: row.id, address: row.id, promptId: null, ownerId: row.ownerId };
  const prompt = row.type === "prompt" ? row : row.prompt;
  const of = { kind, promptId: prompt.id };
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
