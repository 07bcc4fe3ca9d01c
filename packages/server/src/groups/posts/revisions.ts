import type { PostRevision } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import { owns } from "../../kernel/accounts/ownership.ts";
import type { Handler, HandlerWith } from "../../kernel/handler.ts";
import { selectRevision } from "./posts.sql.ts";
import { selectRevisions, selectWhole } from "./revisions.sql.ts";
import { textWith } from "./text.ts";
import { replay, shown, workingOf, write } from "./write.ts";

const missing = (id: string) =>
  apiError("not_found", { message: `This post has no revision ${id} that you can see.` });

export const list: Handler<"posts.revisions.list"> = async ({ caller, target: post, page, sql, server }) =>
  page.reply<PostRevision>(
    await selectRevisions(sql, {
      postId: post.id,
      isAuthor: owns(caller, post),
      page,
      publicUrl: server.publicUrl,
    }),
  );

export const get: Handler<"posts.revisions.get"> = async ({
  params: { revisionId },
  caller,
  target: post,
  sql,
  server: { publicUrl },
}) => {
  const isAuthor = owns(caller, post);
  const json = await selectWhole(sql, { postId: post.id, id: revisionId, isAuthor, publicUrl });
  if (json === null) throw missing(revisionId);
  return { status: 200, json };
};

export const restore: HandlerWith<"posts.revisions.restore", {}> = {
  async handle(context) {
    const {
      params: { revisionId },
      target: post,
      sql,
    } = context;
    if (post.status === "in_review") throw apiError("post_in_review");
    const old = await selectRevision(sql, { postId: post.id, id: revisionId });
    if (old === null) throw missing(revisionId);
    const working = await workingOf(sql, post);
    await write(context, post, { working, text: textWith(old, {}, null), kind: "restore" });
    return shown(context, post);
  },
  replay,
};
