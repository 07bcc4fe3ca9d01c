import type { Collection, CollectionItem } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import type { Caller } from "../../kernel/accounts/caller.ts";
import { openPage, type Page } from "../../kernel/lists/page.ts";
import type { ServerContext } from "../../kernel/server-context.ts";
import { lookingOf } from "../../kernel/media/looking.ts";
import { extend } from "../prompts/index.ts";
import { selectCollection } from "./items.sql.ts";
import type { CollectionRow } from "./target.ts";

interface Looking {
  collection: Pick<CollectionRow, "id" | "ownerId">;
  caller: Caller | null;
  server: ServerContext;
}

/**
 * A collection with a page of its items. Its ETag has the collection's own revision, which `If-Match` compares, and a digest of the
 * page, since items can be hidden or change without the collection.
 */
export async function show(
  sql: Sql,
  { collection, caller, server }: Looking,
  { page, ...wanted }: { page: Page; type?: CollectionItem["type"] | undefined },
) {
  const shown = await selectCollection(
    sql,
    { collection, ...lookingOf(caller, server) },
    { ...wanted, ...page },
  );
  // A read has no lock: the collection may have been deleted since it was found.
  if (shown === null) throw apiError("not_found");
  const { json: items } = page.reply(shown.rows);
  return {
    status: 200 as const,
    json: extend<Collection>(shown.summary, items.slice(1, -1)),
    revision: shown.revision,
  };
}

/** A collection as `collections.get` shows it to somebody who asks for nothing more. */
export const showFirst = (sql: Sql, looking: Looking) => {
  const list = { id: "collections.get", params: { id: looking.collection.id }, query: {} };
  return show(sql, looking, { page: openPage(looking.server.secrets, list) });
};
