import type { WholeRevision } from "@promptreg/core";
import type { Context } from "../settings/context.ts";
import { cell, plain } from "../terminal/text.ts";
import { workingOf } from "./file.ts";
import { stateOf } from "./find.ts";
import { findRevision, type RevisionName } from "./revisions.ts";

export async function viewPost(
  { connect, output }: Context,
  id: string,
  { published = false, revision: named }: { published?: boolean; revision?: RevisionName },
): Promise<void> {
  const client = await connect();
  const post = await client.posts.get({ id });
  const revision: WholeRevision | null =
    named === undefined
      ? null
      : await client.posts.revisions.get({ id, revisionId: await findRevision(client, id, named) });
  const { title, summary, body } = revision ?? (published ? post : workingOf(post));
  const { workingCopy, review, submission } = post;
  output.result(revision ? { ...post, revision } : post, () =>
    [
      output.fields([
        ["title", output.colors.bold(cell(title))],
        ["summary", cell(summary ?? "none")],
        ["author", cell(post.author.handle)],
        ["status", stateOf(post)],
        ...(revision ? [["revision", `${revision.number}, ${revision.kind}`] as const] : []),
        ...(workingCopy && !revision
          ? [
              [
                "text",
                published
                  ? "what is published; without --published, what is being written"
                  : `what is being written, saved ${output.moment(workingCopy.savedAt)}; --published shows the other`,
              ] as const,
            ]
          : []),
        ["tags", cell(post.tags.join(", ") || "none")],
        ["series", post.series ? `${post.series.id} ${cell(post.series.title)}` : "none"],
        ["cover", post.cover?.id ?? "none"],
        ["votes", `${post.votes.up} up, ${post.votes.down} down`],
        ["comments", String(post.commentCount)],
        ...(submission ? [["revision", submission.revisionId] as const] : []),
        ...(submission ? [["note", cell(submission.note ?? "none")] as const] : []),
        ...(review
          ? [
              [
                submission ? "last review" : "review",
                cell([review.decision, review.reason].filter(Boolean).join(": ")),
              ] as const,
            ]
          : []),
        ["url", cell(post.url)],
      ]),
      plain(body).trimEnd(),
    ]
      .filter(Boolean)
      .join("\n\n"),
  );
}
