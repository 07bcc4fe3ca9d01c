import type { Sql } from "../../database/sql.ts";

/** Whose vote on what. */
interface Pair {
  userId: string;
  targetId: string;
}
type Value = 1 | -1;

/** Votes, unless there is a vote already. */
export const insertVote = (sql: Sql, { userId, targetId, value }: Pair & { value: Value }) => sql`
  insert into votes (target_id, user_id, value) values (${targetId}, ${userId}, ${value}) on conflict do nothing`;

/** Turns the opposite vote round. */
export const turnVote = (sql: Sql, { userId, targetId, value }: Pair & { value: Value }) => sql`
  update votes set value = ${value}, voted_at = clock()
  where target_id = ${targetId} and user_id = ${userId} and value <> ${value}`;

/** Withdraws a vote, and gives its value; null if there is none. */
export async function deleteVote(sql: Sql, { userId, targetId }: Pair): Promise<Value | null> {
  const [row] = await sql<{ value: Value }[]>`
    delete from votes where target_id = ${targetId} and user_id = ${userId} returning value`;
  return row?.value ?? null;
}
