import type { UserRef } from "@promptreg/core";
import { columns, type Fields, type Piece, piece } from "../../database/columns.ts";
import type { Sql } from "../../database/sql.ts";

/** What URLs begin with. */
export interface Site {
  publicUrl: string;
}

/** The account that did something, as others see it, from `users u`. */
export const accountRef: Fields<UserRef, Site> = {
  id: "u.id",
  handle: "u.handle",
  name: "u.name",
  // Small, and ours: the origin of other media need not serve it.
  avatarUrl: piece<Site>`${(_, { publicUrl }) => publicUrl} || '/media/' || u.avatar_media_id || '/thumbnail'`,
  url: piece<Site>`${(_, { publicUrl }) => publicUrl} || '/' || u.handle`,
};

/** An account as others see it. `id` is SQL. Null if there is no such account. */
export const userRef = (id: string): Piece<Site> => piece<Site>`
  (select row_to_json(person) from (
    select ${columns<UserRef, Site>(accountRef)} from users u where u.id = ${id}
  ) person)`;

/** Locks an account until the transaction ends, so that concurrent creations are counted one after the other. */
export const lockAccount = (sql: Sql, id: string) =>
  sql`select from users where id = ${id} for no key update`;
