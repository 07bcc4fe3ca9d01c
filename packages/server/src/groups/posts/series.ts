import { limits, type SeriesSummary } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import { lockAccount } from "../../kernel/accounts/accounts.ts";
import type { Caller } from "../../kernel/accounts/caller.ts";
import { owns } from "../../kernel/accounts/ownership.ts";
import type { Handler, HandlerWith, Replay } from "../../kernel/handler.ts";
import { checkOrder } from "../../kernel/lists/exact-order.ts";
import type { ServerContext } from "../../kernel/server-context.ts";
import { lookingOf } from "../../kernel/media/looking.ts";
import { slugOf } from "../prompts/index.ts";
import { selectFreeSlug } from "./posts.sql.ts";
import {
  countSeries,
  deleteSeries,
  insertSeries,
  orderParts,
  selectParts,
  selectSeriesList,
  updateSeries,
} from "./series.sql.ts";
import { selectSeries } from "./shown.sql.ts";

const slugTaken = (slug: string) =>
  apiError("slug_taken", { message: `You have a series with the slug ${slug}. Choose another.` });

/** The reply about a series. */
async function shown(
  { caller, sql, server }: { caller: Caller | null; sql: Sql; server: ServerContext },
  id: string,
) {
  const found = await selectSeries(sql, { id, ...lookingOf(caller, server) });
  // A read has no lock: it may have been deleted since it was found.
  if (found === null) throw apiError("not_found");
  return { status: 200 as const, ...found, subject: { id } };
}
const replay = async ({ subject, ...context }: Replay<unknown, unknown>) =>
  (await shown(context, subject.id)).json;

export const list: Handler<"posts.series.list"> = async ({ caller, page, sql, server }) =>
  page.reply<SeriesSummary>(
    await selectSeriesList(sql, { ownerId: caller.id, page, ...lookingOf(caller, server) }),
  );

export const create: HandlerWith<"posts.series.create", {}> = {
  async handle(context) {
    const { body, caller, sql, server } = context;
    await lockAccount(sql, caller.id);
    if ((await countSeries(sql, caller.id)) >= limits.seriesPerAccount) {
      throw apiError("quota_exceeded", {
        message: `You can have ${limits.seriesPerAccount} series. Delete one first.`,
      });
    }
    const of = { ownerId: caller.id, slug: body.slug ?? slugOf(body.title) };
    const slug = body.slug ?? (await selectFreeSlug(sql, { table: "post_series", ...of }));
    const id = await insertSeries(sql, { ...body, ...of, slug });
    if (id === null) throw slugTaken(slug);
    return {
      ...(await shown(context, id)),
      status: 201,
      location: `${server.publicUrl}/api/v1/posts/series/${id}`,
    };
  },
  replay,
};

export const get: Handler<"posts.series.get"> = (context) => shown(context, context.target.id);

export const update: Handler<"posts.series.update"> = async (context) => {
  const { body, caller, target: series, sql, audit } = context;
  const after = { ...series, ...body };
  const isOther = (["slug", "title", "description"] as const).some((field) => after[field] !== series[field]);
  if (isOther) {
    // So that of two series only one gets a slug.
    if (after.slug !== series.slug) await lockAccount(sql, series.ownerId);
    if (!(await updateSeries(sql, after))) throw slugTaken(after.slug);
  }
  if (!owns(caller, series)) await audit("series.moderate", series.id, { ...body });
  return shown(context, series.id);
};

const remove: Handler<"posts.series.delete"> = async ({ target: { id, slug }, sql, audit }) => {
  await deleteSeries(sql, id);
  await audit("series.delete", id, { slug });
  return { status: 204 };
};
export { remove as delete };

export const reorder: HandlerWith<"posts.series.reorder", {}> = {
  async handle(context) {
    const {
      body: { postIds },
      target: { id },
      sql,
    } = context;
    const present = await selectParts(sql, id);
    checkOrder(postIds, new Set(present));
    if (postIds.join() !== present.join()) await orderParts(sql, id, postIds);
    return shown(context, id);
  },
  replay,
};
