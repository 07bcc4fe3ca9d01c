import type { UserPath } from "@promptreg/core";
import type { Sql } from "../../database/sql.ts";
import type { Loaded, LoadRequest, Target } from "../../kernel/target.ts";

export interface UserRow {
  id: string;
  revision: string;
}

declare module "../../kernel/target.ts" {
  interface Targets {
    user: UserRow;
  }
}

/** Everybody sees every account, a suspended one too: what it made may still be in use. */
export const userTarget: Target<UserRow, UserPath> = {
  async load(sql: Sql, { address, caller, lock }: LoadRequest<UserPath>): Promise<Loaded<UserRow>> {
    if (lock) await sql`select from users where handle = ${address.handle} for no key update`;
    const [row] = await sql<Loaded<UserRow>[]>`
      select ${caller} as caller, (
        select row_to_json(t) from (select id, revision::text from users where handle = ${address.handle}) t
      ) as target`;
    return row ?? { caller: null, target: null };
  },

  async whereNow(sql: Sql, { handle }: UserPath) {
    const [row] = await sql<UserPath[]>`
      select u.handle from former_handles f join users u on u.id = f.user_id where f.handle = ${handle}`;
    return row ? { handle: row.handle } : null;
  },

  sight: () => "seen",
  roles: ({ id }, caller) => (caller.id === id ? ["owner"] : []),
};
