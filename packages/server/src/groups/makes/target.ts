import type { MakeStatus, MakeVisibility } from "@promptreg/core";
import { piece } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import { ownedBy, owns, seesPrivate } from "../../kernel/accounts/ownership.ts";
import type { TargetKind } from "../../kernel/target.ts";

/** What the code needs to know about a make. */
export interface MakeRow {
  id: string;
  /** Its maker. */
  ownerId: string;
  ownerHandle: string;
  slug: string;
  title: string;
  status: MakeStatus;
  visibility: MakeVisibility;
  isDeleted: boolean;
  coverItemId: string | null;
  remixOfId: string | null;
  revision: string;
}

declare module "../../kernel/target.ts" {
  interface Targets {
    make: MakeRow;
  }
}

/** The columns of a MakeRow, from `makes k` joined with `users mo`. */
export const makeColumns = piece`
  k.id, k.owner_id as "ownerId", mo.handle as "ownerHandle", k.slug, k.title, k.status, k.visibility,
  k.deleted_at is not null as "isDeleted", k.cover_item_id as "coverItemId",
  k.remix_of_id as "remixOfId", k.revision::text`;

/** Whether everybody who has its address sees `makes k`. */
export const isMakeForAll = piece`(k.status = 'published' and k.deleted_at is null)`;
/** Whether everybody finds `makes k` in lists. The indexes contain only these. */
export const isMakeListed = (sql: Sql): Fragment =>
  sql`k.status = 'published' and k.visibility = 'public' and k.deleted_at is null`;

const ownedByAccount = ownedBy<{ account: Fragment | string | null }>((_, { account }) => account, "k");
/** Whether `makes k` is an account's own. */
export const isOwnMake = (sql: Sql, account: Fragment | string | null): Fragment =>
  ownedByAccount(sql, { account });

/** Whether an account can see `makes k`; null means anonymous. The same as `visible` of the target. */
export const isMakeVisibleTo = (sql: Sql, viewerId: Fragment | string | null): Fragment => sql`
  (k.deleted_at is null and (k.status = 'published' or ${isOwnMake(sql, viewerId)}))`;

/** The id of the make that has or had a slug, as a subquery. */
export const makeAt = (sql: Sql, slug: string): Fragment =>
  sql`(select make_id from make_slugs where slug = ${slug})`;

/** The make of an id, as a table that is found by its key alone. */
export const makeById = (sql: Sql, id: Fragment): Fragment =>
  sql`(select * from makes where id = ${id} offset 0)`;

/** A draft is for its maker alone; whoever has the address sees what is published. */
export const makeTarget = {
  parse: (slug) => ({ slug }),
  alias: "k",
  from: (sql, { slug }) => sql`from makes k join users mo on mo.id = k.owner_id where k.slug = ${slug}`,
  columns: makeColumns,

  async whereNow(sql, { slug }, viewer) {
    const [row] = await sql<{ slug: string }[]>`
      select k.slug from makes k
      where k.id = ${makeAt(sql, slug)} and k.slug <> ${slug} and (k.status <> 'draft' or ${isOwnMake(sql, viewer?.id ?? null)})`;
    return row ?? null;
  },

  visibility(make, caller) {
    if (make.status === "draft" && !seesPrivate(caller, make)) return "hidden";
    return make.isDeleted ? "gone" : "visible";
  },

  roles: (make, caller) => (owns(caller, make) ? ["maker"] : []),
} satisfies TargetKind<MakeRow, { slug: string }>;

/**
 * The make that an id is of a file or a gallery item of, as something that shows media: whether everybody sees it, and whose it is. A file is
 * had by its download alone, which counts.
 */
export const shownByMake = (sql: Sql, id: Fragment): Fragment => sql`
  select part.is_open and k.status = 'published' as "isForAll", k.owner_id
  from (
    select make_id, false as is_open from make_files where id = ${id}
    union all select make_id, true from gallery_items where id = ${id}
  ) part cross join lateral ${makeById(sql, sql`part.make_id`)} k
  where k.deleted_at is null`;

/** Whether an account can see a make, whose id is SQL. A subquery with one value, as for prompts. */
export const isMakeVisible = (
  sql: Sql,
  { id, viewerId }: { id: Fragment; viewerId: Fragment },
): Fragment => sql`
  coalesce((select ${isMakeVisibleTo(sql, viewerId)} from makes k where k.id = ${id}), false)`;
