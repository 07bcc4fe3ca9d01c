import { isDeepStrictEqual } from "node:util";
import { type CollectionSummary, limits, type Memberships, type UpdateCollection } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import { lockAccount } from "../../kernel/accounts/accounts.ts";
import type { Caller } from "../../kernel/accounts/caller.ts";
import { owns } from "../../kernel/accounts/ownership.ts";
import type { Handler } from "../../kernel/handler.ts";
import { hideMedia, showMedia } from "../../kernel/media/uses.sql.ts";
import { lookingOf } from "../../kernel/media/looking.ts";
import {
  type About,
  countCollections,
  deleteCollection,
  insertCollection,
  updateCollection,
} from "./collections.sql.ts";
import { selectCollections, selectMemberships } from "./list.sql.ts";
import { show, showFirst } from "./show.ts";

export const list: Handler<"collections.list"> = async ({ query, caller, page, sql, server }) => {
  const wanted = { query, page, ...lookingOf(caller, server) };
  return page.reply<CollectionSummary>(await selectCollections(sql, wanted));
};

export const create: Handler<"collections.create"> = async ({ body, caller, sql, server }) => {
  await lockAccount(sql, caller.id);
  if ((await countCollections(sql, caller.id)) >= limits.collectionsPerAccount) {
    throw apiError("quota_exceeded", {
      message: `You can have ${limits.collectionsPerAccount} collections. Delete one first.`,
    });
  }
  const id = await insertCollection(sql, caller.id, body);
  const collection = { id, ownerId: caller.id };
  const { json } = await showFirst(sql, { collection, caller, server });
  return { status: 201, json, location: `${server.publicUrl}/api/v1/collections/${id}` };
};

export const get: Handler<"collections.get"> = ({
  query: { type },
  caller,
  target: collection,
  page,
  sql,
  server,
}) => show(sql, { collection, caller, server }, { page, type });

export const update: Handler<"collections.update"> = async ({
  body,
  caller,
  target: collection,
  sql,
  audit,
  server,
}) => {
  const { id, title, description, visibility, coverMediaId } = collection;
  const before: About = { title, description, visibility, coverMediaId };
  const after = { ...before, ...body };
  const changed = (Object.keys(before) as (keyof UpdateCollection)[]).filter(
    (field) => !isDeepStrictEqual(before[field], after[field]),
  );
  if (changed.length > 0) {
    if (changed.includes("coverMediaId"))
      await showCover(sql, { id, caller, coverMediaId: after.coverMediaId });
    await updateCollection(sql, id, after);
    const of = (said: About) => Object.fromEntries(changed.map((field) => [field, said[field]]));
    const change = { from: of(before), to: of(after) };
    if (!owns(caller, collection)) await audit("collection.moderate", id, change);
    else if (changed.includes("visibility")) await audit("collection.visibility", id, change);
  }
  return showFirst(sql, { collection, caller, server });
};

const showCover = (
  sql: Sql,
  { id, caller, coverMediaId }: { id: string; caller: Caller; coverMediaId: string | null },
) =>
  showMedia(sql, {
    subjectId: id,
    ids: coverMediaId === null ? [] : [coverMediaId],
    ownerId: caller.id,
    kinds: ["image"],
    field: "/coverMediaId",
  });

const remove: Handler<"collections.delete"> = async ({ target: { id }, sql, audit }) => {
  await hideMedia(sql, id);
  await deleteCollection(sql, id);
  await audit("collection.delete", id);
  return { status: 204 };
};
export { remove as delete };

export const membership: Handler<"collections.membership"> = async ({ caller, target, sql }) => {
  const rows = await selectMemberships(sql, { ownerId: caller.id, targetId: target.id });
  const items = rows.map(({ item }) => JSON.parse(item) as Memberships["items"][number]);
  return { status: 200, json: { items, nextCursor: null } };
};
