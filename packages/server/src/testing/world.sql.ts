import type { TokenRestriction } from "@promptreg/core";
import type { Sql } from "../database/sql.ts";
import { hashToken, makeToken } from "../kernel/accounts/token.ts";

interface Joining {
  scopes?: string[];
  role?: string;
  isSuspended?: boolean;
  restriction?: TokenRestriction | null;
}

/** Makes an account, unless the handle has one, and a token for it. */
export async function join(
  sql: Sql,
  handle: string,
  { scopes = ["read", "write"], role = "user", isSuspended = false, restriction = null }: Joining = {},
): Promise<{ id: string; token: string }> {
  const token = makeToken();
  // Without one it must work on the schema of the last release, which knows none.
  const [user] = await sql<{ id: string }[]>`
    with account as (
      insert into users (handle, role, suspended_at) values (${handle}, ${role}, ${isSuspended ? sql`clock()` : null})
      on conflict (handle) do update set role = excluded.role returning id
    )
    insert into tokens (user_id, name, hash, prefix, scopes, role${restriction ? sql`, restriction` : sql``})
    select id, 'test', ${hashToken(token)}, ${token.slice(0, 8)}, ${scopes}, ${role}
      ${restriction ? sql`, ${sql.json({ ...restriction })}` : sql``}
    from account
    returning user_id as id`;
  return { id: user?.id ?? "", token };
}

/** Revokes a token, and returns whether it exists. */
export async function revoke(sql: Sql, token: string): Promise<boolean> {
  const { count } = await sql`
    update tokens set revoked_at = coalesce(revoked_at, clock()) where hash = ${hashToken(token)}`;
  return count > 0;
}

/** Stops the clock of the server at a time. */
export const stopClock = (sql: Sql, at: string) => replaceClock(sql, `'${at}'::timestamptz`);

/** Moves the clock of the server ahead of the real time. */
export const shiftClock = (sql: Sql, ms: number) =>
  replaceClock(sql, `date_trunc('milliseconds', statement_timestamp() + interval '${ms} milliseconds')`);

const replaceClock = async (sql: Sql, time: string): Promise<void> => {
  await sql.unsafe(
    `create or replace function clock() returns timestamptz language sql stable parallel safe return ${time}`,
  );
  // If the clock was set back, subscriptions must still be older than events.
  for (const table of ["webhooks", "watches"]) {
    await sql`update ${sql(table)} set since = clock() where since > clock()`;
  }
};
