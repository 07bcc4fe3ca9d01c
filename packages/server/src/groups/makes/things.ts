import { one } from "../../database/rows.ts";
import type { JsonText } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import type { Caller } from "../../kernel/accounts/caller.ts";
import type { Replay } from "../../kernel/handler.ts";
import type { MultipartBody } from "../../kernel/input/multipart.ts";
import { checkOrder } from "../../kernel/lists/exact-order.ts";
import { hideMedia } from "../../kernel/media/uses.sql.ts";
import { type StoredUpload, storeUpload } from "../../kernel/media/upload.ts";
import type { ServerContext } from "../../kernel/server-context.ts";
import { lookingOf } from "../../kernel/media/looking.ts";
import { isMaker, touchMake } from "./makes.sql.ts";
import type { MakeRow } from "./target.ts";
import { deleteThing, orderThings, selectIds, selectThings, type ThingTable } from "./things.sql.ts";

// What the files, the gallery and the parts of a make have in common. All of it needs the lock of the make.

const names: Record<ThingTable, string> = {
  make_files: "file",
  gallery_items: "item in its gallery",
  make_parts: "part",
};

/** @throws {ApiError} `quota_exceeded` if a make has the most that it can have. */
export async function requireRoom(
  sql: Sql,
  table: ThingTable,
  { makeId, most, what }: { makeId: string; most: number; what: string },
): Promise<void> {
  if ((await selectIds(sql, table, makeId)).length < most) return;
  throw apiError("quota_exceeded", { message: `A make can have ${most} ${what}. Remove one first.` });
}

/** The ids of all of them, in their order, of which one must be. @throws {ApiError} `not_found`. */
export async function requireThing(
  sql: Sql,
  table: ThingTable,
  { make, id }: { make: MakeRow; id: string },
): Promise<string[]> {
  const ids = await selectIds(sql, table, make.id);
  if (!ids.includes(id)) throw apiError("not_found", { message: `This make has no ${names[table]} ${id}.` });
  return ids;
}

/** One of them as JSON. */
export async function shownThing(
  sql: Sql,
  table: ThingTable,
  { make, id, caller, server }: { make: MakeRow; id: string; caller: Caller | null; server: ServerContext },
): Promise<JsonText<never>> {
  return one(selectThings(sql, table, { makeId: make.id, id, ...lookingOf(caller, server) }));
}

/** The reply about one that was added. */
export async function added(
  sql: Sql,
  table: ThingTable,
  of: { make: MakeRow; id: string; caller: Caller; server: ServerContext },
) {
  await touchMake(sql, of.make.id);
  const json = await shownThing(sql, table, of);
  return { status: 201 as const, json, location: `${of.server.publicUrl}/api/v1/makes/${of.make.slug}` };
}

/** Puts them in another order. @throws {ApiError} `order_mismatch`. */
export const reordering = (table: ThingTable) => ({
  async handle({ body: { ids }, target: make, ...context }: Reordering) {
    const { sql } = context;
    const present = await selectIds(sql, table, make.id);
    checkOrder(ids, new Set(present));
    if (ids.join() !== present.join()) {
      await orderThings(sql, table, ids);
      await touchMake(sql, make.id);
    }
    const json = await inOrder(table, { ...context, makeId: make.id });
    return { status: 200 as const, json, subject: { id: make.id } };
  },
  replay: ({ subject, ...context }: Replay<unknown, unknown>) =>
    inOrder(table, { ...context, makeId: subject.id }),
});

interface Reordering {
  body: { ids: string[] };
  caller: Caller;
  target: MakeRow;
  sql: Sql;
  server: ServerContext;
}

/** All of them as JSON. */
async function inOrder(
  table: ThingTable,
  { sql, makeId, caller, server }: { sql: Sql; makeId: string; caller: Caller | null; server: ServerContext },
): Promise<JsonText<never>> {
  const items = await selectThings(sql, table, { makeId, ...lookingOf(caller, server) });
  return `{"items":[${items.join(",")}]}` as JsonText<never>;
}

/** Deletes one of them with what it shows, and moves those behind it up. Gives the ids that there were. */
export async function removeThing(
  sql: Sql,
  table: ThingTable,
  of: { make: MakeRow; id: string },
): Promise<string[]> {
  const ids = await requireThing(sql, table, of);
  await hideMedia(sql, of.id);
  await deleteThing(sql, table, of.id);
  await orderThings(
    sql,
    table,
    ids.filter((id) => id !== of.id),
  );
  await touchMake(sql, of.make.id);
  return ids;
}

/** @throws {ApiError} `not_found` if there was no make of the caller's yet when the file of a form came. */
export function requireStored(body: object, prepared: StoredUpload | null): void {
  if ("files" in body && prepared === null) throw apiError("not_found");
}

interface Upload {
  params: { slug: string };
  body: object | MultipartBody<object>;
  caller: Caller | null;
  server: ServerContext;
}

/** Stores the file of a form, unless the make is not the caller's: the request is refused then. Null without a file. */
export async function storeOwn(
  { params: { slug }, body, caller, server }: Upload,
  purpose: "show" | "file",
): Promise<StoredUpload | null> {
  if (!("files" in body) || caller === null || !(await isMaker(server.sql, { slug, accountId: caller.id })))
    return null;
  return storeUpload(body.files, purpose, { caller, server });
}
