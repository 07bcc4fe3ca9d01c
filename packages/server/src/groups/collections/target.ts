import type { Visibility } from "@promptreg/core";
import type { Fragment, Sql } from "../../database/sql.ts";
import { isModerated, ownedBy, owns, seesPrivate } from "../../kernel/accounts/ownership.ts";
import type { TargetKind } from "../../kernel/target.ts";

/** What the code needs to know about a collection. */
export interface CollectionRow {
  id: string;
  ownerId: string;
  title: string;
  description: string | null;
  visibility: Visibility;
  coverMediaId: string | null;
  revision: string;
  /** Whether a report on it is open. */
  isReported: boolean;
}

declare module "../../kernel/target.ts" {
  interface Targets {
    collection: CollectionRow;
  }
}

/** Whether everybody finds `collections c` in lists. The indexes contain only these. */
export const isCollectionListed = (sql: Sql): Fragment =>
  sql`c.visibility = 'public' and c.deleted_at is null`;

/** Who has its address sees it, unless it is private. */
export const collectionTarget: TargetKind<CollectionRow, { id: string }> = {
  parse: (id) => ({ id }),
  alias: "c",
  from: (sql, { id }) => sql`from collections c where c.id = ${id} and c.deleted_at is null`,
  columns: (sql) => sql`
    c.id, c.owner_id as "ownerId", c.title, c.description, c.visibility, c.cover_media_id as "coverMediaId",
    c.revision::text, c.open_reports > 0 as "isReported"`,
  visibility(collection, caller) {
    const isShown = collection.visibility !== "private" || isModerated(caller, collection);
    return isShown || seesPrivate(caller, collection) ? "visible" : "hidden";
  },
  roles: (collection, caller) => (owns(caller, collection) ? ["owner"] : []),
};

const ownedByAccount = ownedBy<{ account: string | null }>((_, { account }) => account, "c");
/** Whether `collections c` is an account's own. */
export const isOwnCollection = (sql: Sql, account: string | null): Fragment =>
  ownedByAccount(sql, { account });

/** The collection of an id, if there is one, as something that shows media: whether everybody sees it, and whose it is. */
export const shownByCollection = (sql: Sql, id: Fragment): Fragment => sql`
  select c.visibility <> 'private' as "isForAll", c.owner_id
  from (select * from collections where id = ${id} offset 0) c where c.deleted_at is null`;
