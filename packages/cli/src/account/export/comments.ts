import type { Comment, CommentTarget } from "@promptreg/client";
import type { CommentRecord } from "@promptreg/core/account";
import { ahead } from "../../requests/ahead.ts";
import { count, type Exporting } from "./run.ts";

/** Gathers what the account wrote on a prompt of its own, on its versions and on its change requests. */
export async function gatherOnPrompt(
  run: Exporting,
  { owner, slug }: { owner: string; slug: string },
  versions: readonly { n: number }[],
): Promise<void> {
  const ref = `${owner}/${slug}`;
  const targets: CommentTarget[] = [{ type: "prompt", id: ref }];
  for (const { n } of versions) targets.push({ type: "version", id: `${ref}@${n}` });
  for await (const { n } of run.client.changeRequests.list({ owner, slug, query: { limit: 100 } }))
    targets.push({ type: "change_request", id: `${ref}!${n}` });
  await gather(run, targets);
}

/** Gathers what the account wrote on some things, each thread before its replies. */
export async function gather(run: Exporting, targets: readonly CommentTarget[]): Promise<void> {
  for await (const found of ahead(targets, (target) => ownOn(run, target)))
    for (const comment of found) {
      await run.comments.add(comment);
      count(run, "comments");
    }
}

async function ownOn({ client, me }: Exporting, target: CommentTarget): Promise<CommentRecord[]> {
  const list = (of: string) => client.comments.list({ query: { target: of, limit: 100 } });
  const own: CommentRecord[] = [];
  const keep = ({ author, body, ...comment }: Comment) => {
    if (author?.handle !== me.handle || body === null) return;
    const { id, target, parentId, status, createdAt, editedAt } = comment;
    own.push({ id, target, parentId, body, status, createdAt, editedAt });
  };
  for await (const thread of list(`${target.type}:${target.id}`)) {
    keep(thread);
    const isWhole = thread.replyCount <= thread.replies.length;
    for await (const reply of isWhole ? thread.replies : list(`comment:${thread.id}`)) keep(reply);
  }
  return own;
}
