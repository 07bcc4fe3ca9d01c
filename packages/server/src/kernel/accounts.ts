import type { UserRef } from "@promptreg/core";
import { columns, type Fields, type Piece, piece } from "../database/columns.ts";
import type { Sql } from "../database/sql.ts";

/** Where addresses begin. */
export interface Site {
  publicUrl: string;
}

/** What others see of an account beside what it did, from `users u`. */
export const accountRef: Fields<UserRef, Site> = {
  id: "u.id",
  handle: "u.handle",
  name: "u.name",
  avatarUrl: "null",
  url: piece<Site>`${(_, { publicUrl }) => publicUrl} || '/' || u.handle`,
};

/** An account as others see it, by its id, which is given as SQL; null where there is no such account. */
export const userRef = (id: string): Piece<Site> => piece<Site>`
  (select row_to_json(person) from (
    select ${columns<UserRef, Site>(accountRef)} from users u where u.id = ${id}
  ) person)`;

/** Locks an account until the transaction ends, so that two creations at once are counted one after the other. */
export const lockAccount = (sql: Sql, id: string) =>
  sql`select from users where id = ${id} for no key update`;
