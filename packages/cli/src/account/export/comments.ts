import type { Comment } from "@promptreg/client";
import type { CommentRecord } from "@promptreg/core/account";
import type { Entries } from "./entries.ts";
import { count, type Exporting, oldestFirst } from "./run.ts";

/** What the account wrote, the oldest first. Comments on one thing follow one another, so that an import looks there once. */
export async function* commentEntries(run: Exporting): Entries {
  const lines = await run.spool.lines();
  const list = run.client.comments.list({ query: { author: "me", limit: 100 } });
  const byTarget = Map.groupBy(
    await oldestFirst(list, recordOf),
    ({ target }) => `${target.type}:${target.id}`,
  );
  for (const comment of [...byTarget.values()].flat()) {
    await lines.add(comment);
    count(run, "comments");
  }
  yield* lines.entry("comments.jsonl");
}

// None of them is deleted, so that each has a body.
const recordOf = ({ id, target, parentId, body, status, createdAt, editedAt }: Comment): CommentRecord => ({
  id,
  target,
  parentId,
  body: body ?? "",
  status,
  createdAt,
  editedAt,
});
