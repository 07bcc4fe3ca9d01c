import { handle, type UserPath } from "@promptreg/core";
import type { Fragment, Sql } from "../../database/sql.ts";
import type { TargetKind } from "../../kernel/target.ts";

export interface UserRow {
  id: string;
  handle: string;
  revision: string;
}

declare module "../../kernel/target.ts" {
  interface Targets {
    user: UserRow;
  }
}

/** Everybody sees every account, also a suspended one: its prompts may still be in use. */
export const userTarget: TargetKind<UserRow, UserPath> = {
  parse(text) {
    if (!handle.safeParse(text).success) throw new SyntaxError(`"${text}" is not a handle`);
    return { handle: text };
  },
  alias: "u",
  from: (sql, { handle }) => sql`from users u where u.handle = ${handle}`,
  columns: (sql) => sql`u.id, u.handle, u.revision::text`,

  async whereNow(sql, { handle }) {
    const [row] = await sql<{ handle: string }[]>`
      select u.handle from former_handles f join users u on u.id = f.user_id where f.handle = ${handle}`;
    return row ? { handle: row.handle } : null;
  },

  visibility: () => "visible",
  roles: () => [],
};

/** The account of an id, if there is one, as something that shows media: everybody sees avatars. */
export const shownByAccount = (sql: Sql, id: Fragment): Fragment => sql`
  select true as "isForAll", u.id as owner_id from (select * from users where id = ${id} offset 0) u`;
