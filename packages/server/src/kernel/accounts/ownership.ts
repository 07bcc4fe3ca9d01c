import { type Part, type Piece, piece } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import type { Caller } from "./caller.ts";

// Who acts for an account, and who sees what is private of it: the account itself, and moderators while a report on it is
// open. Nothing else decides it, in code or in SQL, so that accounts which several people act for would be a change of this file.

type Account = Pick<Caller, "id"> | null;
interface Owned {
  ownerId: string;
}

/** Whether an account has the role of a thing's owner. */
export const owns = (account: Account, { ownerId }: Owned): boolean => account?.id === ownerId;
/** The same as SQL, for a piece and a row of `prompts`. */
export const ownedBy = <Given>(account: Part<Given>, alias = "p"): Piece<Given> =>
  piece<Given>`${alias}.owner_id = ${account}`;
const isOwnedBy = ownedBy<{ account: Fragment | string | null }>((_, { account }) => account);
/** The same for `prompts p`, with the id of an account. */
export const isOwn = (sql: Sql, account: Fragment | string | null): Fragment => isOwnedBy(sql, { account });

/** Whether an account sees what is private of a thing. */
export const seesPrivate = (account: Account, owned: Owned): boolean => owns(account, owned);
/** Whether a caller is a moderator who sees a private thing, because a report on it is open. */
export const isModerated = (
  caller: Pick<Caller, "role"> | null,
  { isReported }: { isReported: boolean },
): boolean => isReported && caller !== null && caller.role !== "user";
/** The same as SQL, for a row of `prompts` and the caller of a read. */
export const isModeratedByCaller: Piece = piece`(p.open_reports > 0 and coalesce(asking.role, 'user') <> 'user')`;
/** What `seesPrivate` says as SQL, for a piece and a row of `prompts`. */
export const privateSeenBy = <Given>(account: Part<Given>, alias = "p"): Piece<Given> =>
  ownedBy(account, alias);

/** The account that sees what is private of its things beside the one that a request is about: that of no restricted token. */
export const seesBeside = (caller: Pick<Caller, "id" | "restriction"> | null): string | null =>
  caller?.restriction === null ? caller.id : null;
/** The same as SQL, for the caller of a read. */
export const callerSeesBeside: Piece = piece`(case when asking.caller ->> 'restriction' is null then asking.id end)`;

/** The ids of the accounts that act for one, as a list: they hear of what happens to its things. */
export const actingFor = (sql: Sql, accountId: string): Fragment => sql`array[${accountId}::text]`;
