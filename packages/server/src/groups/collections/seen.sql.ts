import type { CollectionItem } from "@promptreg/core";
import { parseRef } from "@promptreg/core/refs";
import type { Fragment, Sql } from "../../database/sql.ts";
import { isOwn } from "../../kernel/accounts/ownership.ts";
import { isMakeListed, isMakeVisibleTo, isOwnMake, makeAt, makeById } from "../makes/index.ts";
import { isOwnPost, isPostListed, postById } from "../posts/index.ts";
import { isDecent, isListed, isVisibleTo, promptById, promptsAt, type Viewing } from "../prompts/index.ts";

// Who sees what is collected. It can be of several kinds; what knows them stands here and in `printed` of `items.sql.ts`.

type Viewer = Viewing["caller"];

/** A kind of what is collected: how one is found by its id and by its address, and who is shown it. */
interface Kind {
  alias: Fragment;
  /** What its ids begin with, so that what is of another kind is looked for nowhere else. */
  prefix: string;
  byId: (id: Fragment) => Fragment;
  /** The ids of what has or had an address, as a table. */
  at: (address: string) => Fragment;
  /** Whether everybody is shown it in a collection, as in a list. */
  isForAll: Fragment;
  /** Whether a viewer is shown it in somebody else's collection: as in a list, or because it is the viewer's. */
  isForViewer: Fragment;
  /** Whether a viewer can see it, and is shown it in a collection of the viewer's own. */
  isVisible: Fragment;
}

/** Whether a viewer sees `posts b`: each that is published is in lists. */
const isPostSeen = (sql: Sql, viewer: Viewer): Fragment =>
  viewer === null
    ? isPostListed(sql)
    : sql`(${isPostListed(sql)} or b.deleted_at is null and ${isOwnPost(sql, viewer.id)})`;

const kinds = (sql: Sql, viewer: Viewer): Record<CollectionItem["type"], Kind> => {
  const promptForAll = sql`${isListed(sql)} and ${isDecent(sql, null)}`;
  return {
    prompt: {
      alias: sql`p`,
      prefix: "prm_",
      byId: (id) => promptById(sql, id),
      at: (address) => promptsAt(sql, parseRef(address)),
      isForAll: promptForAll,
      isForViewer:
        viewer === null
          ? promptForAll
          : sql`(${isListed(sql)} and ${isDecent(sql, viewer)} or p.deleted_at is null and ${isOwn(sql, viewer.id)})`,
      isVisible: isVisibleTo(sql, viewer),
    },
    make: {
      alias: sql`k`,
      prefix: "mak_",
      byId: (id) => makeById(sql, id),
      at: (address) => sql`(select ${makeAt(sql, address)} as id)`,
      isForAll: isMakeListed(sql),
      isForViewer:
        viewer === null
          ? isMakeListed(sql)
          : sql`(${isMakeListed(sql)} or k.deleted_at is null and ${isOwnMake(sql, viewer.id)})`,
      isVisible: isMakeVisibleTo(sql, viewer?.id ?? null),
    },
    post: {
      alias: sql`b`,
      prefix: "pst_",
      byId: (id) => postById(sql, id),
      at: (address) => sql`(select ${address}::text as id)`,
      isForAll: isPostListed(sql),
      isForViewer: isPostSeen(sql, viewer),
      isVisible: isPostSeen(sql, viewer),
    },
  };
};

/**
 * The items of a collection that a viewer is shown, as a statement. The owner of the collection is shown all that the owner can
 * see. `isForAll` says whether everybody is shown an item: the viewer is then, too.
 */
export function seenItems(
  sql: Sql,
  { collectionId, viewer, isOwner }: { collectionId: Fragment; viewer: Viewer; isOwner: boolean },
): Fragment {
  const each = Object.entries(kinds(sql, viewer)).map(
    ([type, { alias, prefix, byId, isForAll, isForViewer, isVisible }]) => sql`
      select ${type}::text as type, (${isForAll}) as "isForAll" from ${byId(sql`i.target_id`)} ${alias}
      where starts_with(i.target_id, ${prefix}) and ${isOwner ? isVisible : isForViewer}`,
  );
  return sql`
    select i.*, target.type, target."isForAll"
    from collection_items i cross join lateral (${union(sql, each)}) target where i.collection_id = ${collectionId}`;
}

/** The items of a collection whose targets are not deleted, seen or not, as a statement. */
export function heldItems(sql: Sql, collectionId: string): Fragment {
  const each = Object.values(kinds(sql, null)).map(
    ({ alias, prefix, byId }) =>
      sql`select from ${byId(sql`i.target_id`)} ${alias} where starts_with(i.target_id, ${prefix}) and ${alias}.deleted_at is null`,
  );
  return sql`
    select i.* from collection_items i cross join lateral (${union(sql, each)}) target
    where i.collection_id = ${collectionId}`;
}

const union = (sql: Sql, parts: readonly Fragment[]): Fragment =>
  parts.reduce((some, more) => sql`${some} union all ${more}`);

/** The kind and the address that a query names. */
function named(sql: Sql, target: string, viewer: Viewer): [Kind, address: string] {
  const [type = "", address = ""] = target.split(":");
  return [kinds(sql, viewer)[type as CollectionItem["type"]], address];
}

/** The ids of what has or had the address that a query names, as a table. */
export function targetsAt(sql: Sql, target: string): Fragment {
  const [kind, address] = named(sql, target, null);
  return sql`(select id from ${kind.at(address)} there)`;
}

/** The id of what a query names, if a viewer is shown it in collections: the viewer's own, or those of others. */
export function seenTarget(
  sql: Sql,
  { target, viewer, isOwner }: { target: string; viewer: Viewer; isOwner: boolean },
): Fragment {
  const [{ alias, byId, isVisible, isForViewer }] = named(sql, target, viewer);
  return sql`(
    select ${alias}.id from ${targetsAt(sql, target)} there cross join lateral ${byId(sql`there.id`)} ${alias}
    where ${isOwner ? isVisible : isForViewer} limit 1)`;
}
