import { batched } from "../../database/batch.ts";
import { piece } from "../../database/columns.ts";
import type { Sql } from "../../database/sql.ts";
import type { ServerContext } from "../server-context.ts";
import { type Caller, callerWith } from "./caller.ts";

/** Tokens in one statement. */
const atOnce = 100;

const found = piece<readonly Buffer[]>`
  select ${callerWith("decode(asking.credential, 'hex')")} as caller
  from unnest(${(_, all) => all.map((credential) => credential.toString("hex"))}::text[])
    with ordinality asking (credential, nth)
  order by asking.nth`;

const opened = new WeakMap<Sql, (credential: Buffer) => Promise<Caller | null>>();

/** Finds the account of a token, if there is one. Requests that come while a statement runs share the next. */
export async function findCaller(
  { readSql }: ServerContext,
  credential: Buffer | null,
): Promise<Caller | null> {
  if (credential === null) return null;
  const load = opened.get(readSql) ?? batched(loadAll(readSql), { most: atOnce });
  opened.set(readSql, load);
  return load(credential);
}

const loadAll = (sql: Sql) => async (credentials: readonly Buffer[]) => {
  const rows = await (found(sql, credentials) as unknown as Promise<{ caller: Caller | null }[]>);
  return rows.map(({ caller }) => caller);
};
