import { isDeepStrictEqual } from "node:util";
import { limits, type PostSummary, type UpdatePost } from "@promptreg/core";
import { apiError, invalid } from "@promptreg/core/errors";
import { lockAccount } from "../../kernel/accounts/accounts.ts";
import { requireBytes, selectStorage } from "../../kernel/changes/account-bytes.ts";
import { owns } from "../../kernel/accounts/ownership.ts";
import type { Handler, HandlerWith } from "../../kernel/handler.ts";
import { hideMedia } from "../../kernel/media/uses.sql.ts";
import { lookingOf } from "../../kernel/media/looking.ts";
import { slugOf } from "../prompts/index.ts";
import { countListed } from "./count.ts";
import { selectInReview, selectPosts } from "./list.sql.ts";
import {
  type About,
  countPosts,
  deletePost,
  insertPost,
  selectFreeSlug,
  updateAbout,
  writeDocument,
} from "./posts.sql.ts";
import { showPictures } from "./pictures.sql.ts";
import { decide } from "./review.ts";
import { appendPart } from "./series.sql.ts";
import { selectPost } from "./shown.sql.ts";
import type { PostRow } from "./target.ts";
import { prepareText, type Prepared } from "./text.ts";
import { replay, save, shown } from "./write.ts";

export { autosave, submit, unpublish, withdraw } from "./write.ts";

export const list: Handler<"posts.list"> = async ({ query, caller, page, sql, server }) => {
  const looking = lookingOf(caller, server);
  if (query.mine || query.status === undefined || query.status === "published")
    return page.reply<PostSummary>(await selectPosts(sql, { query, page, ...looking }));
  if (query.status === "draft" || caller === null || caller.role === "user")
    throw apiError("forbidden", {
      message: "Only moderators list what others have in review. List your own posts instead.",
    });
  const filter = (["author", "tag", "series", "slug", "q", "sort"] as const).find(
    (name) => query[name] !== undefined,
  );
  if (filter)
    throw invalid(`/${filter}`, "Leave this out: what is in review is listed whole, the oldest first.");
  return page.reply<PostSummary>(await selectInReview(sql, { page, ...looking }));
};

const slugTaken = (slug: string) =>
  apiError("slug_taken", { message: `You have or had a post with the slug ${slug}. Choose another.` });

export const create: HandlerWith<"posts.create", { prepared: Prepared }> = {
  prepare: async ({ body }) => (await prepareText({ body: body.body ?? "" })) as Prepared,

  async handle({ body, caller, others: { series }, prepared, sql, server }) {
    const { title, summary = null, tags = [], coverMediaId = null } = body;
    await lockAccount(sql, caller.id);
    if ((await countPosts(sql, caller.id)) >= limits.postsPerAccount) {
      throw apiError("quota_exceeded", {
        message: `You can have ${limits.postsPerAccount} posts. Delete one first.`,
      });
    }
    const slug =
      body.slug ?? (await selectFreeSlug(sql, { table: "posts", ownerId: caller.id, slug: slugOf(title) }));
    const text = { title, summary, ...prepared };
    const id = await insertPost(sql, { ownerId: caller.id, slug, tags, text });
    if (id === null) throw slugTaken(slug);
    requireBytes(server, { ...(await selectStorage(sql, caller.id)), more: 0 });
    if (coverMediaId !== null || series) {
      await showPictures(sql, { id, ownerId: caller.id, coverMediaId });
      await updateAbout(sql, id, { slug, tags, coverMediaId, seriesId: series?.id ?? null });
      if (series) await appendPart(sql, { id: series.id, postId: id });
    }
    const { json } = await selectPost(sql, { id, ...lookingOf(caller, server) });
    return { status: 201, json, location: `${server.publicUrl}/api/v1/posts/${id}`, subject: { id } };
  },
  replay,
};

export const get: Handler<"posts.get"> = async ({ caller, target: { id }, sql, server }) => ({
  status: 200,
  ...(await selectPost(sql, { id, ...lookingOf(caller, server) })),
});

/** What a request changes of a post beside its text. */
function aboutWith(post: PostRow, { slug, tags, coverMediaId, seriesId }: UpdatePost): About {
  return {
    slug: slug ?? post.slug,
    tags: tags ?? post.tags,
    coverMediaId: coverMediaId === undefined ? post.coverMediaId : coverMediaId,
    seriesId: seriesId === undefined ? post.seriesId : seriesId,
  };
}

export const update: HandlerWith<"posts.update", { prepared: Prepared | null }> = {
  prepare: ({ body }) => prepareText(body),

  async handle(context) {
    const { body, target: post, prepared, sql } = context;
    if (body.review) {
      await decide(context, post, body.review);
      return shown(context, post);
    }
    if (post.status === "in_review") throw apiError("post_in_review");
    const before: About = aboutWith(post, {});
    const after = aboutWith(post, body);
    const isOther = (field: keyof About) => !isDeepStrictEqual(before[field], after[field]);
    if ((Object.keys(before) as (keyof About)[]).some(isOther)) {
      // So that of two posts only one gets a slug.
      if (isOther("slug")) await lockAccount(sql, post.ownerId);
      if (isOther("coverMediaId")) await showPictures(sql, { ...post, ...after });
      if (!(await updateAbout(sql, post.id, after))) throw slugTaken(after.slug);
      if (isOther("seriesId") && after.seriesId !== null)
        await appendPart(sql, { id: after.seriesId, postId: post.id });
      if (isOther("tags")) {
        await countListed(sql, { before: post, after: { ...post, ...after } });
        await writeDocument(sql, post.id);
      }
    }
    await save(context, post, { sent: body, prepared, kind: "save" });
    return shown(context, post);
  },
};

const remove: Handler<"posts.delete"> = async ({ caller, target: post, sql, audit }) => {
  await hideMedia(sql, post.id);
  await deletePost(sql, post.id);
  await countListed(sql, { before: post, after: null });
  await audit("post.delete", post.id, { slug: post.slug, byAuthor: owns(caller, post) });
  return { status: 204 };
};
export { remove as delete };
