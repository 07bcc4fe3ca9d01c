import type { Scope, TokenRestriction } from "@promptreg/core";
import { type Part, type Piece, piece } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";

/** The account of a valid token, and what the token permits. */
export interface Caller {
  id: string;
  handle: string;
  isSuspended: boolean;
  /** The role of the token, as long as the account still has it. */
  role: "user" | "moderator" | "admin";
  tokenId: string;
  /** What its owner calls the token. */
  tokenName: string;
  scopes: Scope[];
  /** Null: it may do all that its account may. */
  restriction: TokenRestriction | null;
}

/** A scalar subquery that finds the caller by the token's hash: so one statement can find the caller and the response. */
export const callerOf = (sql: Sql, credential: Buffer | null): Fragment =>
  credential === null ? sql`null::json` : callerOfHash(sql, { credential });

/** The same for the hash of a token, which may be null, as a part of a piece. */
export const callerWith = <Given>(hash: Part<Given>) => piece<Given>`(
  select row_to_json(found) from (
    select u.id, u.handle, u.suspended_at is not null as "isSuspended",
      case when t.role = 'user' or u.role = t.role or u.role = 'admin' then t.role else 'user' end as role,
      t.id as "tokenId", t.name as "tokenName", t.scopes, t.restriction
    from tokens t join users u on u.id = t.user_id
    where t.hash = ${hash} and t.revoked_at is null and (t.expires_at is null or t.expires_at > clock())
  ) found)`;

/** The caller of a read as `asking`, found once. Conditions use `id` and `role`: to take them out of the JSON costs as much as a row. */
const askingOf = <Given>(caller: Part<Given>) => piece<Given>`(
  select found.caller, found.caller ->> 'id' as id, found.caller ->> 'role' as role
  from (select ${caller} as caller offset 0) found offset 0
) asking`;
/** By the hash of a token, which may be null, as a part of a piece. */
export const askingWith = <Given>(hash: Part<Given>): Piece<Given> => askingOf(callerWith(hash));
/** By any SQL that finds one. */
export const asking = askingOf<{ caller: Fragment }>((_, { caller }) => caller);

/** A caller who is known already, as statements find one. */
export const callerAs = (sql: Sql, caller: Pick<Caller, "id" | "role"> | null): Fragment =>
  caller === null
    ? sql`null::json`
    : sql`json_build_object('id', ${caller.id}::text, 'role', ${caller.role}::text)`;

const callerOfHash = callerWith<{ credential: Buffer }>((_, { credential }) => credential);

/** Locks the account of a caller, and gives its current revision: the caller was found before the transaction. */
export async function lockCaller(sql: Sql, { id }: Caller): Promise<{ revision: string } | null> {
  const [row] = await sql<{ revision: string }[]>`
    select revision::text from users where id = ${id} for no key update`;
  return row ?? null;
}
