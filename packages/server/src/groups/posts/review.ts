import type { OperationOf, ReviewDecision, ReviewPost } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import { owns } from "../../kernel/accounts/ownership.ts";
import type { Context } from "../../kernel/handler.ts";
import { countListed } from "./count.ts";
import { showPictures } from "./pictures.sql.ts";
import { type Move, movePost } from "./posts.sql.ts";
import type { PostRow } from "./target.ts";

type Deciding = Pick<Context<OperationOf<"posts.update">>, "caller" | "sql" | "server" | "notify" | "audit">;

/** Publishes the text of a post that is being written. */
export async function publishWorking(
  { sql }: Pick<Deciding, "sql">,
  post: PostRow,
  decision?: Move["decision"],
): Promise<void> {
  await movePost(sql, post.id, { status: "published", publish: "working", ...(decision && { decision }) });
  await showPictures(sql, post);
  await countListed(sql, { before: post, after: { ...post, publicId: post.workingId } });
}

/** Tells the author of a post what a moderator decided, and notes it. */
async function tell(
  { server, notify, audit }: Deciding,
  { id, title, ownerId }: PostRow,
  { decision, reason }: { decision: ReviewDecision; reason: string | null },
): Promise<void> {
  const data = { post: { id, title, url: `${server.publicUrl}/posts/${id}` }, decision, reason };
  await notify("post.reviewed", { prompt: null, userId: ownerId, subjectId: id }, data);
  await audit(`post.${decision}`, id, { reason });
}

/** Decides about a post that is in review, if that is not decided so already. Nobody decides about their own. */
export async function decide(
  context: Deciding,
  post: PostRow,
  { decision, reason, revisionId }: ReviewPost,
): Promise<void> {
  const { caller, sql } = context;
  if (owns(caller, post))
    throw apiError("own_content", { message: "Another moderator decides about your own post." });
  const isDecided = decision === "approved" ? post.publicId === revisionId : post.decision === "rejected";
  if (post.status !== "in_review" && isDecided) return;
  if (post.status !== "in_review") throw apiError("post_not_in_review");
  // Its author may have withdrawn what was read, and submitted something else.
  if (post.workingId !== revisionId) throw apiError("post_changed");
  const why = { decision, reason: reason || null };
  const by = { ...why, by: caller.id };
  if (decision === "approved") await publishWorking(context, post, by);
  else await movePost(sql, post.id, { status: post.publicId === null ? "draft" : "published", decision: by });
  await tell(context, post, why);
}

/** Takes back what is published of a post. `moderation`: a moderator does it. */
export async function unpublishNow(
  context: Deciding,
  post: PostRow,
  moderation: { reason: string | null } | null,
): Promise<void> {
  const { caller, sql } = context;
  const why = moderation && { decision: "unpublished" as const, ...moderation };
  await movePost(sql, post.id, {
    status: "draft",
    publish: "none",
    ...(why && { decision: { ...why, by: caller.id } }),
  });
  await countListed(sql, { before: post, after: { ...post, publicId: null } });
  if (why) await tell(context, post, why);
}
