import type { Fragment, Sql } from "../../database/sql.ts";
import { ownedBy, owns, seesPrivate } from "../../kernel/accounts/ownership.ts";
import type { TargetKind } from "../../kernel/target.ts";
import { isPostListed } from "./target.ts";

/** What the code needs to know about a series. */
export interface SeriesRow {
  id: string;
  ownerId: string;
  slug: string;
  title: string;
  description: string | null;
  /** Whether there is anything in it for everybody. */
  isPublic: boolean;
  revision: string;
}

declare module "../../kernel/target.ts" {
  interface Targets {
    series: SeriesRow;
  }
}

const ownedByAccount = ownedBy<{ account: string | null }>((_, { account }) => account, "s");
/** Whether `post_series s` is an account's own. */
export const isOwnSeries = (sql: Sql, account: string | null): Fragment => ownedByAccount(sql, { account });

/** Everybody sees a series that has a published post, and of its posts those. */
export const seriesTarget: TargetKind<SeriesRow, { id: string }> = {
  parse: (text) => ({ id: text }),
  alias: "s",
  from: (sql, { id }) => sql`from post_series s where s.id = ${id} and s.deleted_at is null`,
  columns: (sql) => sql`
    s.id, s.owner_id as "ownerId", s.slug, s.title, s.description, s.revision::text, exists (
      select from (select * from posts where series_id = s.id offset 0) b where ${isPostListed(sql)}
    ) as "isPublic"`,
  visibility: (series, caller) => (series.isPublic || seesPrivate(caller, series) ? "visible" : "hidden"),
  roles: (series, caller) => (owns(caller, series) ? ["owner"] : []),
};
